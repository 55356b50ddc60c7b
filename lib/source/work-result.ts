/**
 * Detects the end of work that continues after its function has returned: a promise when it settles, an iterator when
 * its iteration ends.
 *
 * The application must not notice: it gets the work's own result or, for a plain promise, a derived one, as from Node's
 * TracingChannel, so that an unhandled rejection stays unhandled. No application code runs that would not run anyway:
 * no getter, no proxy trap, no `then` of a thenable, which may be what starts the thenable. What cannot be observed in
 * this way is a plain value, and the work has ended when it is returned.
 */
import { types } from 'node:util';

/** The outcome of a piece of work. */
export type Outcome<Value = unknown> =
  | { readonly success: true; readonly value: Value }
  | { readonly success: false; readonly error: unknown };

/** The final value of work that returns `Result`: what its promise is fulfilled with, or what its generator returns. */
export type EndValue<Result> =
  Result extends Promise<infer Value>
    ? EndValue<Value>
    : Result extends Generator<unknown, infer Value> | AsyncGenerator<unknown, infer Value>
      ? Value | undefined
      : Result;

/** Runs a step of the work in its activity. */
type RunStep = <Result>(step: () => Result) => Result;

/** Work that may go on after its function has returned. */
export interface ObservedWork {
  /** Called for each step of an iteration. */
  readonly runStep: RunStep;
  /** Called once, by code outside the work's activity. */
  end(outcome: Outcome): void;
}

/**
 * Calls `end` when the work that returned `result` has ended.
 *
 * @param isOfAsyncFunction whether an async function returned it: nobody else can have changed its promise
 * @returns what the application gets for `result`
 */
export function whenEnded<Result>(result: Result, isOfAsyncFunction: boolean, work: ObservedWork): Result {
  if (types.isPromise(result)) {
    const isReplaceable = isOfAsyncFunction || isPlain(result);
    const observed = observePromise(result, isReplaceable, endWith, endWithError, work);
    if (observed !== undefined) return observed as Result;
  }
  endWith(result, work);
  return result;
}

function endWith(value: unknown, work: ObservedWork): void {
  if (!observeIteration(value, work)) work.end({ success: true, value });
}

function endWithError(error: unknown, work: ObservedWork): void {
  work.end({ success: false, error });
}

/** Makes `runStep` run the steps of an iterator, if `result` is one. */
export function runStepsOf(result: unknown, runStep: RunStep): void {
  observeIteration(result, { runStep, end: () => {} });
}

const { then: promiseThen } = Promise.prototype;

/**
 * Calls back when the promise settles. Returns what the application gets: an equivalent promise, or the promise itself
 * unless it `isReplaceable`. Undefined if the promise cannot be observed.
 */
function observePromise<Observer>(
  promise: Promise<unknown>,
  isReplaceable: boolean,
  onValue: (value: unknown, observer: Observer) => void,
  onError: (error: unknown, observer: Observer) => void,
  observer: Observer,
): Promise<unknown> | undefined {
  try {
    if (!isReplaceable) {
      promiseThen.call(
        promise,
        (value) => onValue(value, observer),
        (error) => onError(error, observer),
      );
      return promise;
    }
    return promiseThen.call(
      promise,
      (value) => {
        onValue(value, observer);
        return value;
      },
      (error) => {
        onError(error, observer);
        throw error;
      },
    );
  } catch {
    // A `constructor` or `Symbol.species` that is not a constructor, or throws.
    return undefined;
  }
}

/** Whether nothing distinguishes the promise from a derived one: it is of no subclass, and has no other properties. */
function isPlain(promise: Promise<unknown>): boolean {
  if (Object.getPrototypeOf(promise) !== Promise.prototype) return false;
  for (const key of Reflect.ownKeys(promise)) if (!isOfNode(key)) return false;
  return true;
}

/**
 * The descriptions of the symbols that Node.js 20 and 22 leave on each promise while an AsyncLocalStorage is in use.
 */
const NAMES_OF_NODE = ['async_id_symbol', 'trigger_async_id_symbol', 'kResourceStore'];
/** The ones seen so far: reading a symbol's description takes longer. */
const symbolsOfNode = new Set<PropertyKey>();
/** Each AsyncLocalStorage has its own. */
const MOST_SYMBOLS = 50;

