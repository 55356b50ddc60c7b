/** Tools that attach to a process whose main thread does not return to its event loop. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiagnosticsClient } from '../../lib/diagnostics/client/diagnostics-client.ts';
import type { TracingSession } from '../../lib/diagnostics/client/tracing-session.ts';
import { encodeRequest } from '../../lib/wire/diagnostics-ipc/request.ts';
import type { StreamingTracing } from '../../lib/wire/diagnostics-ipc/tracing.ts';
import { itEach } from '../at-length.ts';
import { traceLogStacks } from '../eventpipe/cpu-samples/trace-log-names.ts';
import { readSession } from '../eventpipe/session-trace.ts';
import { linuxOnly, named } from '../platforms.ts';
import { RunningApp } from './running-app.ts';

vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let apps: RunningApp[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-stuck-'));
  apps = [];
});
afterEach(() => {
  for (const app of apps) app.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** It is stuck until the file is there, and then goes on for as long as its standard input. */
const SPINS = `
  import { existsSync } from 'node:fs';
  const log = defineEventSource('App', { Free: event({ n: 'int32' }) });
  say(enableDiagnostics().address);
  function hotLoop(file) {
    let sum = 0;
    while (!existsSync(file)) for (let i = 0; i < 1e6; i++) sum += Math.sqrt(i);
    return sum;
  }
  process.stdin.resume();
  setTimeout(() => {
    say('stuck');
    hotLoop(process.env.FREE);
    say('free');
    setInterval(() => log.Free({ n: 1 }), 10).unref();
  });`;

/** It never comes back. */
const SPIN = `
  say(enableDiagnostics().address);
  function spin() {
    let x = 0;
    for (;;) {
      x = (x * 31 + 7) | 0;
      if (x === 123456789 && performance.now() > 1e12) return x;
    }
  }
  function caller() { return spin(); }
  function outerCaller() { return caller() + 1; }
  setTimeout(() => {
    say('stuck');
    outerCaller();
  });`;

async function stuckApp(program = SPINS): Promise<{ app: RunningApp; client: DiagnosticsClient }> {
  const app = new RunningApp(program, { TMPDIR: folder, FREE: join(folder, 'free') });
  apps.push(app);
  const client = DiagnosticsClient.at((await app.hears()) as string, app.pid);
  await app.hears(2);
  return { app, client };
}

async function free(): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(folder, 'free'), '');
}

const SAMPLES = 'Microsoft-DotNETCore-SampleProfiler';
const tracing = (format: number): StreamingTracing => ({
  sessionType: 'streaming',
  bufferMegabytes: 64,
  format,
  rundownKeyword: 0n,
  collectsStacks: true,
  bufferMode: 0,
  providers: ['App', SAMPLES].map((name) => ({
    name,
    keywords: 0xffff_ffff_ffff_ffffn,
    level: 5,
    arguments: '',
  })),
});

/** Reads a session on and on, in the background. */
class Reading {
  bytes = Buffer.alloc(0);
  readonly ended: Promise<void>;
  #onBytes: () => void = () => {};

  constructor({ stream }: TracingSession) {
    this.ended = this.#read(stream);
  }

  /** The text is in what has come. */
  async has(text: string, encoding: BufferEncoding = 'utf16le'): Promise<void> {
    // At any byte, not at every second one.
    const wanted = Buffer.from(text, encoding);
    while (!this.bytes.includes(wanted)) {
      const more = new Promise<void>((resolve) => {
        this.#onBytes = resolve;
      });
      const isOver = await Promise.race([more.then(() => false), this.ended.then(() => true)]);
      if (isOver && !this.bytes.includes(wanted)) throw new Error(`There is no ${text}.`);
    }
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of stream) {
      this.bytes = Buffer.concat([this.bytes, chunk]);
      this.#onBytes();
    }
  }
}

const FORMATS: [number, number][] = [
  [6, 6],
  [4, 1],
];

