/** Several traces as one: order, processes, damage, and bounded memory for spans. */

import { describe, expect, it } from 'vitest';
import { Trace } from '../../../lib/trace/trace.ts';
import type { TraceFormat } from '../../../lib/trace/trace-reader.ts';
import { JoinedSpans } from '../../../lib/view/merge/joined-spans.ts';
import { type MergeInput, openMergedTrace } from '../../../lib/view/merge/merged-trace.ts';
import { TraceActivities } from '../../../lib/view/trace-activities.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { type WrittenEvent, written } from '../written-events.ts';

interface Recording {
  readonly events: readonly WrittenEvent[];
  readonly format?: TraceFormat;
  readonly bootTime?: string;
  /** As in tracewright's own sessions: the boot, and the namespace of process ids. */
  readonly boot?: readonly [id: string, namespace: string];
  /** In milliseconds since 1970. */
  readonly startsAt?: number;
  readonly hasWallTime?: boolean;
  readonly isDamaged?: boolean;
  readonly processNames?: readonly (readonly [number, string])[];
}

/** Counts how many of a test's traces are open. */
let open = 0;

function input(name: string, recording: Recording): MergeInput {
  const {
    events,
    format = 'nettrace',
    bootTime,
    boot: [BootId, PidNamespace] = [],
    startsAt = 0,
    hasWallTime = true,
    isDamaged = false,
  } = recording;
  return {
    name,
    open: async (onDamage) => {
      open++;
      let isOpen = true;
      const close = async () => {
        if (isOpen) open--;
        isOpen = false;
      };
      const reader = {
        info: {
          format,
          startTime: BigInt(startsAt) * 1_000_000n,
          hasWallTime,
          pointerSize: 8,
          properties: {
            ...(bootTime !== undefined && { bootTime }),
            ...(BootId !== undefined && { BootId }),
            ...(PidNamespace !== undefined && { PidNamespace }),
          },
        },
        progress: {
          lostEvents: 1,
          lostBuffers: 0,
          processNames: new Map(recording.processNames),
          bytesRead: 10,
        },
        async *batches() {
          yield events.map(written);
          if (isDamaged) throw new TraceError('truncated', 10, `${name} ends early.`);
        },
      };
      return new Trace({ name, size: 10, close }, reader, onDamage);
    },
  };
}

const log = (at: number, processId = 1): WrittenEvent => ({ name: 'Log', at, processId });

async function read(inputs: readonly MergeInput[]) {
  const trace = await openMergedTrace(inputs);
  const events: string[] = [];
  let problem: unknown;
  try {
    for await (const event of trace) {
      events.push(`${event.processId} ${Number(event.timeSinceStart) / 1e6}`);
    }
  } catch (error) {
    problem = error;
  }
  return { trace, events, problem };
}

describe('events of several traces', () => {
  it('are ordered by their times since 1970, counted from the earliest start', async () => {
    const late = input('late', { events: [log(0, 1), log(10, 1)], startsAt: 1005 });
    const early = input('early', { events: [log(0, 2), log(7, 2)], startsAt: 1000 });
    const { events, trace } = await read([late, early]);
    expect(events).toEqual(['2 0', '1 5', '2 7', '1 15']);
    expect(trace.info.startTime).toBe(1_000_000_000n);
    expect(trace).toMatchObject({ name: 'late, early', size: 20, lostEvents: 2 });
    expect(open).toBe(0);
  });

  it('are as far apart as recorded, even years', async () => {
    const year = 365 * 86_400_000;
    const { events } = await read([
      input('new', { events: [log(0, 1)], startsAt: year }),
      input('old', { events: [log(0, 2), log(5, 2)] }),
    ]);
    expect(events).toEqual(['2 0', '2 5', `1 ${year}`]);
  });

  it('start together if one trace does not contain the time of day', async () => {
    const { events } = await read([
      input('wall', { events: [log(0, 1), log(9, 1)], startsAt: 1_700_000_000_000 }),
      input('uptime', { events: [log(0, 2), log(5, 2)], startsAt: 77_000, hasWallTime: false }),
    ]);
    expect(events).toEqual(['1 0', '2 0', '2 5', '1 9']);
  });

  it('are all delivered if one trace is damaged, and then the damage is reported', async () => {
    const damaged = input('damaged', { events: [log(0, 1)], isDamaged: true });
    const { events, problem } = await read([damaged, input('whole', { events: [log(0, 2), log(9, 2)] })]);
    expect(events).toEqual(['1 0', '2 0', '2 9']);
    expect(problem).toMatchObject({ message: expect.stringContaining('damaged ends early.') });
    expect(open).toBe(0);
  });
});

