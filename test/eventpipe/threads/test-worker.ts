/** A worker thread that writes what it is told to. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const program = join(import.meta.dirname, '../programs/worker.mjs');

interface Order {
  readonly do: string;
  readonly from?: number;
  readonly count?: number;
  readonly n?: number;
  readonly size?: number;
  readonly done?: Int32Array;
  readonly made?: readonly string[];
}

interface Command {
  readonly heard: string;
  readonly args: object;
}

export class TestWorker {
  readonly worker: Worker;
  /** Commands that its source has heard. */
  readonly heard: Command[] = [];
  #answered: (order: Order) => void = () => {};
  /** Of Node.js; workers that have exited have none. */
  readonly id: number;

  private constructor(isLate: boolean) {
    this.worker = new Worker(program, { workerData: { isLate } });
    this.id = this.worker.threadId;
    this.worker.on('message', (message) => {
      if ('heard' in message) this.heard.push(message);
      else this.#answered(message);
    });
  }

  /** A thread that has defined its event source; `isLate`: that does so when it is told to `load`. */
  static async start({ isLate = false } = {}): Promise<TestWorker> {
    const started = new TestWorker(isLate);
    if (isLate) await new Promise((resolve) => started.worker.once('online', resolve));
    else await started.#answer();
    return started;
  }

  /** Resolves when it has done it, with what it says of that. */
  async tell(order: Order): Promise<Order> {
    this.worker.postMessage(order);
    return await this.#answer();
  }

  /** Resolves when so many sessions have asked its source, and not ended. */
  async isIn(sessions: number): Promise<void> {
    const count = (kind: string) => this.heard.filter(({ heard }) => heard === kind).length;
    while (count('enable') - count('disable') !== sessions) await setTimeout(1);
  }

  async exit(): Promise<void> {
    const exited = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.postMessage({ do: 'exit' });
    await exited;
  }

  #answer(): Promise<Order> {
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }
}