describe.skipIf(linuxOnly('interrupts') !== undefined)(
  named('a process that is stuck', linuxOnly('interrupts')),
  () => {
    it('identifies itself', async () => {
      const { app, client } = await stuckApp();
      expect((await client.processInfo()).processId).toBe(BigInt(app.pid));
      await free();
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
    });

    itEach(1, FORMATS)(
      'names what runs, in nettrace %d, and continues the session when it is free',
      async (_, format) => {
        const { app, client } = await stuckApp();
        const session = await client.collectTracing(tracing(format));
        const reading = new Reading(session);
        await reading.has('hotLoop');
        expect(app.said).toHaveLength(2);
        // More than one piece of the profile.
        await sleep(2500);
        await free();
        await reading.has('Free', format === 1 ? 'utf16le' : 'utf8');
        await session.stop();
        await reading.ended;
        const { trace, events } = await readSession(reading.bytes);
        const names = events.map(({ provider, name }) => `${provider}/${name}`);
        expect(names[0]).toBe('Node.Runtime/MainThreadStuck');
        expect(names).toContain('App/Free');
        const samples = events.filter(
          ({ provider, threadId }) => provider === SAMPLES && threadId === app.pid,
        );
        expect(samples.length).toBeGreaterThan(10);
        expect(traceLogStacks(events).flat()).not.toContain('?');
        expect(trace.lostEvents).toBe(0);
        app.tell();
        expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
      },
    );

    it('has no event of the thread that stands in for it', async () => {
      // Whatever wrote one would have interrupted the writing of another.
      const auto = new URL('../../dist/auto/index.js', import.meta.url);
      const program = `await import(${JSON.stringify(auto)});
        const log = defineEventSource('App', { Free: event({ n: 'int32' }) });
        say(enableDiagnostics().address);
        process.stdin.once('data', () => {
          say('stuck');
          const end = performance.now() + 4000;
          for (let n = 0; performance.now() < end; n++) if (n % 1000 === 0) log.Free({ n });
          say('free');
        });`;
      const app = new RunningApp(program, { TMPDIR: folder });
      apps.push(app);
      const client = DiagnosticsClient.at((await app.hears()) as string, app.pid);
      const providers = ['App', 'Node.Process'].map((name) => ({
        name,
        keywords: 0n,
        level: 5,
        arguments: '',
      }));
      const session = await client.collectTracing({ ...tracing(6), providers });
      const reading = new Reading(session);
      app.tell();
      await app.hears(2);
      // The thread stands in as soon as somebody waits.
      await client.processInfo();
      expect(app.said).toHaveLength(2);
      await reading.ended;
      expect(await app.end()).toMatchObject({ status: 0, said: [expect.any(String), 'stuck', 'free'] });
      const { events } = await readSession(reading.bytes);
      expect(new Set(events.map(({ provider, name }) => `${provider}/${name}`))).toEqual(
        new Set(['App/Free']),
      );
    });

    it('names the function of one small loop, in each piece of the profile', async () => {
      const { app, client } = await stuckApp(SPIN);
      // V8 has replaced the loop by optimized code.
      await sleep(1500);
      const session = await client.collectTracing(tracing(1));
      const reading = new Reading(session);
      await reading.has('spin');
      await sleep(3000);
      await session.stop();
      await reading.ended;
      app.kill();
      const { events } = await readSession(reading.bytes);
      const stacks = traceLogStacks(events);
      // Until the code before the session is discarded, V8 does not know it.
      for (const third of [stacks.slice(100), stacks.slice(-100)]) {
        const named = third.filter(([leaf]) => leaf === 'spin').length;
        expect(named / third.length).toBeGreaterThan(0.85);
      }
      expect(stacks.findLast(([leaf]) => leaf === 'spin')?.slice(0, 3)).toEqual([
        'spin',
        'caller',
        'outerCaller',
      ]);
    });

    it('ends a session while it is stuck', async () => {
      const { client } = await stuckApp();
      const session = await client.collectTracing(tracing(1));
      const reading = new Reading(session);
      await reading.has('hotLoop');
      await session.stop();
      await reading.ended;
      const { events } = await readSession(reading.bytes);
      expect(events.length).toBeGreaterThan(10);
    });

    it('answers everything else when it is free', async () => {
      const { app, client } = await stuckApp();
      let isResumed = false;
      const resumed = client.resumeRuntime().then(() => {
        isResumed = true;
      });
      await client.processInfo();
      expect(isResumed).toBe(false);
      await free();
      await resumed;
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
    });

    it('is not harmed by clients that say nothing, or half of it, and serves them when it is free', async () => {
      const { app, client } = await stuckApp();
      const request = encodeRequest({ command: 'ProcessInfo', version: 1 });
      const address = (await app.hears()) as string;
      const clients = await Promise.all(
        [0, 1, request.length - 1].map(async (size) => {
          const socket = connect(address);
          await once(socket, 'connect');
          socket.write(request.subarray(0, size));
          return { socket, rest: request.subarray(size) };
        }),
      );
      // The one that stands in for the process has accepted them before this one.
      await client.processInfo();
      await free();
      await app.hears(3);
      for (const { socket, rest } of clients) {
        socket.write(rest);
        const [reply] = (await once(socket, 'data')) as [Buffer];
        expect(reply.toString('latin1', 0, 13)).toBe('DOTNET_IPC_V1');
        socket.destroy();
      }
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
    });

    it('can exit while a tool watches it', async () => {
      const { app, client } = await stuckApp(`${SPINS.replace("say('free');", 'process.exit(3);')}`);
      const session = await client.collectTracing(tracing(1));
      const reading = new Reading(session);
      await reading.has('hotLoop');
      await free();
      expect(await app.end()).toMatchObject({ status: 3, stderr: '' });
      await reading.ended;
    });

    it('serves as usual once it is free, and when it is stuck again', async () => {
      const { app, client } = await stuckApp(
        SPINS.replace("say('free');", "say('free'); process.stdin.once('end', () => {});"),
      );
      await client.processInfo();
      await free();
      await app.hears(3);
      for (let i = 0; i < 5; i++) {
        expect((await client.processInfo()).processId).toBe(BigInt(app.pid));
      }
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
    });
  },
);
