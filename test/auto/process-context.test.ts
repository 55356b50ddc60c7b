/** The process context of OpenTelemetry, as a profiler outside the process reads it: a program in C, from /proc alone. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { linuxOnly, named } from '../platforms.ts';

const native = join(import.meta.dirname, '../native');
const auto = join(import.meta.dirname, '../../dist/cjs/auto.mjs');
const addon = join(import.meta.dirname, '../../dist/platform/addon.js');

const notHere = linuxOnly('process contexts');
const notRoot = process.getuid?.() === 0 ? undefined : 'only root can be another user';
let folder: string;
beforeAll(() => {
  if (notHere !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'tracewright-context-'));
  chmodSync(folder, 0o755);
  for (const name of ['process_context_reader', 'without_calls']) {
    const flags = ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-O1'];
    execFileSync('cc', [...flags, join(native, `${name}.c`), '-o', join(folder, name)]);
  }
});
afterAll(() => {
  if (notHere === undefined) rmSync(folder, { recursive: true });
});

/** The attributes that the reader has printed, with the mapping's name and the time. */
function parsed(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.replace(/^.*?=/, '')]),
  );
}

interface Results {
  readonly ownProcess: number;
  readonly storm: readonly string[];
  readonly [name: string]: unknown;
}

const NONE = 'there is no context';
const MAPPING = /^(?:\[anon_shmem:OTEL_CTX\]|\/memfd:OTEL_CTX)/;

describe.skipIf(notHere !== undefined)(named('the process context', notHere), () => {
  describeEachNode('what a profiler reads', (run) => {
    let results: Results;
    const read = (name: string) => parsed(String(results[name]));
    beforeAll(async () => {
      const program = 'auto/programs/process-context.mjs';
      results = (await run(program, join(folder, 'process_context_reader'))) as Results;
    });

    it('is nothing before the environment asks for it, then the attributes of its resource', () => {
      expect(results.before).toBe(NONE);
      const { mapping, published, ...attributes } = read('named');
      expect(mapping).toMatch(MAPPING);
      expect(Number(published)).toBeGreaterThan(0);
      expect(attributes).toEqual({
        'service.name': 'shop',
        'process.pid': String(results.ownProcess),
        'service.version': '1.2',
        team: 'café',
      });
    });

    it('is published once, whatever else is changed, and not by worker threads or for child processes', () => {
      expect(results.unchanged).toEqual(results.named);
      expect(results.withWorker).toEqual(results.named);
      expect(results.child).toBe(NONE);
    });

    it('is replaced by other attributes, at a later time', () => {
      const [named, changed] = [read('named'), read('changed')];
      expect(changed).toMatchObject({
        'service.name': 'shop',
        team: 'payments',
        'deployment.environment.name': 'x'.repeat(300),
      });
      expect(BigInt(changed.published as string)).toBeGreaterThan(BigInt(named.published as string));
    });

    it('is whole while it changes, and each change has a later time', () => {
      const contexts = results.storm.map(parsed).filter(({ a }) => a !== undefined);
      const torn = contexts.filter(({ a, b, c }) => a !== c || b?.length !== Number(a) % 5000);
      expect(torn).toEqual([]);
      const times = new Map(contexts.map(({ a, published }) => [a, BigInt(published as string)]));
      expect(times.size).toBeGreaterThan(100);
      const inOrder = [...times].sort(([a], [b]) => Number(a) - Number(b)).map(([, time]) => time);
      expect(inOrder).toEqual([...new Set(inOrder)].sort((a, b) => Number(a - b)));
    });

    it('is gone when it is turned off, and comes back', () => {
      expect(results.dropped).toBe(NONE);
      expect(read('again')).toMatchObject({ 'service.name': 'shop', 'service.version': '1.2' });
    });
  });

  describe('without what it needs', () => {
    /** Runs a program of one line after the context has been published, or has not. */
    function warnings(refused: string, first = '', environment: NodeJS.ProcessEnv = {}): string {
      const program = `process.on('warning', ({ message }) => console.log(message));
        ${first}
        await import(${JSON.stringify(auto)});
        await new Promise((resolve) => setTimeout(resolve, 300));
        const { readFileSync } = await import('node:fs');
        console.log(/OTEL_CTX.*/.exec(readFileSync('/proc/self/maps', 'latin1'))?.[0] ?? 'no mapping');`;
      const node = [process.execPath, '--no-warnings', '--input-type=module', '-e', program];
      const { stdout } = spawnSync(join(folder, 'without_calls'), [refused, ...node], {
        encoding: 'utf8',
        env: { ...process.env, OTEL_SERVICE_NAME: 'shop', ...environment },
      });
      return stdout.trim();
    }

    it('has the name of a file in memory where the kernel names no memory', () => {
      expect(warnings('name')).toBe('OTEL_CTX (deleted)');
    });

    it('says in a warning that the system allows neither, and the program goes on', () => {
      const [warning, mapping] = warnings('memfd,name').split('\n');
      expect(warning).toMatch(
        /^The process context is not published: the system allows neither a file in memory .*: EINVAL\.$/,
      );
      expect(mapping).toBe('no mapping');
    });

    it('leaves the context of another library alone', () => {
      const other = `const { loadAddon } = await import(${JSON.stringify(addon)});
        loadAddon().setProcessContext(Buffer.from('other'));`;
      const [warning, mapping] = warnings('nothing', other).split('\n');
      expect(warning).toBe(
        'The process context is not published: something else in this process has already published one.',
      );
      expect(mapping).toMatch(/^OTEL_CTX/);
    });

    it('says that the attributes are too large for profilers', () => {
      const many = `a=${'x'.repeat(70_000)}`;
      expect(warnings('nothing', '', { OTEL_RESOURCE_ATTRIBUTES: many })).toMatch(
        /^The process context is not published: its attributes take 70\d\d\d bytes, .*\nno mapping$/,
      );
    });

    it('is off if TRACEWRIGHT_AUTO says so', () => {
      expect(warnings('nothing', '', { TRACEWRIGHT_AUTO: '-processContext' })).toBe('no mapping');
    });
  });

  it.skipIf(notRoot !== undefined)(named('is out of reach for other users', notRoot), async () => {
    const program = spawn(process.execPath, ['--import', auto, '-e', 'setInterval(() => {}, 1000)'], {
      env: { ...process.env, OTEL_SERVICE_NAME: 'shop' },
      stdio: 'ignore',
    });
    await once(program, 'spawn');
    const nobody = { uid: 65_534, gid: 65_534, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(
      join(folder, 'process_context_reader'),
      [String(program.pid)],
      nobody,
    );
    program.kill();
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'Permission denied\n' });
  });
});
