/**
 * How activities flow through asynchronous code: for each way in which JavaScript continues later, the results of
 * `activity()` and of a bare Start. Where they differ, use `activity()`.
 */
import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActivityOptions, currentActivityId, defineEventSource, event } from '../../lib/index.ts';
import { Heard } from './heard.ts';

const RECURSIVE = { activityOptions: ActivityOptions.Recursive };
const log = defineEventSource('Async-Test', {
  RequestStart: event(),
  RequestStop: event(),
  StepStart: event({}, RECURSIVE),
  StepStop: event(),
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

/** The activity of each note, by its text. */
function notes(): Record<string, string> {
  const lines = heard.events.map((written): [string, string] => [
    String(written.payload.text),
    heard.path(written.activityId),
  ]);
  return Object.fromEntries(lines.filter((_, index) => heard.events[index]?.name === 'Note'));
}

/** The activities of the events of this name, in order. */
const pathsOf = (name: string) =>
  heard.events.filter((written) => written.name === name).map((written) => heard.path(written.activityId));

describe('what the end of an activity calls', () => {
  const works: Record<string, () => unknown> = {
    synchronous: () => 1,
    asynchronous: async () => delay(1),
    iterated: function* () {
      yield 1;
    },
  };
  it.each(Object.entries(works))('runs in the enclosing activity, with %s work', async (_name, work) => {
    const seen: string[] = [];
    const stop = () => {
      seen.push(heard.path(currentActivityId()));
      log.activity('Step', {}, () => note('next'));
      return {};
    };
    await log.activity('Request', {}, async () => {
      const result = await log.activity('Step', {}, { stop }, work);
      if (typeof result === 'object') for (const _item of result as Iterable<unknown>);
    });
    expect(seen).toEqual(['1']);
    expect(notes()).toEqual({ next: '1/2' });
  });
});

describe('an async function called without await', () => {
  it("with activity(), keeps the activity out of its caller's context", async () => {
    const promise = log.activity('Request', {}, async () => {
      note('inside');
      await null;
      note('inside, later');
    });
    note('caller');
    await null;
    note('caller, later');
    await promise;
    note('caller, at the end');
    expect(notes()).toEqual({
      inside: '1',
      'inside, later': '1',
      caller: '-',
      'caller, later': '-',
      'caller, at the end': '-',
    });
  });

  it("with a bare Start before its first await, changes its caller's context, too", async () => {
    const work = async () => {
      log.RequestStart();
      await null;
      note('inside, later');
    };
    const promise = work();
    note('caller');
    await promise;
    note('caller, later');
    expect(notes()).toEqual({ 'inside, later': '1', caller: '1', 'caller, later': '1' });
    log.RequestStop();
  });

  it('with a bare Start after its first await, does not', async () => {
    const work = async () => {
      await null;
      log.RequestStart();
      note('inside');
    };
    const promise = work();
    note('caller');
    await promise;
    note('caller, later');
    expect(notes()).toEqual({ inside: '1', caller: '-', 'caller, later': '-' });
  });
});

describe('siblings in Promise.all', () => {
  const three = (work: (index: number) => Promise<unknown>) => Promise.all([1, 2, 3].map(work));

  it('with activity(), are children of one parent', async () => {
    await log.activity('Request', {}, () =>
      three((index) =>
        log.activity('Step', {}, async () => {
          note(`before ${index}`);
          await delay(4 - index);
          note(`after ${index}`);
        }),
      ),
    );
    expect(notes()).toEqual({
      'before 1': '1/1',
      'before 2': '1/2',
      'before 3': '1/3',
      'after 1': '1/1',
      'after 2': '1/2',
      'after 3': '1/3',
    });
    expect(pathsOf('StepStop').sort()).toEqual(['1/1', '1/2', '1/3']);
    expect(pathsOf('RequestStop')).toEqual(['1']);
  });

  it('with activity() of one name that is not Recursive, do not stop each other', async () => {
    await three((index) =>
      log.activity('Request', {}, async () => {
        await delay(4 - index);
        note(`${index}`);
      }),
    );
    expect(notes()).toEqual({ 1: '1', 2: '2', 3: '3' });
    expect(pathsOf('RequestStop').sort()).toEqual(['1', '2', '3']);
  });

  it('with bare Starts before the first await, nest, because they share a context', async () => {
    await log.activity('Request', {}, () =>
      three(async () => {
        log.StepStart();
        await null;
        log.StepStop();
      }),
    );
    expect(pathsOf('StepStart')).toEqual(['1/1', '1/1/1', '1/1/1/1']);
  });

  it('with bare Starts of one name that is not Recursive, stop each other; each handle still stops its own', async () => {
    await three(async (index) => {
      const handle = log.RequestStart();
      await delay(index);
      handle.stop();
    });
    expect(pathsOf('RequestStart')).toEqual(['1', '2', '3']);
    expect(pathsOf('RequestStop').sort()).toEqual(['1', '2', '3']);
  });

  it('with bare Starts after the first await, are siblings', async () => {
    await log.activity('Request', {}, () =>
      three(async () => {
        await null;
        log.StepStart();
        await null;
        log.StepStop();
      }),
    );
    expect(pathsOf('StepStart')).toEqual(['1/1', '1/2', '1/3']);
    expect(pathsOf('StepStop')).toEqual(['1/1', '1/2', '1/3']);
  });
});

describe('a listener of an EventEmitter', () => {
  it('runs in the activity in which the event was emitted, not in which it was added', () => {
    const emitter = new EventEmitter();
    log.activity('Request', {}, () => emitter.on('go', () => note('listener')));
    log.activity('Step', {}, () => emitter.emit('go'));
    expect(notes()).toEqual({ listener: '2' });
  });

  it("with activity(), keeps its activity out of the emitter's context", () => {
    const emitter = new EventEmitter();
    emitter.on('go', () => log.activity('Request', {}, () => note('listener')));
    emitter.emit('go');
    note('emitter');
    expect(notes()).toEqual({ listener: '1', emitter: '-' });
  });

  it("with a bare Start, changes the emitter's context, too", () => {
    const emitter = new EventEmitter();
    emitter.on('go', () => log.RequestStart());
    emitter.emit('go');
    note('emitter');
    log.RequestStop();
    expect(notes()).toEqual({ emitter: '1' });
  });

  it('of a server has a separate context for each request, so a bare Start does not leak', async () => {
    // As a server does it: each connection's callbacks are caused by the connection.
    const requests = [1, 2, 3].map(
      (index) =>
        new Promise<void>((resolve) => {
          setImmediate(() => {
            log.RequestStart();
            setTimeout(() => {
              note(`${index}`);
              log.RequestStop();
              resolve();
            }, 4 - index);
          });
        }),
    );
    await Promise.all(requests);
    expect(notes()).toEqual({ 1: '1', 2: '2', 3: '3' });
    expect(pathsOf('RequestStop').sort()).toEqual(['1', '2', '3']);
  });
});

/** Each calls back later. */
const ways: Record<string, (callback: () => void) => unknown> = {
  setTimeout: (callback) => setTimeout(callback, 1),
  setInterval: (callback) => {
    const timer = setInterval(() => {
      clearInterval(timer);
      callback();
    }, 1);
  },
  setImmediate: (callback) => setImmediate(callback),
  'process.nextTick': (callback) => process.nextTick(callback),
  queueMicrotask: (callback) => queueMicrotask(callback),
  'a promise': (callback) => Promise.resolve().then(callback),
  'a rejected promise': (callback) => Promise.reject(new Error('expected')).catch(callback),
  finally: (callback) => Promise.resolve().finally(callback),
  await: async (callback) => {
    await null;
    callback();
  },
  'await after await': async (callback) => {
    for (let count = 0; count < 10; count++) await null;
    callback();
  },
  'a callback of fs': (callback) => readFile(import.meta.filename, callback),
  'a thenable': async (callback) => {
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    await { then: (resolve: () => void) => setTimeout(resolve, 1) };
    callback();
  },
  'a MessagePort': (callback) => {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', () => {
      port2.close();
      callback();
    });
    port1.postMessage('go');
  },
  'for await': async (callback) => {
    async function* numbers() {
      yield 1;
      await delay(1);
      yield 2;
    }
    let last = 0;
    for await (const number of numbers()) last = number;
    if (last === 2) callback();
  },
  'a promise of events': async (callback) => {
    const emitter = new EventEmitter();
    setTimeout(() => emitter.emit('go'), 1);
    await once(emitter, 'go');
    callback();
  },
};

