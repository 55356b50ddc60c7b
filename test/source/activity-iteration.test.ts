/** Activities whose work returns an iterator: the iteration is the work. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ActivityOptions, currentActivityId, defineEventSource, event } from '../../lib/index.ts';
import { Heard } from './heard.ts';

const log = defineEventSource('Iteration-Test', {
  QueryStart: event(),
  QueryStop: event({ success: 'bool', errorMessage: 'string' }),
  CountStart: event(),
  CountStop: event({ rows: 'int32' }),
  StepStart: event(),
  StepStop: event(),
  PlainStart: event({}, { activityOptions: ActivityOptions.Disable }),
  PlainStop: event(),
  Note: event({ text: 'string' }),
});
const note = (text: string) => log.Note({ text });

let heard: Heard;
beforeEach(() => {
  heard = new Heard(log);
});
afterEach(() => {
  heard.close();
});

/** What was heard, notes with their texts. */
const lines = () =>
  heard.events.map(({ name, activityId, payload }) => {
    const path = heard.path(activityId);
    return name === 'Note' ? `${payload.text} ${path}` : `${name} ${path}`;
  });
const stops = () => heard.events.filter(({ name }) => name === 'QueryStop').map(({ payload }) => payload);
const SUCCESS = { success: true, errorMessage: '' };

function* rows() {
  try {
    note('begins');
    yield 'a';
    note('goes on');
    yield 'b';
  } finally {
    note('cleans up');
  }
  return 2;
}
async function* asyncRows() {
  try {
    note('begins');
    await null;
    yield 'a';
    note('goes on');
    await null;
    yield 'b';
  } finally {
    await null;
    note('cleans up');
  }
  return 2;
}

describe.each([
  ['a generator', rows],
  ['an async generator', asyncRows],
  ['a promise of a generator', async () => rows()],
  ['a promise of an async generator', async () => asyncRows()],
])('an activity whose work returns %s', (_, work) => {
  const query = async () => (await log.activity('Query', {}, work as typeof rows)) as Iterable<string>;

  it('runs the body inside, the consumer outside, and stops at the end', async () => {
    for await (const row of await query()) note(`got ${row}`);
    note('after');
    expect(lines()).toEqual([
      'QueryStart 1',
      'begins 1',
      'got a -',
      'goes on 1',
      'got b -',
      'cleans up 1',
      'QueryStop 1',
      'after -',
    ]);
    expect(stops()).toEqual([SUCCESS]);
  });

  it('stops when the loop is abandoned', async () => {
    for await (const row of await query()) {
      note(`got ${row}`);
      break;
    }
    note('after');
    expect(lines()).toEqual(['QueryStart 1', 'begins 1', 'got a -', 'cleans up 1', 'QueryStop 1', 'after -']);
    expect(stops()).toEqual([SUCCESS]);
  });

  it('stops when the consumer throws', async () => {
    const consume = async () => {
      for await (const _ of await query()) throw new Error('enough');
    };
    await expect(consume()).rejects.toThrow('enough');
    expect(lines()).toEqual(['QueryStart 1', 'begins 1', 'cleans up 1', 'QueryStop 1']);
  });

  it("is nested in the consumer's activity, next to others", async () => {
    await log.activity('Step', {}, async () => {
      const [first, second] = [await query(), await query()];
      for await (const row of first) note(`got ${row}`);
      for await (const row of second) note(`got ${row}`);
    });
    expect(lines()).toEqual([
      'StepStart 1',
      'QueryStart 1/1',
      'QueryStart 1/2',
      ...['begins 1/1', 'got a 1', 'goes on 1/1', 'got b 1', 'cleans up 1/1', 'QueryStop 1/1'],
      ...['begins 1/2', 'got a 1', 'goes on 1/2', 'got b 1', 'cleans up 1/2', 'QueryStop 1/2'],
      'StepStop 1',
    ]);
  });
});

describe('a generator', () => {
  it('that throws stops its activity as a failure', () => {
    const failing = log.activity('Query', {}, function* () {
      yield 1;
      throw new Error('no more');
    });
    expect(() => [...failing]).toThrow('no more');
    expect(stops()).toEqual([{ success: false, errorMessage: 'no more' }]);
  });

  it('that catches what is thrown into it continues', () => {
    const patient = log.activity('Query', {}, function* () {
      try {
        yield 1;
      } catch {
        note('caught');
        yield 2;
      }
    });
    patient.next();
    expect(patient.throw(new Error('expected'))).toEqual({ done: false, value: 2 });
    expect(stops()).toEqual([]);
    patient.next();
    expect(lines()).toEqual(['QueryStart 1', 'caught 1', 'QueryStop 1']);
  });

  it('can contain activities of its own', async () => {
    const outer = log.activity('Query', {}, async function* () {
      yield await log.activity('Step', {}, async () => currentActivityId());
      yield* log.activity('Count', {}, { stop: () => ({ rows: 0 }) }, asyncRows);
    });
    for await (const _ of outer);
    expect(heard.lines.filter((line) => line.includes('Start'))).toEqual([
      'QueryStart 1',
      'StepStart 1/1 in 1',
      'CountStart 1/2 in 1',
    ]);
    expect(heard.lines.slice(-2)).toEqual(['CountStop 1/2', 'QueryStop 1']);
  });

  it('passes its return value to the stop option; undefined if it was abandoned', () => {
    const stop = vi.fn((outcome: { success: boolean; value?: number | undefined }) => ({
      rows: outcome.value ?? -1,
    }));
    for (const _ of log.activity('Count', {}, { stop }, rows));
    expect(stop).toHaveBeenLastCalledWith({ success: true, value: 2 });
    for (const _ of log.activity('Count', {}, { stop }, rows)) break;
    expect(stop).toHaveBeenLastCalledWith({ success: true, value: undefined });
  });

  it('of a pair that is not an activity writes its Stop at the end, too', () => {
    for (const row of log.activity('Plain', {}, rows)) note(`got ${row}`);
    expect(lines().at(-1)).toBe('PlainStop -');
  });
});

describe('a handle', () => {
  it('runs the steps of a generator inside its activity, which only it ends', async () => {
    const handle = log.QueryStart();
    for (const row of handle.run(rows)) note(`got ${row}`);
    for await (const row of handle.run(asyncRows)) note(`got ${row}`);
    const inside = ['begins 1', 'got a 1', 'goes on 1', 'got b 1', 'cleans up 1'];
    expect(lines()).toEqual(['QueryStart 1', ...inside, ...inside]);
    handle.stop(SUCCESS);
    expect(lines().at(-1)).toBe('QueryStop 1');
  });

  it('runs them there from elsewhere', async () => {
    const handle = await new Promise<ReturnType<typeof log.QueryStart>>((resolve) => {
      setImmediate(() => resolve(log.QueryStart()));
    });
    for (const row of handle.run(rows)) note(`got ${row}`);
    expect(lines()).toEqual(['QueryStart 1', 'begins 1', 'got a -', 'goes on 1', 'got b -', 'cleans up 1']);
    handle.stop(SUCCESS);
  });
});
