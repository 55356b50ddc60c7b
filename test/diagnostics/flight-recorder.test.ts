/** The flight recorder of a process: by environment variable, at its end, for tools. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiagnosticsClient } from '../../lib/diagnostics/client/diagnostics-client.ts';
import { FLIGHT_RECORDER } from '../../lib/wire/diagnostics-ipc/constants.ts';
import { readSession } from '../eventpipe/session-trace.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { RunningApp } from './running-app.ts';

vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let app: RunningApp | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-flight-'));
});
afterEach(() => {
  app?.kill();
  rmSync(folder, { recursive: true, force: true });
});

function run(program: string, options: object = {}): RunningApp {
  const recorder = JSON.stringify({ providers: 'App', folder, ...options });
  app = new RunningApp(program, { TMPDIR: folder, TRACEWRIGHT_FLIGHT_RECORDER: recorder });
  return app;
}

const LOG = `
  const log = defineEventSource('App', { Tick: event({ n: 'int32' }) });
  const port = enableDiagnostics();`;
const dumps = () => readdirSync(folder).filter((name) => name.endsWith('.nettrace'));

async function numbersIn(bytes: Uint8Array): Promise<unknown[]> {
  const { events } = await readSession(bytes);
  return events.filter(({ provider }) => provider === 'App').map(({ payload }) => payload.n);
}

async function ringOf(address: string, { pid }: RunningApp): Promise<Uint8Array> {
  const session = await DiagnosticsClient.at(address, pid).collectTracing({
    sessionType: 'streaming',
    bufferMegabytes: 1,
    format: 1,
    rundownKeyword: 0n,
    collectsStacks: true,
    bufferMode: 0,
    providers: [{ name: FLIGHT_RECORDER, keywords: 0n, level: 5, arguments: '' }],
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of session.stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the flight recorder of an application', () => {
  it('writes a file when an exception ends the process', async () => {
    const { status, stderr } = await run(
      `${LOG} for (let n = 0; n < 3; n++) log.Tick({ n });
      setTimeout(() => { throw new Error('the end'); });`,
      { uncaughtException: true },
    ).end();
    expect(status).toBe(1);
    expect(stderr).toContain('the end');
    expect(dumps()).toEqual([expect.stringMatching(/^flight-\d+-\d{8}T\d{9}Z-1-exception\.nettrace$/)]);
    expect(await numbersIn(readFileSync(join(folder, dumps()[0] ?? '')))).toEqual([0, 1, 2]);
  });

  it('leaves nothing behind if nothing happens', async () => {
    const ended = await run(`${LOG} log.Tick({ n: 1 });`, {
      uncaughtException: true,
      slow: { '*': 10 },
    }).end();
    expect(ended).toEqual({ status: 0, said: [], stderr: '' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not started by a variable that is not JSON, with a sentence about it', async () => {
    app = new RunningApp(LOG, { TMPDIR: folder, TRACEWRIGHT_FLIGHT_RECORDER: '{' });
    const { status, stderr } = await app.end();
    expect(status).toBe(0);
    expect(stderr).toContain(
      'TRACEWRIGHT_FLIGHT_RECORDER is neither 1 nor the options of a flight recorder: ',
    );
  });

  it.skipIf(missingOnWindows('Unix sockets') !== undefined)(
    named('sends what it has to tools, of all threads', missingOnWindows('Unix sockets')),
    async () => {
      const target = run(`${LOG}
        import { Worker } from 'node:worker_threads';
        log.Tick({ n: 1 });
        const program = \`
          import(${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)})
            .then(({ defineEventSource, event }) => {
              defineEventSource('App', { Tick: event({ n: 'int32' }) }).Tick({ n: 2 });
            });\`;
        new Worker(program, { eval: true }).on('exit', () => {
          log.Tick({ n: 3 });
          say(port.address);
        });
        process.stdin.resume();`);
      const address = (await target.hears()) as string;
      for (let i = 0; i < 3; i++) {
        expect((await numbersIn(await ringOf(address, target))).sort()).toEqual([1, 2, 3]);
      }
      target.tell();
      expect(await target.end()).toMatchObject({ status: 0, stderr: '' });
    },
  );
});
