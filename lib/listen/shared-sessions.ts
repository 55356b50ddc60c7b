/**
 * How the threads of a process learn of each other's sessions. Messages are sent when a session starts and ends, and
 * once by each new thread; none while events are written.
 *
 * An existing thread receives a message. A worker thread created later finds the sessions in its environment data,
 * before it writes its first event. One that was created before the session, but had not loaded this module yet, asks
 * for what it has missed.
 */
import { BroadcastChannel, getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { thrownTextWithStack } from '../base/value-text.ts';
import { doAtExit } from './at-exit.ts';

/** A thread's part in a session of another thread; also what ends a session for all others. */
export interface SessionPart {
  end(): void;
}

/** Must not throw. Undefined if the thread has nothing to do for the session. */
type StartPart = (data: unknown, id: string) => SessionPart | undefined;

interface SharedSession {
  readonly kind: string;
  readonly id: string;
  readonly data: unknown;
  /** One word that all threads see: 1 when the session is over. Environment data may still contain the session. */
  readonly over: Int32Array;
}

type Message =
  | { readonly type: 'start'; readonly sessions: readonly SharedSession[] }
  | { readonly type: 'end'; readonly key: string }
  /** Requests the sessions other than these. */
  | { readonly type: 'hello'; readonly known: readonly string[] };

/** Node.js runs an application's code with these only to put what it leaves in memory in a startup snapshot. */
const MAKES_SNAPSHOT = /^--(?:build-snapshot|build-sea|experimental-sea-config)/;
if (process.execArgv.some((option) => MAKES_SNAPSHOT.test(option))) {
  // V8 would end the process at the first source: a snapshot can contain no channel between threads, and no handle of
  // the system.
  throw new Error(
    'A startup snapshot cannot contain tracewright: load it in the function that setDeserializeMainFunction takes.',
  );
}

/** Incremented when the messages, or what the copies of this package in a thread share, change. */
const NAME = 'tracewright.sessions.v1';
const KEY = Symbol.for(NAME);

class SharedSessions {
  readonly #channel = new BroadcastChannel(NAME);
  readonly #starts = new Map<string, StartPart>();
  /** The sessions of this thread. */
  readonly #own = new Map<string, SharedSession>();
  /** The sessions of other threads. */
  readonly #others = new Map<string, SharedSession>();
  readonly #parts = new Map<string, SessionPart>();

  #stayAtExit = (): void => {};

  constructor() {
    this.#channel.onmessage = (event) => this.#take((event as { readonly data: Message }).data);
    // After there is a handler, which would keep the thread alive again.
    this.#channel.unref();
    this.#add((getEnvironmentData(NAME) as readonly SharedSession[] | undefined) ?? []);
    this.#send({ type: 'hello', known: [...this.#others.keys()] });
  }

  share(kind: string, id: string, data: unknown): SessionPart {
    const session = { kind, id, data, over: new Int32Array(new SharedArrayBuffer(4)) };
    const key = keyOf(session);
    if (this.#own.size === 0) this.#stayAtExit = doAtExit(() => this.#endAll());
    this.#own.set(key, session);
    this.#tellWorkersToCome();
    this.#send({ type: 'start', sessions: [session] });
    return { end: () => this.#end(key) };
  }

  onShared(kind: string, start: StartPart): void {
    // Another copy of this package already takes part in each.
    if (this.#starts.has(kind)) return;
    this.#starts.set(kind, start);
    for (const session of [...this.#others.values()]) {
      if (session.kind === kind) this.#start(session);
    }
  }

  #take(message: Message): void {
    if (message.type === 'start') this.#add(message.sessions);
    else if (message.type === 'end') this.#remove(message.key);
    else {
      const sessions = [...this.#own].filter(([key]) => !message.known.includes(key));
      if (sessions.length > 0)
        this.#send({ type: 'start', sessions: sessions.map(([, session]) => session) });
    }
  }

  #add(sessions: readonly SharedSession[]): void {
    const added = sessions.filter((session) => !this.#others.has(keyOf(session)) && !isOver(session));
    for (const session of added) this.#others.set(keyOf(session), session);
    this.#tellWorkersToCome();
    for (const session of added) this.#start(session);
  }

  #start(session: SharedSession): void {
    const start = this.#starts.get(session.kind);
    if (start === undefined) return;
    const key = keyOf(session);
    guarded(session.kind, () => {
      const part = start(session.data, session.id);
      if (part !== undefined) this.#parts.set(key, part);
    });
  }

  #remove(key: string): void {
    const session = this.#others.get(key);
    if (session === undefined) return;
    this.#others.delete(key);
    this.#tellWorkersToCome();
    const part = this.#parts.get(key);
    this.#parts.delete(key);
    if (part !== undefined) guarded(session.kind, () => part.end());
  }

  #end(key: string): void {
    const session = this.#own.get(key);
    if (session === undefined) return;
    Atomics.store(session.over, 0, 1);
    this.#own.delete(key);
    if (this.#own.size === 0) this.#stayAtExit();
    this.#tellWorkersToCome();
    this.#send({ type: 'end', key });
  }

  #endAll(): void {
    for (const key of [...this.#own.keys()]) this.#end(key);
  }

  /** A worker thread inherits the environment data of the thread that creates it. */
  #tellWorkersToCome(): void {
    const sessions = [...this.#own.values(), ...this.#others.values()];
    if (sessions.length > 0) setEnvironmentData(NAME, sessions);
    // Node.js removes keys set to undefined, although its types do not allow it.
    else if (getEnvironmentData(NAME) !== undefined) setEnvironmentData(NAME, undefined as never);
  }

  #send(message: Message): void {
    this.#channel.postMessage(message);
  }
}

function keyOf({ kind, id }: SharedSession): string {
  return `${kind} ${id}`;
}

function isOver({ over }: SharedSession): boolean {
  return Atomics.load(over, 0) !== 0;
}

/** An error would surface in the application, from a message that it does not know. */
function guarded(kind: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const problem = `A session (${kind}) of another thread failed in this one: ${thrownTextWithStack(error)}`;
    process.emitWarning(problem, 'TracewrightWarning');
  }
}

/** All copies of this package in a thread share them. */
function sharedSessions(): SharedSessions {
  const shared = globalThis as { [KEY]?: SharedSessions };
  shared[KEY] ??= new SharedSessions();
  return shared[KEY];
}

/**
 * Announces a session to all other threads of the process, present and future, until it ends or this thread exits.
 *
 * @param kind what the session is, with a version of its data
 * @param id unique among the sessions of its kind
 * @param data must be cloneable with structuredClone; all threads see the same SharedArrayBuffers
 */
export function shareSession(kind: string, id: string, data: unknown): SessionPart {
  return sharedSessions().share(kind, id, data);
}

/**
 * Calls `start` for each session of the kind that another thread shares, and ends its result with the session. A thread
 * that exits takes its parts with it; they are not ended first. Call it when a module is loaded, since a thread learns
 * of sessions from then on; only the first call in a thread counts.
 */
export function onSharedSession(kind: string, start: StartPart): void {
  sharedSessions().onShared(kind, start);
}
