/** The flight recorder: what is in its files, and what has them written. */
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FlightRecorderOptions } from '../../lib/flight/flight-options.ts';
import { type FlightRecorder, startFlightRecorder } from '../../lib/flight/flight-recorder.ts';
import { defineEventSource, event, Level } from '../../lib/index.ts';
import { readSession } from '../eventpipe/session-trace.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.mjs';

const log = defineEventSource('Test-Flight', {
  Small: event({ n: 'uint32', text: 'string' }),
  Broken: event({ n: 'uint32' }, { level: Level.Error }),
  RequestStart: event({ n: 'uint32' }),
  RequestStop: event({ success: 'bool' }),
  AnswerStart: event({}),
  AnswerStop: event({ statusCode: 'int32' }),
});

let folder: string;
let recorder: FlightRecorder | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-flight-'));
});
afterEach(async () => {
  await recorder?.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(options: FlightRecorderOptions = {}): FlightRecorder {
  recorder = startFlightRecorder({ providers: 'Test-Flight', folder, ...options });
  return recorder;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function dumped(wanted: FlightRecorder, count = 1): Promise<void> {
  while (wanted.dumps.length < count) await sleep(5);
}

async function numbersIn(file: string): Promise<number[]> {
  const { events, trace } = await readSession(readFileSync(file));
  expect(trace.lostEvents).toBe(0);
  return events.filter(({ provider }) => provider === 'Test-Flight').map(({ payload }) => Number(payload.n));
}

describe.each([4, 6] as const)('a file of a flight recorder, nettrace %d,', (nettraceVersion) => {
  it('contains the events up to now, and identifies their process', async () => {
    const flight = start({ nettraceVersion });
    for (let n = 0; n < 10; n++) log.Small({ n, text: 'x' });
    const { file, events, trigger } = await flight.dump('The test asks.');
    expect([events, trigger]).toEqual([10, 'dump']);
    expect(await numbersIn(file)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const { events: all } = await readSession(readFileSync(file));
    expect(all.at(-1)?.provider).toBe('Microsoft-DotNETCore-EventPipe');
  });

  it('ends with the state of what its sources report on', async () => {
    const flight = start({ nettraceVersion });
    using stateful = defineEventSource('Test-Flight', { QueueDCStop: event({ n: 'uint32' }, { opcode: 4 }) });
    stateful.onStateRequest(({ kind }) => {
      if (kind === 'stop') stateful.QueueDCStop({ n: 7 });
    });
    log.Small({ n: 1, text: '' });
    expect(await numbersIn((await flight.dump()).file)).toEqual([1, 7]);
    log.Small({ n: 2, text: '' });
    expect(await numbersIn((await flight.dump()).file)).toEqual([1, 7, 2, 7]);
  });

  it('contains the newest events if not all fit, with everything they refer to', async () => {
    const flight = start({ nettraceVersion, maxBytes: 0.25 * 2 ** 20 });
    const count = 20_000;
    for (let n = 0; n < count; n++) {
      log.activity('Request', { n }, () => log.Small({ n, text: 'x'.repeat(20) }));
      if (n % 500 === 499) await sleep(1);
    }
    // Several sections: each flush ends one.
    while (flight.bytes > 0.5 * 2 ** 20) await sleep(20);
    for (let n = count; n < count + 10; n++) log.Small({ n, text: 'x' });
    const { file, bytes, events } = await flight.dump();
    expect(bytes).toBeLessThan(2 * 2 ** 20);
    expect(events).toBeLessThan(3 * count);
    const { events: all } = await readSession(readFileSync(file));
    const small = all.filter(({ name }) => name === 'Small');
    expect(small.slice(-10).map(({ payload }) => payload.n)).toEqual(
      Array.from({ length: 10 }, (_, i) => count + i),
    );
    const inActivities = small.slice(0, -10);
    expect(inActivities.every(({ activityId }) => activityId !== undefined)).toBe(true);
  });

  it('can be written repeatedly', async () => {
    const flight = start({ nettraceVersion });
    for (let n = 0; n < 5; n++) {
      log.Small({ n, text: 'x' });
      await flight.dump();
    }
    const files = flight.dumps.map(({ file }) => file);
    expect(readdirSync(folder).sort()).toEqual(files.map((file) => file.slice(folder.length + 1)).sort());
    expect(await Promise.all(files.map(async (file) => (await numbersIn(file)).length))).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });
});

describe('a flight recorder', () => {
  it('drops what is older than its seconds', async () => {
    const flight = start({ maxAgeMs: 200 });
    log.Small({ n: 1, text: 'old' });
    await flight.dump();
    do await sleep(50);
    while ((await flight.dump()).events > 0);
    log.Small({ n: 2, text: 'new' });
    expect(await numbersIn((await flight.dump()).file)).toEqual([2]);
  });

  it('contains named stacks of what ran, if it samples', async () => {
    const flight = start({ cpu: true });
    function hotFunction(): number {
      let sum = 0;
      for (let i = 0; i < 5e6; i++) sum += Math.sqrt(i);
      return sum;
    }
    const until = performance.now() + 300;
    while (performance.now() < until) hotFunction();
    const { file } = await flight.dump();
    const { events } = await readSession(readFileSync(file));
    expect(events.some(({ stack }) => (stack?.length ?? 0) > 0)).toBe(true);
    expect(readFileSync(file).includes(Buffer.from('hotFunction', 'utf16le'))).toBe(true);
  });

  it('removes its oldest files if there are too many', async () => {
    const flight = start({ maxDiskBytes: 0.002 * 2 ** 20 });
    for (let n = 0; n < 10; n++) await flight.dump();
    const { length } = readdirSync(folder);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(10);
    expect(readdirSync(folder)).toContain(flight.dumps.at(-1)?.file.slice(folder.length + 1));
  });

  it('rejects invalid options with a sentence', () => {
    const startWith = (options: object) => () => startFlightRecorder(options as FlightRecorderOptions);
    expect(startWith({ second: 1 })).toThrow(/^A flight recorder has no option "second"; the options are /);
    expect(startWith({ heap: 2 })).toThrow(
      "A flight recorder's heap must be a number between 0 and 1, not 2.",
    );
    for (const options of [[], null, 5]) {
      expect(startWith(options as never)).toThrow(
        /^The options of a flight recorder must be an object, .* not /,
      );
    }
    expect(startWith({ slow: { Request: 'p99' } })).toThrow(/^A flight recorder's slow must be limits/);
  });

  it.skipIf(noSmallDisk !== undefined)(
    named('leaves nothing on a disk that is full, and has all of it when there is room', noSmallDisk),
    async () => {
      const disk = new SmallDisk(folder, '64k');
      const own = openSync('/dev/null', 'w');
      const identity = fstatSync(own).ino;
      try {
        const flight = start();
        const count = 20_000;
        for (let n = 0; n < count; n++) log.Small({ n, text: 'x'.repeat(20) });
        for (let attempt = 0; attempt < 3; attempt++) {
          await expect(flight.dump()).rejects.toThrow(/\.nettrace cannot be written \(ENOSPC\)\.$/);
          expect(readdirSync(folder)).toEqual([]);
        }
        disk.resize('8m');
        const { file, events } = await flight.dump();
        expect(events).toBe(count);
        expect(await numbersIn(file)).toEqual(Array.from({ length: count }, (_, n) => n));
        // The application's own descriptor is still its own.
        expect(fstatSync(own).ino).toBe(identity);
      } finally {
        closeSync(own);
        disk.remove();
      }
    },
  );

  it('rejects if the file cannot be written, and continues', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const flight = start({ folder: join(folder, 'none') });
    // Said at once, and not only when a file is needed.
    expect(warned).toHaveBeenCalledWith(
      expect.stringMatching(
        /^The flight recorder cannot write a file: .*none\S+ cannot be written \(ENOENT\)\./,
      ),
      'TracewrightWarning',
    );
    await expect(flight.dump()).rejects.toThrow('ENOENT');
    expect(flight.dumps).toEqual([]);
  });
});

describe('a flight recorder writes a file', () => {
  it('when an activity takes too long, and no other', async () => {
    const flight = start({ slow: { Request: 50 } });
    log.activity('Request', { n: 1 }, () => {});
    await log.activity('Request', { n: 2 }, () => sleep(60));
    await dumped(flight);
    expect(flight.dumps[0]).toMatchObject({
      trigger: 'slow',
      details: expect.stringMatching(/^Request took \d+\.\d ms\.$/),
    });
    expect(flight.dumps[0]?.events).toBe(4);
  });

  it('when an activity takes a multiple of the usual time', async () => {
    const flight = start({ slow: { '*': { timesP99: 1000 } } });
    for (let n = 0; n < 400; n++) log.activity('Request', { n }, () => {});
    expect(flight.dumps).toEqual([]);
    await log.activity('Request', { n: 400 }, () => sleep(300));
    await dumped(flight);
    expect(flight.dumps[0]?.trigger).toBe('slow');
  });

  it('when an activity fails', async () => {
    const flight = start({ failure: true });
    log.activity('Request', { n: 1 }, () => {});
    await log
      .activity('Request', { n: 2 }, async () => {
        throw new Error('expected');
      })
      .catch(() => {});
    await dumped(flight);
    expect(flight.dumps[0]).toMatchObject({ trigger: 'failure', details: 'Request has failed.' });
  });

  it('when a request is answered with an error of the server', async () => {
    const flight = start({ failure: true });
    const answer = (statusCode: number) =>
      log.activity('Answer', {}, { stop: () => ({ statusCode }) }, () => {});
    answer(404);
    expect(flight.skipped + flight.dumps.length).toBe(0);
    answer(502);
    await dumped(flight);
    expect(flight.dumps[0]).toMatchObject({ trigger: 'failure', details: 'Answer has failed.' });
  });

  it('on an error, once for many', async () => {
    const flight = start({ error: true });
    for (let n = 0; n < 100; n++) log.Broken({ n });
    await dumped(flight);
    log.Broken({ n: 100 });
    expect(flight.skipped).toBe(1);
    expect(await numbersIn(flight.dumps[0]?.file ?? '')).toHaveLength(100);
  });

  it('when the event loop is blocked', async () => {
    const flight = start({ eventLoopDelayMs: 100 });
    await sleep(50);
    const until = performance.now() + 250;
    while (performance.now() < until);
    await dumped(flight);
    expect(flight.dumps[0]).toMatchObject({ trigger: 'event-loop' });
  });

  it.skipIf(missingOnWindows('signals') !== undefined)(
    named('when a signal comes', missingOnWindows('signals')),
    async () => {
      const flight = start({ signal: 'SIGUSR2' });
      process.kill(process.pid, 'SIGUSR2');
      await dumped(flight);
      expect(flight.dumps[0]).toMatchObject({ trigger: 'signal', details: 'The process received SIGUSR2.' });
    },
  );
});