describe('a process', () => {
  const name = (text: string) => [[1, text]] as const;

  it('on another machine gets another id if its own is taken', async () => {
    const { events, trace } = await read([
      input('a', { events: [log(0)], processNames: name('one') }),
      input('b', { events: [log(1)], processNames: name('other') }),
    ]);
    expect(events).toEqual(['1 0', '10000001 1']);
    expect([...trace.processNames]).toEqual([
      [1, 'one'],
      [10_000_001, 'other'],
    ]);
    expect(trace.inputs.map(({ processIds }) => [...processIds])).toEqual([[], [[1, 10_000_001]]]);
  });

  it('is the same in the files of one recording on Windows', async () => {
    const etl = { format: 'etl', bootTime: '2024-03-28T00:45:12Z' } as const;
    const files = [
      input('a.etl', { ...etl, events: [log(0)] }),
      input('a.kernel.etl', { ...etl, events: [log(1)] }),
    ];
    const { events, trace } = await read(files);
    expect(events).toEqual(['1 0', '1 1']);
    expect(trace.inputs.map(({ clock }) => clock.state)).toEqual(['reference', 'reference']);
  });
});

it('traces of one boot share a clock, and the ids of processes unless they are in different containers', async () => {
  const { events, trace } = await read([
    input('a', { events: [log(0)], boot: ['5f2c', 'pid:[1]'] }),
    input('b', { events: [log(1)], boot: ['5f2c', 'pid:[1]'] }),
    input('c', { events: [log(2)], boot: ['5f2c', 'pid:[2]'] }),
    input('d', { events: [log(3)], boot: ['77aa', 'pid:[1]'] }),
  ]);
  expect(events).toEqual(['1 0', '1 1', '10000001 2', '20000001 3']);
  const states = trace.inputs.map(({ clock }) => clock.state);
  expect(states).toEqual(['reference', 'reference', 'reference', 'unknown']);
});

describe('spans', () => {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
  /** Spread as random ones are. */
  const random = (i: number) => hex(Math.imul(i + 1, 0x9e3779b1) >>> 0, 16);

  /** Joins requests between two clocks, each in a trace of its own. */
  function joined(requests: number, maxSpans: number, clientId: (i: number) => string): number {
    const spans = new JoinedSpans(maxSpans);
    for (const clock of [0, 1]) {
      const tracker = new TraceActivities();
      for (let i = 0; i < requests; i++) {
        const own = clock === 0 ? clientId(i) : `1${random(i).slice(1)}`;
        const payload = {
          traceId: hex(7, 32),
          spanId: own,
          parentSpanId: clock === 0 ? '' : clientId(i),
        };
        for (const end of ['Start', 'Stop']) {
          const event = written({ name: `Call${end}`, id: '//1/1', processId: clock, at: i, payload });
          const change = tracker.add(event);
          if (change !== undefined) spans.add(clock, change, 0);
        }
      }
    }
    return [...spans.requests()].length;
  }

  it('are all joined as long as there is room', () => {
    expect(joined(300, 1000, random)).toBe(300);
  });

  it('beyond the limit are dropped by the ids that join them, so that the others still join', () => {
    const count = joined(5000, 1000, random);
    expect(count).toBeGreaterThan(100);
    expect(count).toBeLessThanOrEqual(500);
  });

  it('are limited even if their ids are all the same', () => {
    expect(joined(5000, 1000, () => hex(1, 16))).toBeLessThanOrEqual(1000);
  });
});
