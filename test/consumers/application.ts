/** Applications that use the package as packed by npm, each in a separate folder, with tools from npm's registry. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRequired } from '../../scripts/lib/require.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tracewright/consumers');
const npmOptions = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** What runs under Windows is shims, which these tests do not start. */
const platformReason = process.platform === 'win32' ? 'applications are tried on POSIX systems' : undefined;

export type Dependencies = Readonly<Record<string, string>>;

const { dependencies: own } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Dependencies;
};

export type InstalledTools = { readonly folder: string } | { readonly reason: string };

/** Why a test of them is skipped; undefined where it runs. */
export function reasonOf(tools: InstalledTools): string | undefined {
  return 'reason' in tools ? tools.reason : undefined;
}

/**
 * These packages, with those that the package depends on, installed once and kept for the next run.
 *
 * @returns their folder, or why they cannot be had
 */
export function installedTools(tools: Dependencies): InstalledTools {
  if (platformReason !== undefined) return { reason: platformReason };
  const dependencies = { ...own, ...tools };
  const manifest = JSON.stringify({ private: true, dependencies });
  const folder = join(cache, createHash('sha256').update(manifest).digest('hex').slice(0, 16));
  if (existsSync(folder)) return { folder };
  mkdirSync(cache, { recursive: true });
  const begun = mkdtempSync(join(cache, 'begun-'));
  writeFileSync(join(begun, 'package.json'), manifest);
  const { status, stderr } = spawnSync('npm', ['install', ...npmOptions], { cwd: begun, encoding: 'utf8' });
  if (status === 0) {
    // Another run may have been faster.
    if (!existsSync(folder)) renameSync(begun, folder);
    return { folder };
  }
  rmSync(begun, { recursive: true });
  if (isRequired('registry')) throw new Error(`npm install failed:\n${manifest}\n${stderr}`);
  return { reason: `npm could not install ${Object.keys(tools).join(', ')}` };
}

/** The tarball that would be published, with the addon that was built here as its prebuilt one. */
export function pack(folder: string): string {
  const copy = join(folder, 'package');
  for (const part of ['dist', 'docs', 'package.json', 'README.md', 'LICENSE']) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  const addon = join(root, 'build/Release/tracewright.node');
  const shipped = join(copy, `prebuilds/${process.platform}-${process.arch}/tracewright.node`);
  mkdirSync(dirname(shipped), { recursive: true });
  if (existsSync(addon)) cpSync(addon, shipped);
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: copy, stdio: 'pipe' });
  const [{ filename }] = JSON.parse(packed.toString()) as [{ filename: string }];
  const tarball = join(folder, filename);
  renameSync(join(copy, filename), tarball);
  rmSync(copy, { recursive: true });
  return tarball;
}

/** An application's folder, with tools and the package in its node_modules. */
export class Application {
  readonly folder = mkdtempSync(join(tmpdir(), 'tracewright-consumer-'));
  readonly tarball = pack(this.folder);

  constructor(tools: string) {
    // Hard links: tools are large, and nobody writes into them.
    execFileSync('cp', ['-al', join(tools, 'node_modules'), this.folder]);
    const installed = join(this.folder, 'node_modules/tracewright');
    mkdirSync(installed);
    execFileSync('tar', ['-xzf', this.tarball, '-C', installed, '--strip-components=1']);
    this.write('package.json', '{ "private": true }');
  }

  write(path: string, text: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** What a program wrote to stdout and stderr, and how it ended. */
  run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: options.cwd ?? this.folder,
      env: { ...process.env, ...options.env },
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  }

  /** A program of node_modules/.bin. */
  tool(name: string, args: readonly string[], env?: NodeJS.ProcessEnv) {
    return this.run(join(this.folder, 'node_modules/.bin', name), args, env === undefined ? {} : { env });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
