/** The states into which an activity's duration is divided: see docs/explain.md. */
import { isOfThreadPool } from '../../activity/runs.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';
import type { LoopRun } from './loop-runs.ts';

/**
 * - `running`: its code ran
 * - `offProcessor`: its code was on the thread, but the thread on no processor: synchronous I/O, a child process, a lock
 * - `collection`: V8 collected garbage while it ran or was ready to
 * - `held`: it was ready, but the thread ran something else
 * - `child`: it waited for an activity inside it
 * - `threadPool`: it waited for work of libuv's thread pool
 * - `pool`: it waited for its turn: for a connection of a pool, or until another activity let it go on
 * - `timer`: it waited for a timer of its own
 * - `otherSide`: it waited for a peer: a socket, a request's body, the reader of a response, a process, a thread
 * - `unknown`: the trace does not say
 */
export const STATES = [
  'running',
  'offProcessor',
  'collection',
  'held',
  'child',
  'threadPool',
  'pool',
  'timer',
  'otherSide',
  'unknown',
] as const;

export type State = (typeof STATES)[number];

export interface StateOf {
  readonly state: State;
  /** What was waited for, or held the thread; empty if there is nothing to name. */
  readonly what: string;
  /** How many jobs filled the queue of the thread pool; 0, as without this, if that is unknown. */
  readonly jobs?: number;
}

/** A part of an activity's time in one state, in whole nanoseconds since the start of the trace. */
export interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
  readonly reason: StateOf;
  /** What it may have been instead: the trace only bounds when the activity became ready. */
  readonly otherwise: StateOf | undefined;
  /** What held the thread. */
  readonly run: LoopRun | undefined;
  /** The state of the activity inside. */
  readonly inner: State | undefined;
  /** It starts where this one ends. */
  next: Stretch | undefined;
}

/** Why a time is unknown. */
export const UNKNOWN = {
  notObserved: 'what the thread ran is not recorded',
  lost: 'events are missing',
  noWaker: 'what woke it is not recorded',
  outside: 'code outside of its activity, called by a timer, let it go on',
  aborted: 'its client left before that came',
  tooMuch: 'too many parts to tell apart',
} as const;

export const NOT_OBSERVED: StateOf = { state: 'unknown', what: UNKNOWN.notObserved };
export const LOST: StateOf = { state: 'unknown', what: UNKNOWN.lost };
export const NO_WAKER: StateOf = { state: 'unknown', what: UNKNOWN.noWaker };
export const RUNNING: StateOf = { state: 'running', what: '' };

/** Why its code was on no processor: it waited in the system, or for others that used the processors. */
export const BLOCKED: StateOf = { state: 'offProcessor', what: 'blocked' };
export const PREEMPTED: StateOf = { state: 'offProcessor', what: 'preempted' };
/** The system does not tell which. */
export const OFF_PROCESSOR: StateOf = { state: 'offProcessor', what: '' };

/** What wakes it in the callback of a socket that it has not opened itself: data, or its turn. */
export const SHARED_SOCKET: StateOf = { state: 'otherSide', what: 'a socket that it shares with others' };

/** What a request with a body waits for, when its client wakes it. */
export const REQUEST_BODY: StateOf = { state: 'otherSide', what: 'the request body' };

/** What held a thread, when no run is known to have. */
export const NO_RUN =
  'nothing is known to have run (timers are late by up to a millisecond, and a thread may lack a processor)';

export const SHORT_RUNS = 'many short runs';

/** The state that a wait for a callback means; see `ActivityRunFields.wokenBy`. */
export function stateOfWaker(waker: string): StateOf {
  const known = WAITS[waker];
  if (known !== undefined) return known;
  if (isOfThreadPool(waker)) return { state: 'threadPool', what: waker };
  return NO_WAKER;
}

const WAITS: Readonly<Record<string, StateOf>> = {
  timer: { state: 'timer', what: 'timer' },
  'dns.resolve': { state: 'otherSide', what: 'dns.resolve' },
  socket: { state: 'otherSide', what: 'a socket' },
  connect: { state: 'otherSide', what: 'a connection' },
  'http.server': { state: 'otherSide', what: 'its client' },
  'http.client': { state: 'otherSide', what: 'a response' },
  write: { state: 'otherSide', what: 'the reader of what it wrote' },
  process: { state: 'otherSide', what: 'a child process' },
  worker: { state: 'otherSide', what: 'a worker thread' },
  message: { state: 'otherSide', what: 'a message of another thread' },
};

/** Activities whose code is that of the activity around them: what frameworks call to serve a request. */
const PARTS = new Set(named('Node.Middleware/Handler'));

export function isPart(name: string): boolean {
  return PARTS.has(name);
}

/** The load of a module. */
export const MODULE_LOAD = 'Node.Module/Load';

/** What calls wait for that run no code of their own, by provider and task. */
const CALLS: Readonly<Record<string, StateOf>> = {
  'Node.Http/ClientRequest': { state: 'otherSide', what: 'the response' },
  'Node.Http/SocketAssigned': { state: 'pool', what: 'a socket of the agent' },
  'Node.Database/Command': { state: 'otherSide', what: 'the database' },
  'Node.Database/Batch': { state: 'otherSide', what: 'the database' },
  'Node.Database/Connect': { state: 'otherSide', what: 'a connection' },
  'Node.Database/Acquire': { state: 'pool', what: 'a connection of the pool' },
  'Node.Net/NameResolved': { state: 'otherSide', what: 'a name server' },
  'Node.Net/TlsEstablished': { state: 'otherSide', what: 'TLS' },
  'Node.Net/Connect': { state: 'otherSide', what: 'a connection' },
  [MODULE_LOAD]: NO_WAKER,
  'Node.Process/Child': { state: 'otherSide', what: 'a child process' },
  'Node.Process/Worker': { state: 'otherSide', what: 'a worker thread' },
  'System.Net.Http/Request': { state: 'otherSide', what: 'the response' },
  'System.Net.NameResolution/Resolution': { state: 'otherSide', what: 'DNS' },
  'System.Net.Sockets/Connect': { state: 'otherSide', what: 'a connection' },
  'System.Net.Security/Handshake': { state: 'otherSide', what: 'TLS' },
};

const CALLS_BY_NAME = new Map(
  Object.entries(CALLS).flatMap(([name, state]) => named(name).map((each) => [each, state] as const)),
);

/** Providers have other names in tracepoints. */
function named(name: string): string[] {
  const [provider = '', task = ''] = name.split('/');
  return [name, `${tracepointProviderName(provider)}/${task}`];
}

export function stateOfCall(name: string): StateOf | undefined {
  return CALLS_BY_NAME.get(name);
}
