/**
 * Runtimes that nobody promises: Deno and Bun run the package as npm packs it, and nothing of it ends a process in
 * another way than its program does.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools } from './application.ts';

const isKnown = process.platform === 'linux' && process.arch === 'x64';
const installed = isKnown
  ? installedTools({ '@deno/linux-x64-glibc': '2.9.6', '@oven/bun-linux-x64': '1.4.5' })
  : { reason: 'the runtimes are tried on Linux x64' };
const skipReason = 'reason' in installed ? installed.reason : undefined;
const RUNTIMES = [
  ['Deno', '@deno/linux-x64-glibc/deno', ['run', '-A']],
  ['Bun', '@oven/bun-linux-x64/bin/bun', []],
] as const;

/** How the program ends, with its status. */
const ENDINGS = [
  ['return', 0],
  ['exit', 3],
  ['throw', 1],
] as const;

const PROGRAM = `
  import { once } from 'node:events';
  import { isMainThread, Worker } from 'node:worker_threads';
  import { defineEventSource, event, startSession } from 'tracewright';
  const log = defineEventSource('Other-Runtime', { Hit: event({ n: 'int32' }) });
  if (isMainThread) {
    const { enableDiagnostics, startFlightRecorder } = await import('tracewright/diagnostics');
    const port = enableDiagnostics();
    const recorder = startFlightRecorder({ providers: 'Other-Runtime' });
    const session = startSession({ output: 'session.nettrace', providers: 'Other-Runtime' });
    await once(new Worker(new URL(import.meta.url)), 'exit');
    log.Hit({ n: 1 });
    const { events } = await session.close();
    await recorder.close();
    console.log(JSON.stringify({ hasEvents: events > 0, problems: port.problems ?? [] }));
    if (process.argv[2] === 'exit') process.exit(3);
    if (process.argv[2] === 'throw') throw new Error('Nobody catches this.');
    await port.close();
  } else {
    log.Hit({ n: 2 });
  }`;

describe.skipIf(skipReason !== undefined)(named('another runtime', skipReason), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in installed ? installed.folder : '');
    writeFileSync(join(application.folder, 'app.mjs'), PROGRAM);
  }, 120_000);
  afterAll(() => application?.remove());

  it.each(RUNTIMES.flatMap((runtime) => ENDINGS.map((ending) => [...ending, ...runtime] as const)))(
    '%s with status %i is the end of a program with the package on %s',
    { timeout: 60_000 },
    (ending, status, _, binary, options) => {
      const { folder } = application;
      const path = join(folder, 'node_modules', binary);
      const ended = spawnSync(path, [...options, 'app.mjs', ending], { cwd: folder, encoding: 'utf8' });
      expect(ended).toMatchObject({ status, signal: null });
      expect(JSON.parse(ended.stdout)).toEqual({ hasEvents: true, problems: [] });
      if (ending !== 'throw') expect(ended.stderr).toBe('');
    },
  );
});