function isOfNode(key: string | symbol): boolean {
  if (symbolsOfNode.has(key)) return true;
  const isNamedSo = typeof key === 'symbol' && NAMES_OF_NODE.includes(key.description ?? '');
  if (isNamedSo && symbolsOfNode.size < MOST_SYMBOLS) symbolsOfNode.add(key);
  return isNamedSo;
}

/**
 * Makes the work's `runStep` run the steps of an iterator, and calls its `end` when the iteration ends: at its last value,
 * when a step throws, or when it is abandoned. False if `value` is not an iterator, or cannot be observed.
 *
 * The iterator's methods are replaced, because it has to stay the same object: `for`, spread, `yield*` and the iterator
 * helpers all look up the methods there.
 */
function observeIteration(value: unknown, work: ObservedWork): boolean {
  if (!isIterator(value)) return false;
  let isRunning = false;
  let hasEnded = false;
  const endWith = (outcome: Outcome) => {
    if (hasEnded) return;
    hasEnded = true;
    work.end(outcome);
  };
  const onError = (error: unknown) => endWith({ success: false, error });
  const onStep = (step: unknown) => {
    const done = propertyOf(step, 'done');
    if (done === UNKNOWN || methodOf(step, 'then') !== undefined)
      endWith({ success: true, value: undefined });
    else if (done) endWith({ success: true, value: propertyOf(step, 'value') });
  };
  const observed = (method: AnyMethod): AnyMethod =>
    function (this: unknown, ...args) {
      // A step that another step takes is a part of it.
      if (hasEnded || isRunning) return Reflect.apply(method, this, args);
      let step: unknown;
      isRunning = true;
      try {
        step = work.runStep(() => Reflect.apply(method, this, args));
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        isRunning = false;
      }
      const promise = types.isPromise(step)
        ? observePromise(step, isPlain(step), onStep, onError, undefined)
        : undefined;
      if (promise !== undefined) return promise;
      onStep(step);
      return step;
    };
  if (!replaceMethod(value, 'next', observed(methodOf(value, 'next') as AnyMethod))) return false;
  // An iterator without `return` does not learn that a loop was abandoned.
  const leave = (value: unknown) => ({ done: true, value });
  replaceMethod(value, 'return', observed(methodOf(value, 'return') ?? leave));
  const throwInto = methodOf(value, 'throw');
  if (throwInto !== undefined) replaceMethod(value, 'throw', observed(throwInto));
  return true;
}

type AnyMethod = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Whether the value can be read only by `next`: generators, and iterables with their own `next`. A list whose nodes
 * have a `next` does not qualify, and neither does a stream or cursor that also emits what it reads.
 */
function isIterator(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (methodOf(value, 'next') === undefined) return false;
  if (types.isGeneratorObject(value)) return true;
  const iterate = methodOf(value, Symbol.asyncIterator) ?? methodOf(value, Symbol.iterator);
  return iterate !== undefined && !types.isGeneratorFunction(iterate) && methodOf(value, 'on') === undefined;
}

function replaceMethod(object: object, name: string, method: AnyMethod): boolean {
  const { enumerable = false, writable = true } = Reflect.getOwnPropertyDescriptor(object, name) ?? {};
  return Reflect.defineProperty(object, name, { value: method, enumerable, writable, configurable: true });
}

/** What only a getter or a proxy could tell. */
const UNKNOWN = Symbol('unknown');

/** A property's value, own or inherited, if it can be read without running any code. */
function propertyOf(object: unknown, key: PropertyKey): unknown {
  if (typeof object !== 'object' || object === null) return UNKNOWN;
  for (let owner: object | null = object; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (types.isProxy(owner)) return UNKNOWN;
    const property = Reflect.getOwnPropertyDescriptor(owner, key);
    if (property !== undefined) return Object.hasOwn(property, 'value') ? property.value : UNKNOWN;
  }
  return undefined;
}

function methodOf(object: unknown, key: PropertyKey): AnyMethod | undefined {
  const method = propertyOf(object, key);
  return typeof method === 'function' ? (method as AnyMethod) : undefined;
}
