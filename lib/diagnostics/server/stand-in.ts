/**
 * Serves clients while this thread is stuck in JavaScript. A small native thread notices waiting clients and makes V8
 * interrupt the JavaScript, as for inspectors, to start a worker thread; until then, nothing runs. When this thread is
 * back, the worker passes its clients on and ends.
 */
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { runningActivity, sharedActivities } from '../../activity/shared.ts';
import { packageFile } from '../../base/package-files.ts';
import type { StuckActivity, StuckThread } from '../../eventpipe/stuck-thread/stuck-session.ts';
import { doAtExit } from '../../listen/at-exit.ts';
import { osThreadId } from '../../listen/os-thread-id.ts';
import { thisProcess } from '../../listen/this-process.ts';
import { CLOCK_OFFSET, msSince } from '../../listen/timestamp.ts';
import type { UnixSocket, UnixSockets } from '../../platform/unix-socket.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import type {
  FromStandIn,
  PassedClient,
  PassedListener,
  StandInData,
  ToStandIn,
} from './stand-in-messages.ts';

/** How long a client must wait until this thread counts as stuck. */
const PATIENCE_MS = 400;
/** If this thread cannot accept clients although it is not stuck, a worker would not help. */
const MIN_INTERVAL_MS = 5000;
/** How long the exit of the process waits for the worker. */
const EXIT_MS = 500;
/** Node.js aborts if a worker exits before this thread has noticed that the worker's inspector is disconnected. */
const PARTING_MS = 100;
const INTERRUPTED_TURNS = 100_000;
const MAX_OPEN = 1000;
/** The number of session ids reserved for each stand-in, far from those of this thread. */
const SESSION_IDS = 1n << 32n;

/** Takes over a client of a listening socket. */
type ServeOn = (connection: DescriptorConnection, client: PassedClient) => void;

export class StandIn {
  readonly #sockets: UnixSockets;
  /** The program is a URL, because parsing one changes a buffer that Node.js's functions share. */
  readonly #program = programUrl();
  readonly #process = thisProcess();
  readonly #osThreadId = osThreadId() ?? 0;
  /** The key is the listener's id. */
  readonly #listeners = new Map<number, { readonly socket: UnixSocket; readonly serveOn: ServeOn }>();
  #worker: Worker | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0n;
  #lastListener = 0;

  constructor(sockets: UnixSockets) {
    this.#sockets = sockets;
  }

  /**
   * Stands in for this thread for the clients of a listening socket.
   *
   * @returns ends this
   */
  watch(socket: UnixSocket, serveOn: ServeOn): () => void {
    const isWatched = this.#program !== undefined && socket.watchWaiting(PATIENCE_MS, () => this.#start());
    const id = ++this.#lastListener;
    if (isWatched) this.#listeners.set(id, { socket, serveOn });
    return () => this.#listeners.delete(id);
  }

  /**
   * Runs in the middle of the application's JavaScript, even between a call of `fs.statSync` and the reading of its
   * result from a buffer of Node.js's: so this must not call functions that have one, such as those of `fs`.
   */
  #start(): void {
    if (this.#worker !== undefined || performance.now() - this.#startedAt < MIN_INTERVAL_MS) return;
    this.#startedAt = performance.now();
    const hasLeft = new Int32Array(new SharedArrayBuffer(4));
    const listeners = this.#duplicates();
    const data: StandInData = {
      listeners,
      process: this.#process,
      stuck: {
        osThreadId: this.#osThreadId,
        clockOffset: CLOCK_OFFSET,
        waitedMs: PATIENCE_MS,
        isCovered: process.env.NODE_V8_COVERAGE !== undefined,
        ...openActivities(),
      },
      firstSession: ++this.#count * SESSION_IDS,
      hasLeft,
    };
    const worker = this.#startWorker(data);
    if (worker === undefined) return;
    this.#worker = worker;
    const forgetExit = doAtExit(() => {
      send(worker, 'exit');
      Atomics.wait(hasLeft, 0, 0, EXIT_MS);
      takeInterrupts();
    });
    let isHere = false;
    worker.on('message', (message: FromStandIn) => {
      isHere = true;
      this.#take(message, worker);
    });
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = undefined;
      if (!isHere) this.#close(listeners);
      forgetExit();
    });
  }

  /** The worker's own: this thread may close a socket at any time, and the number then belongs to another file. */
  #duplicates(): PassedListener[] {
    const listeners: PassedListener[] = [];
    try {
      for (const [id, { socket }] of this.#listeners) {
        listeners.push({ id, descriptor: socket.duplicate().release() });
      }
    } catch {
      // Too many files are open. The clients of this socket wait for this thread.
    }
    return listeners;
  }

  /** @returns undefined if the system has no room for a thread */
  #startWorker(data: StandInData): Worker | undefined {
    const begin = () =>
      new Worker(this.#program as URL, {
        workerData: data,
        env: {},
        // Without the application's preloaded modules.
        execArgv: [],
        trackUnmanagedFds: false,
        // Otherwise this would open the streams of the process.
        stdout: true,
        stderr: true,
      });
    try {
      // This may interrupt the writing of an event, whose memory another one would overwrite.
      const worker = sharedActivities().flow.quietly(begin);
      worker.unref();
      return worker;
    } catch {
      this.#close(data.listeners);
      return undefined;
    }
  }

  /** The worker has not taken them. */
  #close(listeners: readonly PassedListener[]): void {
    for (const { descriptor } of listeners) this.#sockets.adopt(descriptor).close();
  }

  #take(message: FromStandIn, worker: Worker): void {
    if (message === 'here') send(worker, 'back');
    else if (message === 'done') setTimeout(() => send(worker, 'end'), PARTING_MS).unref();
    else {
      const { descriptor, listener, request, session } = message;
      // The bytes read ahead are a request, unless a session has already answered it.
      const ahead = session === undefined ? request : undefined;
      const connection = new DescriptorConnection(this.#sockets.adopt(descriptor), ahead);
      connection.send(message.unsent);
      const { serveOn } = this.#listeners.get(listener) ?? {};
      if (serveOn === undefined) connection.close();
      else serveOn(connection, message);
    }
  }
}

/** What of the thread is open. The functions that describe requests only read properties; those of others may do anything. */
function openActivities(): Pick<StuckThread, 'open' | 'running'> {
  const shared = sharedActivities();
  const open = shared.tracker.open().slice(-MAX_OPEN);
  return {
    open: open.flatMap(({ id, relatedActivityId, start }) => {
      if (start === undefined) return [];
      const { time, payload, starter } = start;
      const { provider, task } = starter;
      const isRequest = provider === 'Node.Http' && typeof payload === 'function';
      return {
        id: id.toString(),
        relatedId: relatedActivityId?.toString(),
        provider,
        task,
        startedAgoMSec: msSince(time),
        request: isRequest ? requestOf(payload as () => object) : undefined,
      };
    }),
    running: runningActivity(shared)?.toString(),
  };
}

function requestOf(payload: () => object): StuckActivity['request'] {
  try {
    const { method, pathAndQuery } = payload() as Record<string, unknown>;
    return { method: String(method), pathAndQuery: String(pathAndQuery) };
  } catch {
    return undefined;
  }
}

function programUrl(): URL | undefined {
  const path = packageFile('dist/cjs/stand-in.cjs');
  return path === undefined ? undefined : pathToFileURL(path);
}

/** V8 handles interrupts at the end of each loop iteration. */
function takeInterrupts(): number {
  let turns = 0;
  while (turns < INTERRUPTED_TURNS) turns++;
  return turns;
}

function send(worker: Worker, message: ToStandIn): void {
  worker.postMessage(message);
}
