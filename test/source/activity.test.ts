/** Activities as an application writes them: scopes, handles, bare Starts and Stops, and their options. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ActivityOptions,
  BadValueError,
  currentActivityId,
  DefinitionError,
  defineEventSource,
  event,
  Level,
  listen,
  Opcode,
  type Outcome,
} from '../../lib/index.ts';
import { Heard } from './heard.ts';

const log = defineEventSource('Activity-Test', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  QueryStart: event(),
  QueryStop: event({ rows: 'int32' }),
  StepStart: event({}, { activityOptions: ActivityOptions.Recursive }),
  StepStop: event(),
  JobStart: event({}, { activityOptions: ActivityOptions.Detachable }),
  JobStop: event(),
  PlainStart: event({}, { activityOptions: ActivityOptions.Disable }),
  PlainStop: event(),
  QuietStart: event(),
  QuietStop: event({}, { level: Level.Verbose }),
  Note: event({ text: 'string' }),
});
const note = (text: string) => log.Note({ text });
const URL = { url: '/' };
const G1 = '11111111-2222-3333-4444-555555555555';
const G2 = '99999999-2222-3333-4444-555555555555';

let heard: Heard;
beforeEach(() => {
  heard = new Heard(log);
});
afterEach(() => {
  heard.close();
});
const payloadOf = (name: string) => heard.events.find((written) => written.name === name)?.payload;

describe("an activity's member of the source", () => {
  it('runs work as activity() does', async () => {
    const result = log.Request.run(URL, async () => {
      note('inside');
      return 42;
    });
    expect(await result).toBe(42);
    expect(heard.lines).toEqual(['RequestStart 1', 'Note 1', 'RequestStop 1']);
    expect(payloadOf('RequestStop')).toEqual({ success: true, errorMessage: '' });
  });

  it('accepts a parent, and the contents of the Stop event', () => {
    const stop = (outcome: Outcome<number>) => ({ rows: outcome.success ? outcome.value : -1 });
    expect(log.Query.run({}, { parent: G1, stop }, () => 5)).toBe(5);
    expect(payloadOf('QueryStop')).toEqual({ rows: 5 });
    expect(heard.events[0]?.relatedActivityId).toBe(G1);
  });

  it('only runs the work while nothing listens, and counts writes after the source is closed', () => {
    const source = defineEventSource('Activity-Scope', { JobStart: event(), JobStop: event() });
    const { run } = source.Job;
    expect(run({}, () => currentActivityId())).toBeUndefined();
    source.close();
    expect(run({}, () => 1)).toBe(1);
    expect(source.stats().dropped).toMatchObject({ closed: 2 });
  });

  it('does not exist if an event, or a member of the source, has the same name', () => {
    const source = defineEventSource('Activity-Shadowed', {
      Job: event(),
      JobStart: event(),
      JobStop: event(),
      statsStart: event(),
      statsStop: event(),
    });
    const all = new Heard(source);
    source.Job();
    source.activity('Job', {}, () => {});
    expect(source.stats().written).toBe(0);
    expect(all.lines).toEqual(['Job -', 'JobStart 1', 'JobStop 1']);
    all.close();
  });

  it('is not enumerated with the names of events', () => {
    expect(Object.keys(log)).not.toContain('Request');
    expect(Object.keys(log).slice(0, 3)).toEqual(['RequestStart', 'RequestStop', 'QueryStart']);
  });
});

describe('activity()', () => {
  it('writes Start and Stop around the work, returns its result, and does not move the caller', () => {
    expect(
      log.activity('Request', URL, () => {
        note('inside');
        return 42;
      }),
    ).toBe(42);
    note('after');
    expect(heard.lines).toEqual(['RequestStart 1', 'Note 1', 'RequestStop 1', 'Note -']);
    expect(payloadOf('RequestStop')).toEqual({ success: true, errorMessage: '' });
  });

  it('stops when a promise is fulfilled, and returns one with its value', async () => {
    const work = async () => {
      note('first');
      await null;
      note('second');
      return 'done';
    };
    const promise = log.activity('Request', URL, work);
    note('meanwhile');
    expect(await promise).toBe('done');
    note('after');
    expect(heard.lines).toEqual(['RequestStart 1', 'Note 1', 'Note -', 'Note 1', 'RequestStop 1', 'Note -']);
  });

  it('stops when the work throws, and rethrows', () => {
    const error = new RangeError('too far');
    expect(() =>
      log.activity('Request', URL, () => {
        throw error;
      }),
    ).toThrow(error);
    note('after');
    expect(heard.lines).toEqual(['RequestStart 1', 'RequestStop 1', 'Note -']);
    expect(payloadOf('RequestStop')).toEqual({ success: false, errorMessage: 'too far' });
  });

  it('stops when a promise is rejected, and rejects with the same reason', async () => {
    const error = new RangeError('too far');
    const promise = log.activity('Request', URL, () => Promise.reject(error));
    await expect(promise).rejects.toBe(error);
    expect(heard.lines).toEqual(['RequestStart 1', 'RequestStop 1']);
    expect(payloadOf('RequestStop')).toEqual({ success: false, errorMessage: 'too far' });
  });

  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [Object.create(null), '[Object: null prototype] {}'],
  ])('stops when %o is thrown', (thrown, errorMessage) => {
    try {
      log.activity('Request', URL, () => {
        throw thrown;
      });
      expect.unreachable();
    } catch (error) {
      expect(error).toBe(thrown);
    }
    expect(payloadOf('RequestStop')).toEqual({ success: false, errorMessage });
  });

  it('treats a thenable as a value, and as a promise if the work is async', async () => {
    const then = vi.fn((onValue: (value: number) => unknown) => queueMicrotask(() => onValue(7)));
    const thenable = { then };
    expect(log.activity('Request', URL, () => thenable)).toBe(thenable);
    expect(heard.lines).toEqual(['RequestStart 1', 'RequestStop 1']);
    expect(then).not.toHaveBeenCalled();
    const promise = log.activity('Request', URL, async () => thenable);
    expect(heard.lines.slice(2)).toEqual(['RequestStart 2']);
    expect(await promise).toBe(7);
    expect(heard.lines.slice(2)).toEqual(['RequestStart 2', 'RequestStop 2']);
    expect(then).toHaveBeenCalledOnce();
  });

  it('takes the Stop payload from the stop option', async () => {
    const stop = vi.fn(({ success }: { success: boolean }) => ({ rows: success ? 3 : -1 }));
    expect(log.activity('Query', {}, { stop }, () => 'rows')).toBe('rows');
    expect(stop).toHaveBeenLastCalledWith({ success: true, value: 'rows' });
    await log.activity('Query', {}, { stop }, async () => 'rows');
    expect(stop).toHaveBeenLastCalledWith({ success: true, value: 'rows' });
    const error = new Error('no');
    await expect(log.activity('Query', {}, { stop }, () => Promise.reject(error))).rejects.toBe(error);
    expect(stop).toHaveBeenLastCalledWith({ success: false, error });
    expect(heard.events.filter(({ name }) => name === 'QueryStop').map(({ payload }) => payload)).toEqual([
      { rows: 3 },
      { rows: 3 },
      { rows: -1 },
    ]);
  });

  it('ends the activity even if the stop option throws, which affects nobody', () => {
    const stop = () => {
      throw new Error('no stop payload');
    };
    expect(log.activity('Query', {}, { stop }, () => 1)).toBe(1);
    note('after');
    expect(heard.lines).toEqual(['QueryStart 1', 'Note -']);
    expect(log.stats().dropped).toEqual({ payloadThrew: 1 });
    expect(log.status.problems).toContain(
      'Activity-Test.QueryStop: reading the payload threw Error: no stop payload',
    );
  });

  it('nests, with the id of its parent', () => {
    log.activity('Request', URL, () => {
      log.activity('Step', {}, () => note('deep'));
      log.activity('Step', {}, () => {});
    });
    expect(heard.lines).toEqual([
      'RequestStart 1',
      'StepStart 1/1 in 1',
      'Note 1/1',
      'StepStop 1/1',
      'StepStart 1/2 in 1',
      'StepStop 1/2',
      'RequestStop 1',
    ]);
  });

  it('only does the work while nothing listens', () => {
    heard.close();
    const makePayload = vi.fn(() => URL);
    const stop = vi.fn(() => ({ rows: 0 }));
    const result = {};
    expect(log.activity('Request', makePayload, () => result)).toBe(result);
    expect(log.activity('Query', {}, { stop }, () => result)).toBe(result);
    const promise = Promise.resolve();
    expect(log.activity('Request', URL, () => promise)).toBe(promise);
    expect(makePayload).not.toHaveBeenCalled();
    expect(stop).not.toHaveBeenCalled();
  });

  it('runs the work of an unknown activity, and says so', () => {
    const source = defineEventSource('Activity-Typo', { WorkStart: event(), WorkStop: event() });
    const activity = source.activity as unknown as (
      name: string,
      payload: object,
      work: () => number,
    ) => number;
    expect(activity('Wrok', {}, () => 7)).toBe(7);
    expect(source.stats().badValues).toBe(1);
    expect(source.status.problems).toEqual([
      "Activity-Typo: the activity 'Wrok' does not exist; the activities are: Work. The work ran without it.",
    ]);
  });

  it('throws for an unknown activity in development', () => {
    const events = { WorkStart: event(), WorkStop: event() };
    const source = defineEventSource('Activity-Typo', events, { throwOnErrors: true });
    const activity = source.activity as unknown as (name: string, payload: object, work: () => void) => void;
    expect(() => activity('constructor', {}, () => {})).toThrow(
      new DefinitionError(
        'Activity-Typo',
        "the activity 'constructor' does not exist; the activities are: Work.",
      ),
    );
  });

  it('fills no outcome fields that the Stop event does not have', () => {
    const source = defineEventSource('Activity-Outcome', {
      PlainStart: event(),
      PlainStop: event(),
      HalfStart: event(),
      HalfStop: event({ success: 'bool' }),
    });
    const payloads: unknown[] = [];
    listen(source, (written) => written.opcode === Opcode.Stop && payloads.push(written.payload));
    source.activity('Plain', {}, () => {});
    source.activity('Half', {}, () => {});
    expect(payloads).toEqual([{}, { success: true }]);
  });

  it('returns a handle, without an activity, for a pair whose opcodes do not match', () => {
    const source = defineEventSource('Activity-Info', {
      ColdStart: event({}, { opcode: Opcode.Info }),
      ColdStop: event({}, { opcode: Opcode.Info }),
    });
    const written: [string, string | undefined][] = [];
    listen(source, ({ name, activityId }) => written.push([name, activityId]));
    source.ColdStart().stop();
    source.activity('Cold', {}, () => source.ColdStop());
    const names = ['ColdStart', 'ColdStop', 'ColdStart', 'ColdStop', 'ColdStop'];
    expect(written).toEqual(names.map((name) => [name, undefined]));
  });

  it('that is disabled writes its events without an activity', () => {
    log.activity('Request', URL, () => {
      log.activity('Plain', {}, () => note('inside'));
    });
    expect(heard.lines).toEqual(['RequestStart 1', 'PlainStart 1', 'Note 1', 'PlainStop 1', 'RequestStop 1']);
  });
});

describe('a bare Start and Stop', () => {
  it('contain what is written between them in their activity', () => {
    note('before');
    log.RequestStart(URL);
    note('inside');
    log.RequestStop({ success: true, errorMessage: '' });
    note('after');
    expect(heard.lines).toEqual(['Note -', 'RequestStart 1', 'Note 1', 'RequestStop 1', 'Note -']);
  });

  it('stop what was started between them and not stopped', () => {
    log.RequestStart(URL);
    log.QueryStart();
    log.RequestStop({ success: true, errorMessage: '' });
    log.QueryStop({ rows: 0 });
    expect(heard.lines).toEqual(['RequestStart 1', 'QueryStart 1/1 in 1', 'RequestStop 1', 'QueryStop -']);
  });

  it('with the same name again treat the first as forgotten', () => {
    log.RequestStart(URL);
    log.RequestStart(URL);
    log.RequestStop({ success: true, errorMessage: '' });
    note('after');
    expect(heard.lines).toEqual(['RequestStart 1', 'RequestStart 2', 'RequestStop 2', 'Note -']);
  });

  it('that are Recursive nest', () => {
    log.StepStart();
    log.StepStart();
    log.StepStop();
    log.StepStop();
    log.StepStop();
    expect(heard.lines).toEqual([
      'StepStart 1',
      'StepStart 1/1 in 1',
      'StepStop 1/1',
      'StepStop 1',
      'StepStop -',
    ]);
  });

  it('that are Detachable outlive the activity in which they were started', () => {
    log.RequestStart(URL);
    log.JobStart();
    log.RequestStop({ success: true, errorMessage: '' });
    note('the job goes on');
    log.JobStop();
    note('after');
    expect(heard.lines).toEqual([
      'RequestStart 1',
      'JobStart 1/1 in 1',
      'RequestStop 1',
      'Note 1/1',
      'JobStop 1/1',
      'Note -',
    ]);
  });

  it('that are disabled are ordinary events', () => {
    const handle = log.PlainStart();
    note('inside');
    log.PlainStop();
    expect(handle.id).toBeUndefined();
    expect(heard.lines).toEqual(['PlainStart -', 'Note -', 'PlainStop -']);
  });

  it('nest at most 101 levels deep; anything deeper belongs to the last', () => {
    const handles = Array.from({ length: 103 }, () => log.StepStart());
    expect(handles.filter(({ id }) => id !== undefined)).toHaveLength(101);
    expect(heard.events.at(-1)?.activityId).toBe(handles[100]?.id);
    expect(heard.events.at(-1)?.relatedActivityId).toBeUndefined();
    for (const handle of handles.reverse()) handle.stop();
    note('after');
    expect(heard.lines.at(-1)).toBe('Note -');
  });

  it('can be paired by their task', () => {
    const tasks = defineEventSource('Activity-Test-Tasks', {
      Begin: event({}, { opcode: Opcode.Start, task: 5 }),
      End: event({}, { opcode: Opcode.Stop, task: 5 }),
      Note: event(),
    });
    const heardTasks = new Heard(tasks);
    tasks.Begin();
    tasks.Note();
    tasks.End();
    tasks.Note();
    heardTasks.close();
    expect(heardTasks.lines).toEqual(['Begin 1', 'Note 1', 'End 1', 'Note -']);
  });
});

describe('a handle', () => {
  it("knows its activity's id", () => {
    const handle = log.RequestStart(URL);
    expect(handle.id).toBe(heard.events[0]?.activityId);
    expect(currentActivityId()).toBe(handle.id);
    handle.stop({ success: true, errorMessage: '' });
    expect(currentActivityId()).toBeUndefined();
  });

  it('that has stopped puts the next Start next to its activity, not inside', () => {
    const handle = log.RequestStart(URL);
    log.QueryStart().stop({ rows: 0 });
    log.StepStart().stop();
    handle.stop({ success: true, errorMessage: '' });
    log.QueryStart().stop({ rows: 0 });
    expect(heard.lines.filter((line) => line.includes('Start'))).toEqual([
      'RequestStart 1',
      'QueryStart 1/1 in 1',
      'StepStart 1/2 in 1',
      'QueryStart 2',
    ]);
  });

  it('stops its activity from any context', async () => {
    let handle: ReturnType<typeof log.RequestStart> | undefined;
    await new Promise<void>((resolve) => {
      setImmediate(() => {
        handle = log.RequestStart(URL);
        resolve();
      });
    });
    log.activity('Step', {}, () => {
      handle?.stop({ success: true, errorMessage: '' });
      note('still in the step');
    });
    expect(heard.lines).toEqual(['RequestStart 1', 'StepStart 2', 'RequestStop 1', 'Note 2', 'StepStop 2']);
  });

  it('stops its activity and everything started in it, once; a second stop is an ordinary event', () => {
    const handle = log.QueryStart();
    log.activity('Step', {}, () => {
      handle.stop({ rows: 1 });
      handle.stop({ rows: 2 });
    });
    expect(heard.lines).toEqual([
      'QueryStart 1',
      'StepStart 1/1 in 1',
      'QueryStop 1',
      'QueryStop -',
      'StepStop 1/1',
    ]);
  });

  it('runs work, and everything that causes, inside its activity, wherever it is called', async () => {
    const handle = log.QueryStart();
    const { id } = handle;
    await new Promise<void>((resolve) => setImmediate(resolve));
    log.RequestStart(URL).run(() => {
      expect(handle.run(() => currentActivityId())).toBe(id);
    });
    const later = handle.run(async () => {
      await null;
      return currentActivityId();
    });
    handle.run(() => note('in the query'));
    expect(heard.lines.at(-1)).toBe('Note 1');
    expect(await later).toBe(id);
    log.QueryStop({ rows: 0 });
    // Of an activity that has ended: in the one around it.
    expect(handle.run(() => currentActivityId())).toBeUndefined();
  });

  it('stops as a success when the block that owns it ends', () => {
    const handle = log.RequestStart(URL);
    handle[Symbol.dispose]();
    expect(payloadOf('RequestStop')).toEqual({ success: true, errorMessage: '' });
    expect(currentActivityId()).toBeUndefined();
  });

  it('of a disabled start does nothing until somebody wants the stop', () => {
    heard.close();
    const handle = log.QueryStart();
    expect(handle.id).toBeUndefined();
    expect(handle.run(() => 5)).toBe(5);
    handle.stop({ rows: 1 });
    heard = new Heard(log);
    handle.stop({ rows: 2 });
    expect(heard.lines).toEqual(['QueryStop -']);
  });

  it('ends its activity even if nobody wants the Stop event', () => {
    heard.close();
    const subscription = listen(log, () => {}, { level: Level.Informational });
    const handle = log.QuietStart();
    expect(currentActivityId()).toBe(handle.id);
    handle.stop();
    expect(currentActivityId()).toBeUndefined();
    subscription.close();
  });
});

describe('explicit ids', () => {
  it('replace those of the activity', () => {
    log.activity('Request', URL, () => {
      log.Note({ text: 'x' }, { activityId: G1 });
      log.Note({ text: 'x' }, { relatedActivityId: G2 });
    });
    expect(heard.lines.slice(1, 3)).toEqual([`Note ${G1}`, `Note 1 in ${G2}`]);
  });

  it('make a Start and a Stop ordinary events, as in .NET', () => {
    const handle = log.QueryStart(undefined, { activityId: G1 });
    expect(handle.id).toBeUndefined();
    note('not inside');
    log.QueryStop({ rows: 0 }, { activityId: G1 });
    log.RequestStart(URL);
    log.QueryStart({}, { relatedActivityId: G2 });
    log.RequestStop({ success: true, errorMessage: '' }, { relatedActivityId: G2 });
    note('inside');
    log.RequestStop({ success: true, errorMessage: '' });
    expect(heard.lines).toEqual([
      `QueryStart ${G1}`,
      'Note -',
      `QueryStop ${G1}`,
      'RequestStart 1',
      `QueryStart 1 in ${G2}`,
      `RequestStop 1 in ${G2}`,
      'Note 1',
      'RequestStop 1',
    ]);
  });

  it('that are invalid do not change a Start and a Stop', () => {
    for (const options of [{}, null, { activityId: undefined }]) {
      const handle = log.QueryStart({}, options as object);
      expect(handle.id).toBeDefined();
      log.QueryStop({ rows: 0 }, options as object);
      expect(currentActivityId()).toBeUndefined();
    }
  });
});

describe('activity ids', () => {
  const idsOf = (activityIds: '2016' | 'net10') => {
    const source = defineEventSource(
      `Ids-${activityIds}`,
      { WorkStart: event(), WorkStop: event() },
      { activityIds },
    );
    const subscription = listen(source, () => {});
    const { id = '' } = source.WorkStart();
    source.WorkStop();
    subscription.close();
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    bytes.subarray(0, 4).reverse();
    bytes.subarray(4, 6).reverse();
    bytes.subarray(6, 8).reverse();
    const words = [0, 4, 8, 12].map((offset) => bytes.readUInt32LE(offset));
    const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
    const sum = (w0 + w1 + w2 + 0x599d99ad) >>> 0;
    return (sum ^ w3) >>> 0;
  };

  it('include the process id in their checksum', () => {
    expect(idsOf('net10')).toBe(process.pid);
  });

  it('of the 2016 form include none', () => {
    expect(idsOf('2016')).toBe(0);
  });

  it('are counted across all sources of the thread', () => {
    const other = defineEventSource('Activity-Test-Other', { WorkStart: event(), WorkStop: event() });
    const heardOther = new Heard(other);
    const ids = new Set<string | undefined>();
    for (let round = 0; round < 5; round++) {
      other.activity('Work', {}, { stop: () => ({}) }, () => ids.add(currentActivityId()));
      log.activity('Request', URL, () => ids.add(currentActivityId()));
    }
    expect(ids.size).toBe(10);
    other.activity('Work', {}, { stop: () => ({}) }, () => log.activity('Request', URL, () => {}));
    expect(heard.lines.at(-1)).toMatch(/^RequestStop \d+\/1$/);
    heardOther.close();
  });
});

describe('throwOnErrors', () => {
  it('throws at the Start before the work is done, and at the Stop after the activity has ended', () => {
    const strict = defineEventSource(
      'Activity-Test-Strict',
      { WorkStart: event({ n: 'uint8' }), WorkStop: event({ n: 'uint8' }) },
      { throwOnErrors: true },
    );
    const subscription = listen(strict, () => {});
    const work = vi.fn();
    expect(() => strict.activity('Work', { n: 256 }, { stop: () => ({ n: 1 }) }, work)).toThrow(
      BadValueError,
    );
    expect(work).not.toHaveBeenCalled();
    expect(() => strict.activity('Work', { n: 1 }, { stop: () => ({ n: 256 }) }, work)).toThrow(
      BadValueError,
    );
    expect(work).toHaveBeenCalledTimes(1);
    expect(() => strict.WorkStart({ n: -1 })).toThrow(BadValueError);
    expect(currentActivityId()).toBeUndefined();
    subscription.close();
  });
});

it('an activity says what it misses if its work stands in the place of its payload', () => {
  const log = defineEventSource('Activity-Arguments', { OpStart: event({}), OpStop: event({}) });
  const activity = log.activity as unknown as (name: string, work: () => void) => void;
  expect(() => activity('Op', () => {})).toThrow(
    new TypeError('Activity-Arguments: the work of an activity follows its payload, which may be {}.'),
  );
});
