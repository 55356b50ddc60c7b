// biome-ignore-all lint/suspicious/noThenProperty: thenables are what is tested
// biome-ignore-all lint/correctness/useYield: a generator that only throws is what is tested
// Runs each case once with nobody listening and once with a listener, and prints what the application saw either way.
// An application must see the same; what the listener heard is printed beside it. With `switches`, another listener
// asks for activity switches.
import { EventEmitter, on } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { types } from 'node:util';
import { runInNewContext } from 'node:vm';
import { defineEventSource, event, listen } from '../../../dist/index.js';
import { enableRuntimeEvents, RuntimeKeywords } from '../../../dist/runtime/index.js';

const log = defineEventSource('Transparency', {
  WorkStart: event(),
  WorkStop: event({ success: 'bool', errorMessage: 'string' }),
  Note: event(),
});

/** What the application sees, of the case that is running. */
let seen = [];
const see = (text) => seen.push(text);
process.on('unhandledRejection', (reason) => see(`unhandled rejection of ${nameOf(reason)}`));
process.on('uncaughtException', (error) => see(`uncaught ${nameOf(error)}`));

function nameOf(value) {
  try {
    return value instanceof Error ? value.constructor.name : String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}

const revoked = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const throwing = () => {
  throw new EvalError('no trap may run');
};
const handlerThatThrows = new Proxy({}, { get: throwing });
const failure = () => new RangeError('failed');
const errorWithoutMessage = () =>
  Object.defineProperty(new Error(), 'message', { get: throwing, configurable: true });

/** Sees how a promise, or whatever is awaited, ends. */
async function awaited(value) {
  try {
    see(`fulfilled with ${nameOf(await value)}`);
  } catch (error) {
    see(`rejected with ${nameOf(error)}`);
  }
}
const isPlain = (promise) =>
  Object.getPrototypeOf(promise) === Promise.prototype &&
  Object.getOwnPropertyNames(promise).length === 0 &&
  !Object.getOwnPropertySymbols(promise).includes(KIND);
const nothing = () => {};

const KIND = Symbol('kind');
class OwnPromise extends Promise {
  cancel() {
    return 'cancelled';
  }
}
/** Does its work only when somebody awaits it. */
class LazyPromise extends Promise {
  constructor(executor) {
    super((resolve) => resolve());
    this.executor = executor;
  }
  then(...callbacks) {
    see('started');
    return new Promise(this.executor).then(...callbacks);
  }
}
class SealedPromise extends Promise {
  static get [Symbol.species]() {
    return throwing();
  }
}

/** As query builders are: each `then` runs the query. */
const builder = () => ({
  where() {
    return this;
  },
  then(onValue) {
    see('query runs');
    onValue('rows');
  },
});

function* numbers() {
  try {
    see(`sent ${yield 1}`);
    yield 2;
  } finally {
    see('cleaned up');
  }
  return 3;
}
async function* asyncNumbers() {
  try {
    await null;
    see(`sent ${yield 1}`);
    await turn();
    yield 2;
  } finally {
    await null;
    see('cleaned up');
  }
  return 3;
}
const byHand = (more = {}) => {
  let number = 0;
  return {
    next: () => ({ done: ++number > 3, value: number }),
    [Symbol.iterator]() {
      return this;
    },
    ...more,
  };
};
const asyncByHand = (more = {}) => {
  let number = 0;
  return {
    next: async () => ({ done: ++number > 3, value: number }),
    [Symbol.asyncIterator]() {
      return this;
    },
    ...more,
  };
};

const all = (iterator) => {
  for (const number of iterator) see(`got ${number}`);
};
const first = (iterator) => {
  for (const number of iterator) {
    see(`got ${number}`);
    break;
  }
};
const allAsync = async (iterator) => {
  for await (const number of iterator) see(`got ${nameOf(number)}`);
};
const firstAsync = async (iterator) => {
  for await (const number of iterator) {
    see(`got ${number}`);
    break;
  }
};
const allSeen = (use) => async (iterator) => {
  try {
    await use(iterator);
    see('done');
  } catch (error) {
    see(`threw ${nameOf(error)}`);
  }
};

/** [what it is, makes the work's result, what the application does with it] */
const results = [
  ['a number', () => 1],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a text', () => 'text'],
  ['a symbol', () => Symbol.iterator],
  ['a function', () => nothing],
  ['a function that is a thenable', () => Object.assign(() => {}, { then: () => see('ran') })],
  ['an object', () => ({})],
  ['a frozen object', () => Object.freeze({})],
  ['an array', () => [1]],
  ['a revoked proxy', () => revoked({})],
  ['a revoked proxy of a promise', () => revoked(Promise.resolve(1))],
  ['a revoked proxy of a generator', () => revoked(numbers())],
  ['a proxy whose traps throw', () => new Proxy({}, handlerThatThrows)],
  ['an object below a revoked proxy', () => Object.create(revoked({}))],
  [
    'an object whose getters throw',
    () => ({
      get then() {
        return throwing();
      },
      get next() {
        return throwing();
      },
      get [Symbol.iterator]() {
        return throwing();
      },
    }),
  ],
  [
    'an object that counts the reads of then',
    () => ({
      get then() {
        return see('then was read');
      },
    }),
    awaited,
  ],
  ['a query builder', builder, awaited],
  ['a query builder whose query never runs', builder],
  ['a query builder, awaited by the work', async () => builder(), awaited],
  ['a promise', () => Promise.resolve(1), awaited],
  ['a promise of nothing', async () => {}, awaited],
  ['a rejected promise', () => Promise.reject(failure()), awaited],
  ['a rejected promise that nobody handles', () => Promise.reject(failure())],
  [
    'a promise that is rejected later and nobody handles',
    async () => {
      await turn();
      throw failure();
    },
  ],
  ['a promise that rejects with a revoked proxy', () => Promise.reject(revoked({})), awaited],
  [
    'a promise that rejects with an error without a message',
    () => Promise.reject(errorWithoutMessage()),
    awaited,
  ],
  ['a promise of a promise', async () => Promise.resolve(1), awaited],
  ['a promise of a revoked proxy', async () => [revoked({})], awaited],
  ['a promise with a method', () => Object.assign(Promise.resolve(1), { cancel: nothing }), awaited],
  ['a promise with a hidden method', () => Object.defineProperty(Promise.resolve(1), 'cancel', {}), awaited],
  ['a promise with a symbol of its own', () => Object.assign(Promise.resolve(1), { [KIND]: 1 }), awaited],
  [
    'a rejected promise with a method',
    () => Object.assign(Promise.reject(failure()), { cancel: nothing }),
    awaited,
  ],
  [
    'a promise with a then of its own',
    () =>
      Object.assign(Promise.resolve(1), {
        then: (onValue) => {
          see('ran');
          onValue(2);
        },
      }),
    (promise) => promise.then((value) => see(`value ${value}`)),
  ],
  [
    'a promise whose constructor throws',
    () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: throwing }),
    nothing,
  ],
  ['a promise without a prototype', () => Object.setPrototypeOf(Promise.resolve(1), null), nothing],
  ['a frozen promise', () => Object.freeze(Promise.resolve(1)), awaited],
  [
    'a promise of a class of its own',
    () => OwnPromise.resolve(1),
    (promise) => {
      see(promise.cancel());
      return awaited(promise);
    },
  ],
  ['a rejected promise of a class of its own', () => OwnPromise.reject(failure()), awaited],
  ['a lazy promise', () => new LazyPromise((resolve) => resolve(1)), awaited],
  ['a lazy promise that nobody awaits', () => new LazyPromise((resolve) => resolve(1))],
  ['a promise whose species throws', () => SealedPromise.resolve(1), awaited],
  ['a proxy of a promise', () => new Proxy(Promise.resolve(1), {}), awaited],
  ['a promise of another realm', () => runInNewContext('Promise.resolve(1)'), awaited],
  ['a rejected promise of another realm', () => runInNewContext('Promise.reject(1)'), awaited],
  ['a generator', numbers, all],
  ['a generator that is left', numbers, first],
  ['a generator that is spread', numbers, (iterator) => see(`${[...iterator]}`)],
  ['a generator that is destructured', numbers, ([one]) => see(`${one}`)],
  [
    'a generator that is sent values',
    numbers,
    (iterator) => {
      iterator.next('lost');
      see(`${iterator.next('a value').value}`);
      see(JSON.stringify(iterator.return('early')));
      see(JSON.stringify(iterator.next()));
    },
  ],
  [
    'a generator that an error is thrown into',
    numbers,
    (iterator) => {
      iterator.next();
      try {
        iterator.throw(failure());
      } catch (error) {
        see(`threw ${nameOf(error)}`);
      }
      see(JSON.stringify(iterator.next()));
    },
  ],
  [
    'a generator that is closed before it starts',
    numbers,
    (iterator) => see(JSON.stringify(iterator.return(5))),
  ],
  [
    'a generator that throws',
    function* () {
      yield 1;
      throw failure();
    },
    allSeen(all),
  ],
  [
    'a generator that asks itself for more',
    () => {
      const iterator = (function* () {
        try {
          iterator.next();
        } catch (error) {
          see(`threw ${nameOf(error)}`);
        }
        yield 1;
      })();
      return iterator;
    },
    all,
  ],
  [
    'a generator that another one delegates to',
    numbers,
    (iterator) =>
      all(
        (function* () {
          see(`result ${yield* iterator}`);
        })(),
      ),
  ],
  [
    'a generator whose consumer throws',
    numbers,
    (iterator) => {
      try {
        for (const _ of iterator) throw failure();
      } catch (error) {
        see(nameOf(error));
      }
    },
  ],
  ['a promise of a generator', async () => numbers(), async (promise) => all(await promise)],
  ['a frozen generator', () => Object.freeze(numbers()), all],
  ['a proxy of a generator', () => new Proxy(numbers(), {}), nothing],
  ['an async generator', asyncNumbers, allAsync],
  ['an async generator that is left', asyncNumbers, firstAsync],
  [
    'an async generator that is sent values',
    asyncNumbers,
    async (iterator) => {
      await iterator.next('lost');
      see(`${(await iterator.next('a value')).value}`);
      see(JSON.stringify(await iterator.return('early')));
      see(JSON.stringify(await iterator.next()));
    },
  ],
  [
    'an async generator that is asked for all at once',
    asyncNumbers,
    async (iterator) =>
      see(
        JSON.stringify(
          await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]),
        ),
      ),
  ],
  [
    'an async generator that throws',
    async function* () {
      yield 1;
      await null;
      throw failure();
    },
    allSeen(allAsync),
  ],
  [
    'an async generator that rejects, which nobody handles',
    async function* () {
      throw failure();
    },
    (iterator) => void iterator.next(),
  ],
  [
    'an async generator that another one delegates to',
    asyncNumbers,
    (iterator) =>
      allAsync(
        (async function* () {
          see(`result ${yield* iterator}`);
        })(),
      ),
  ],
  [
    'an async generator that a promise gives',
    async () => asyncNumbers(),
    async (promise) => allAsync(await promise),
  ],
  ['an iterator by hand', byHand, all],
  ['an iterator by hand that is left', byHand, first],
  [
    'an iterator by hand with return()',
    () => byHand({ return: (value) => ({ done: see('closed') > 0, value }) }),
    first,
  ],
  [
    'an iterator by hand that throws',
    () =>
      byHand({
        next: () => {
          throw failure();
        },
      }),
    allSeen(all),
  ],
  ['an iterator by hand that gives no object', () => byHand({ next: () => 1 }), allSeen(all)],
  [
    'an iterator by hand whose results throw',
    () =>
      byHand({
        next: () => ({
          get done() {
            throw failure();
          },
        }),
      }),
    allSeen(all),
  ],
  ['a frozen iterator by hand', () => Object.freeze(byHand()), all],
  ['an async iterator by hand', asyncByHand, allAsync],
  ['an async iterator by hand that is left', asyncByHand, firstAsync],
  [
    'an async iterator whose next() is not asynchronous',
    () => asyncByHand({ next: byHand().next }),
    allAsync,
  ],
  [
    'an async iterator of thenables',
    () => asyncByHand({ next: () => ({ then: (onValue) => onValue({ done: see('ran') > 0 }) }) }),
    allAsync,
  ],
  [
    'an async iterator of promises of a class of its own',
    () => {
      const { next } = byHand();
      return asyncByHand({ next: () => OwnPromise.resolve(next()) });
    },
    allAsync,
  ],
  [
    'the values of a Map',
    () =>
      new Map([
        [1, 2],
        [3, 4],
      ]).values(),
    all,
  ],
  [
    'the values of a Map, spread',
    () =>
      new Map([
        [1, 2],
        [3, 4],
      ]).values(),
    (iterator) => see(`${[...iterator]}`),
  ],
  ['the entries of an array', () => ['a'].entries(), (iterator) => see(`${new Map(iterator).get(0)}`)],
  [
    'what events.on gives',
    () => on(new EventEmitter(), 'go', { signal: AbortSignal.abort() }),
    allSeen(allAsync),
    'throws',
  ],
  [
    'a list whose nodes are called next',
    () => ({
      next: nothing,
      *[Symbol.iterator]() {
        yield 1;
      },
    }),
    all,
  ],
  ['a cursor that emits events', () => Object.assign(new EventEmitter(), byHand()), all],
];

