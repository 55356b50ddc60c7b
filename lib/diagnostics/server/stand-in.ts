/**
 * Serves clients while this thread is stuck in JavaScript. A small native thread notices waiting clients and makes V8
 * interrupt the JavaScript, as for inspectors, to start a worker thread; until then, nothing runs. When this thread is
 * back, the worker passes its clients on and ends.
 */
import { Worker } from 'node:worker_threads';
import { packageFile } from '../../base/package-files.ts';
import { doAtExit } from '../../listen/at-exit.ts';
import { osThreadId } from '../../listen/os-thread-id.ts';
import { thisProcess } from '../../listen/this-process.ts';
import { CLOCK_OFFSET } from '../../listen/timestamp.ts';
import type { UnixSockets } from '../../platform/unix-socket.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import type { FromStandIn, PassedClient, StandInData, ToStandIn } from './stand-in-messages.ts';

/** How long a client must wait until this thread counts as stuck. */
const PATIENCE_MS = 400;
/** If this thread cannot accept clients although it is not stuck, a worker would not help. */
const MIN_INTERVAL_MS = 5000;
/** How long the exit of the process waits for the worker. */
const EXIT_MS = 500;
/** Node.js aborts if a worker exits before this thread has noticed that the worker's inspector is disconnected. */
const PARTING_MS = 100;
const INTERRUPTED_TURNS = 100_000;
/** The number of session ids reserved for each stand-in, far from those of this thread. */
const SESSION_IDS = 1n << 32n;

/** Takes over a client. */
export type ServeOn = (connection: DescriptorConnection, client: PassedClient) => void;

export class StandIn {
  readonly #sockets: UnixSockets;
  readonly #serveOn: ServeOn;
  readonly #program = packageFile('dist/cjs/stand-in.cjs');
  readonly #listeners = new Set<number>();
  #worker: Worker | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0n;

  constructor(sockets: UnixSockets, serveOn: ServeOn) {
    this.#sockets = sockets;
    this.#serveOn = serveOn;
  }

  /** Stands in for this thread for the clients of a listener. */
  watch(listener: number): void {
    if (this.#program === undefined) return;
    if (this.#sockets.watchWaiting(listener, PATIENCE_MS, () => this.#start())) this.#listeners.add(listener);
  }

  /** Call this before closing the listener. */
  unwatch(listener: number): void {
    if (this.#listeners.delete(listener)) this.#sockets.unwatchWaiting(listener);
  }

  /** Runs in the middle of the application's JavaScript. */
  #start(): void {
    if (this.#worker !== undefined || performance.now() - this.#startedAt < MIN_INTERVAL_MS) return;
    this.#startedAt = performance.now();
    const hasLeft = new Int32Array(new SharedArrayBuffer(4));
    const data: StandInData = {
      listeners: [...this.#listeners],
      process: thisProcess(),
      stuck: {
        osThreadId: osThreadId() ?? 0,
        clockOffset: CLOCK_OFFSET,
        waitedMs: PATIENCE_MS,
        isCovered: process.env.NODE_V8_COVERAGE !== undefined,
      },
      firstSession: ++this.#count * SESSION_IDS,
      hasLeft,
    };
    // Without the application's preloaded modules.
    const worker = new Worker(this.#program as string, {
      workerData: data,
      env: {},
      execArgv: [],
      trackUnmanagedFds: false,
    });
    worker.unref();
    this.#worker = worker;
    const forgetExit = doAtExit(() => {
      send(worker, 'exit');
      Atomics.wait(hasLeft, 0, 0, EXIT_MS);
      takeInterrupts();
    });
    worker.on('message', (message: FromStandIn) => this.#take(message, worker));
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = undefined;
      forgetExit();
    });
  }

  #take(message: FromStandIn, worker: Worker): void {
    if (message === 'here') send(worker, 'back');
    else if (message === 'done') setTimeout(() => send(worker, 'end'), PARTING_MS).unref();
    else {
      const { descriptor, request, session } = message;
      // The bytes read ahead are a request, unless a session has already answered it.
      const ahead = session === undefined ? request : undefined;
      const connection = new DescriptorConnection(this.#sockets, descriptor, ahead);
      connection.send(message.unsent);
      this.#serveOn(connection, message);
    }
  }
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
