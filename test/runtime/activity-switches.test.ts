import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedActivities } from '../../lib/activity/shared.ts';
import { currentActivityId, defineEventSource, event, Level, listen, startSession } from '../../lib/index.ts';
import type { WrittenEvent } from '../../lib/listen/written-event.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';
import { linuxOnly, named } from '../platforms.ts';

const source = enableRuntimeEvents();
const log = defineEventSource('Switching-Service', { WorkStart: event(), WorkStop: event() });
const { flow } = sharedActivities();
let observers = 0;
const { observeSwitches } = flow;
flow.observeSwitches = (observer) => {
  observers++;
  const end = observeSwitches.call(flow, observer);
  return () => {
    observers--;
    end();
  };
};
const isObserved = () => observers > 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  expect(isObserved()).toBe(false);
});

function listening(filter?: Parameters<typeof listen>[2]) {
  const events: WrittenEvent[] = [];
  const subscription = listen(source, (written) => void events.push(written), filter);
  ends.push(() => subscription.close());
  return events;
}

function recording(providers: string) {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const session = startSession({ providers, output });
  ends.push(() => session.close());
}

describe('Activity switches', () => {
  it('are observed only for those who ask for their keyword', () => {
    listening();
    listening({ level: Level.Verbose });
    listening({ keywords: RuntimeKeywords.GC });
    expect(isObserved()).toBe(false);
    listening({ keywords: RuntimeKeywords.ActivitySwitches });
    expect(isObserved()).toBe(true);
  });

  it('are not observed for sessions of all events, but for those that name them', () => {
    recording('*');
    recording('Node.Runtime');
    recording('Node.Runtime:10:Verbose');
    expect(isObserved()).toBe(false);
    recording('*,Node.Runtime:10:0');
    expect(isObserved()).toBe(true);
  });

  it('say which activity runs, from the first moment', () => {
    const events = listening({ keywords: RuntimeKeywords.ActivitySwitches });
    const work = listen(log, () => {});
    ends.push(() => work.close());
    const busy = () => burn(0.2);
    busy();
    let id: string | undefined;
    log.activity('Work', {}, () => {
      id = currentActivityId();
      busy();
    });
    busy();
    const switches = events.filter(({ name }) => name === 'ActivitySwitch');
    expect(switches.map(({ activityId }) => activityId)).toEqual([undefined, id, undefined]);
    expect(switches[0]).toMatchObject({ payload: { startedAgoMSec: 0 } });
  });

  it.skipIf(linuxOnly('the CPU time of threads') !== undefined)(
    named(
      'tell CPU time from waiting, with at most one reading per millisecond',
      linuxOnly('the CPU time of threads'),
    ),
    async () => {
      const events = listening({ keywords: RuntimeKeywords.ActivitySwitches });
      const work = listen(log, () => {});
      ends.push(() => work.close());
      const runs: [name: string, run: () => void][] = [
        ['burns', () => burn(60)],
        ['waits', () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)],
      ];
      const ids = new Map<string | undefined, string>();
      for (const [name, run] of runs) {
        await sleep(30);
        log.activity('Work', {}, () => {
          ids.set(currentActivityId(), name);
          run();
        });
      }
      for (let i = 0; i < 200; i++) log.activity('Work', {}, () => burn(0.1));
      const read = events
        .filter(({ name, payload }) => name === 'ActivitySwitch' && payload.threadCpuMSec !== -1)
        .map(({ timestamp, activityId, payload }) => ({ ms: Number(timestamp) / 1e6, activityId, payload }));
      const shares = new Map<string | undefined, number>();
      for (const [i, { ms, activityId, payload }] of read.entries()) {
        const next = read[i + 1];
        if (next === undefined) break;
        const name = ids.get(activityId);
        if (name === undefined || next.ms - ms < 50) continue;
        const cpu = Number(next.payload.threadCpuMSec) - Number(payload.threadCpuMSec);
        shares.set(name, cpu);
        expect(Number(next.payload.loopIdleMSec) - Number(payload.loopIdleMSec)).toBeLessThan(1);
      }
      const wholeMs = (read.at(-1)?.ms ?? 0) - (read[0]?.ms ?? 0);
      expect(read.length).toBeLessThan(wholeMs + 2);
      expect(shares.get('waits')).toBeLessThan(10);
      // A busy machine takes the processor away, but not from the clock.
      expect(shares.get('burns')).toBeGreaterThan(2 * (shares.get('waits') ?? 0));
    },
  );
});

function burn(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}
