/** The GitHub Actions workflows, which cannot run here: they follow the rules, and everything they call exists. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prebuildTargets } from '../scripts/lib/prebuild-targets.mjs';
import { named } from './platforms.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string };
  readonly defaults?: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '..');
const folder = join(root, '.github/workflows');
const files = readdirSync(folder).sort();
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
const workflows = new Map(files.map((file) => [file, parse(textOf(file)) as Workflow]));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

const stepsOf = (workflow: Workflow) => Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps);
const commandsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ run = [] }) => run);

const noShellcheck =
  spawnSync('shellcheck', ['--version']).error === undefined ? undefined : 'there is no shellcheck';

/** The shell scripts of scripts/ci are part of what a workflow runs. */
const shellScripts = readdirSync(join(root, 'scripts/ci')).filter((name) => name.endsWith('.sh'));

describe('the workflows', () => {
  it('are exactly these', () => {
    expect(files).toEqual(['ci.yml', 'prebuild.yml', 'release.yml', 'sanitize.yml']);
  });

  it('give only the publishing job more than the right to read the code', () => {
    const more = [...workflows].flatMap(([file, workflow]) => {
      expect([file, workflow.permissions]).toEqual([file, { contents: 'read' }]);
      return Object.entries(workflow.jobs).flatMap(([name, { permissions }]) =>
        permissions === undefined ? [] : [[file, name, permissions]],
      );
    });
    expect(more).toEqual([['release.yml', 'publish', { contents: 'read', 'id-token': 'write' }]]);
  });

  it('contain no secrets', () => {
    for (const file of files) expect([file, /secrets\.|_TOKEN\b/i.test(textOf(file))]).toEqual([file, false]);
  });

  it('publish only what prebuild.yml has built and tested', () => {
    const jobs = workflows.get('release.yml')?.jobs;
    expect(jobs?.publish?.needs).toBe('prebuild');
    expect(jobs?.prebuild).toEqual({ needs: 'check', uses: './.github/workflows/prebuild.yml' });
    expect(JSON.stringify(jobs?.publish?.steps)).not.toMatch(/npm (install|ci|pack|run)/);
  });

  it('build every addon of the package', () => {
    const names = Object.entries(workflows.get('prebuild.yml')?.jobs ?? {}).flatMap(([job, { strategy }]) => {
      const libc = /^build-(glibc|musl)$/.exec(job)?.[1];
      return (strategy?.matrix.include ?? []).map((entry) => {
        const { target, arch } = entry as { target?: string; arch?: string };
        return libc === undefined ? `${target}/tracewright.node` : `linux-${arch}/tracewright.${libc}.node`;
      });
    });
    expect(names.sort()).toEqual([...prebuildTargets].sort());
  });
});

for (const [file, workflow] of workflows) {
  describe(file, () => {
    const jobs = Object.entries(workflow.jobs);

    it('has a group, so that two runs for the same ref do not overlap, and bash on every system', () => {
      expect(workflow.concurrency?.group).toBeTruthy();
      expect(workflow.defaults?.run.shell).toBe('bash');
    });

    it('ends every job after a time limit', () => {
      const endless = jobs.filter(([, job]) => job.uses === undefined && !job['timeout-minutes']);
      expect(endless.map(([name]) => name)).toEqual([]);
    });

    it('waits only for existing jobs', () => {
      for (const [, { needs = [] }] of jobs) {
        for (const name of [needs].flat()) expect(Object.keys(workflow.jobs)).toContain(name);
      }
    });

    it('pins every action to a commit, with its version next to it', () => {
      const uses = Array.from(textOf(file).matchAll(/^\s*(?:- )?uses: (.*)$/gm), ([, used = '']) => used);
      const foreign = uses.filter((used) => !used.startsWith('./'));
      for (const used of foreign) expect(used).toMatch(/^actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      for (const used of uses.filter((name) => name.startsWith('./'))) {
        expect([used, existsSync(join(root, used))]).toEqual([used, true]);
      }
    });

    it('leaves no credentials in a checkout', () => {
      for (const step of stepsOf(workflow)) {
        if (!step.uses?.startsWith('actions/checkout@')) continue;
        expect(step.with).toMatchObject({ 'persist-credentials': false });
      }
    });

    it('has all versions of Node.js in every matrix of them', () => {
      for (const [name, { strategy }] of jobs) {
        const { node } = strategy?.matrix ?? {};
        if (node !== undefined) expect([name, node]).toEqual([name, [20, 22, 24, 26]]);
      }
    });

    it('uses only values of its matrices', () => {
      for (const [name, job] of jobs) {
        const { include = [], ...axes } = job.strategy?.matrix ?? {};
        const known = new Set([
          ...Object.keys(axes),
          ...include.flatMap((entry) => Object.keys(entry as object)),
        ]);
        const used = JSON.stringify(job).matchAll(/\bmatrix\.(\w+)/g);
        for (const [, key] of used) expect([name, [...known]]).toEqual([name, expect.arrayContaining([key])]);
      }
    });

    it('runs existing scripts', () => {
      for (const command of commandsOf(workflow)) {
        for (const [path] of command.matchAll(
          /(?<![\w./*-])(?:scripts|test|docs|native|\.ci)\/[\w./-]*\w/g,
        )) {
          expect([path, existsSync(join(root, path))]).toEqual([path, true]);
        }
        for (const [, name = ''] of command.matchAll(/\bnpm run ([\w:]+)/g)) {
          expect(scripts).toHaveProperty([name]);
        }
      }
    });

    it.skipIf(noShellcheck !== undefined)(
      named('has commands in which shellcheck finds nothing', noShellcheck),
      () => {
        for (const command of commandsOf(workflow)) {
          const { stdout } = spawnSync('shellcheck', ['--shell=bash', '-'], {
            input: command,
            encoding: 'utf8',
          });
          expect([command, stdout]).toEqual([command, '']);
        }
      },
    );

    it('puts no expression into a command, where its text would be executed', () => {
      for (const command of commandsOf(workflow)) expect(command).not.toContain('${{');
    });
  });
}

describe('the shell scripts of scripts/ci', () => {
  for (const name of shellScripts) {
    const path = join(root, 'scripts/ci', name);

    const [, shell = ''] = /^#!\/bin\/(\w+)\n/.exec(readFileSync(path, 'utf8')) ?? [];
    const noShell = spawnSync(shell, ['-c', ':']).error === undefined ? undefined : `there is no ${shell}`;

    it.skipIf(noShell !== undefined)(named(`${name} can be read by its shell, and run`, noShell), () => {
      const { status, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o111).toBe(0o111);
    });

    it(`${name} runs existing scripts`, () => {
      const text = readFileSync(path, 'utf8');
      for (const [script] of text.matchAll(/(?<![\w./*-])(?:scripts|test)\/[\w./-]*\w/g)) {
        expect([script, existsSync(join(root, script))]).toEqual([script, true]);
      }
      for (const [, script = ''] of text.matchAll(/\bnpm run ([\w:]+)/g)) {
        expect(scripts).toHaveProperty([script]);
      }
    });
  }
});

/** Its rules know the schema, the expressions and the contexts; no npm or Debian package of it is kept up to date. */
const actionlint = spawnSync('actionlint', ['--version']);
const absent = actionlint.error === undefined ? '' : ' (skipped: actionlint is not installed)';

it.skipIf(actionlint.error !== undefined)(`actionlint finds nothing in the workflows${absent}`, () => {
  const { status, stdout } = spawnSync('actionlint', ['-no-color'], { cwd: root, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