describe('what continues later through', () => {
  it.each(Object.entries(ways))('%s is in the activity that caused it', async (_, way) => {
    const [scoped, bare, outside] = await Promise.all([
      log.activity('Request', {}, () => new Promise<void>((resolve) => way(() => resolve(note('scoped'))))),
      new Promise<void>((resolve) => {
        setImmediate(() => {
          log.StepStart();
          way(() => resolve(note('bare')));
        });
      }),
      new Promise<void>((resolve) => way(() => resolve(note('outside')))),
    ]);
    expect([scoped, bare, outside]).toEqual([undefined, undefined, undefined]);
    expect(notes()).toEqual({ scoped: '1', bare: '2', outside: '-' });
  });
});

describe('a promise resolved elsewhere', () => {
  it('continues in the activity of the code awaiting it', async () => {
    let resolve = () => {};
    const promise = new Promise<void>((resolver) => {
      resolve = resolver;
    });
    const waiting = log.activity('Request', {}, async () => {
      await promise;
      note('awaiting');
    });
    log.activity('Step', {}, () => resolve());
    await waiting;
    expect(notes()).toEqual({ awaiting: '1' });
  });

  it('calls back in the activity of the code that registered', async () => {
    let resolve = () => {};
    const promise = new Promise<void>((resolver) => {
      resolve = resolver;
    });
    const waiting = log.activity('Request', {}, () => promise.then(() => note('registered')));
    log.activity('Step', {}, () => resolve());
    await waiting;
    expect(notes()).toEqual({ registered: '1' });
  });
});

describe('the first activity of all', () => {
  it('begun after an await stays inside the function that began it', async () => {
    const inner = async () => {
      await null;
      log.RequestStart();
      await null;
      note('inside');
    };
    await inner();
    note('outside');
    expect(notes()).toEqual({ inside: '1', outside: '-' });
  });
});