/** [what it is, what the work throws] */
const thrown = [
  ['an error', failure],
  ['nothing', () => undefined],
  ['a revoked proxy', () => revoked({})],
  ['an error without a message', errorWithoutMessage],
  ['an error whose message is no text', () => Object.assign(new Error(), { message: Symbol('no text') })],
  ['an object that cannot be shown', () => ({ toString: throwing })],
];

const cases = [
  ...results.map(([name, make, use = nothing]) => ({
    name,
    run: async () => {
      let made;
      let result;
      try {
        result = log.activity('Work', {}, () => {
          made = make();
          return made;
        });
      } catch (error) {
        see(`activity() threw ${nameOf(error)}`);
        // As after it: the result itself is used.
        result = made;
      }
      // A plain promise may come back as another one that settles alike.
      const mayBeDerived = types.isPromise(made) && isPlain(made) && result !== made;
      see(mayBeDerived ? "the work's own result: true" : `the work's own result: ${result === made}`);
      await use(result);
    },
  })),
  ...thrown.map(([name, makeError]) => ({
    name: `${name}, thrown`,
    run: async () => {
      const error = makeError();
      try {
        log.activity('Work', {}, () => {
          throw error;
        });
      } catch (caught) {
        see(`the same was thrown: ${Object.is(caught, error)}`);
      }
    },
  })),
];

async function seenBy(run) {
  seen = [];
  const mine = seen;
  try {
    await run();
  } catch (error) {
    see(`the case threw ${nameOf(error)}`);
  }
  // Until what nobody has handled has been told.
  for (let count = 0; count < 3; count++) await turn();
  return mine;
}

function listenToSwitches() {
  return listen(enableRuntimeEvents(), () => {}, { keywords: RuntimeKeywords.ActivitySwitches });
}

const lines = [];
for (const { name, run } of cases) {
  const untraced = await seenBy(run);
  const heard = [];
  const subscription = listen(log, (written) => {
    if (written.name !== 'Note')
      heard.push(written.name === 'WorkStop' ? `Stop ${written.payload.success}` : 'Start');
  });
  const switches = process.argv[2] === 'switches' && listenToSwitches();
  const traced = await seenBy(run);
  if (switches) switches.close();
  subscription.close();
  lines.push({ name, untraced, traced, heard });
}
console.log(JSON.stringify({ lines, stats: log.stats(), problems: log.status.problems }));
