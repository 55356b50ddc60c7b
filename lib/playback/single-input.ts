/** Runs a playback's inputs. A single one needs no merge and no queue. */
import type { Observable, Subscription } from 'rxjs';
import type { Deliver, Deserializer } from './deserializer.ts';
import type { Batches } from './feed.ts';

export interface InputRun {
  /**
   * Starts immediately. Resolves when the inputs have ended or have been closed.
   *
   * @throws the error of the first input that fails, after the events before it
   */
  run(deliver: Deliver): Promise<void>;
  /** Releases what the inputs hold, even after they have ended or failed. */
  close(): Promise<void>;
}

/** What the observable pushes is delivered before its `next` returns. */
export class SoloPush implements InputRun {
  readonly #feed: Observable<unknown>;
  readonly #deserializer: Deserializer<unknown>;
  #subscription: Subscription | undefined;
  #isClosed = false;
  #end: () => void = () => {};

  constructor(feed: Observable<unknown>, deserializer: Deserializer<unknown>) {
    this.#feed = feed;
    this.#deserializer = deserializer;
  }

  run(deliver: Deliver): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#subscription = this.#feed.subscribe({
        next: (raw) => {
          if (this.#isClosed) return;
          try {
            this.#deserializer.read(raw, deliver);
          } catch (error) {
            reject(error);
            void this.close();
          }
        },
        error: reject,
        complete: resolve,
      });
      // Closed by an event that arrived during `subscribe`.
      if (this.#isClosed) this.#subscription.unsubscribe();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#subscription?.unsubscribe();
    this.#end();
  }
}

export class SoloPull implements InputRun {
  readonly #batches: Batches<unknown>;
  readonly #deserializer: Deserializer<unknown>;
  #isClosed = false;
  #isPulling = false;
  #end: () => void = () => {};

  constructor(batches: Batches<unknown>, deserializer: Deserializer<unknown>) {
    this.#batches = batches;
    this.#deserializer = deserializer;
  }

  run(deliver: Deliver): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#pull(deliver).then(resolve, reject);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const returned = this.#batches.return?.().catch(() => {});
    this.#end();
    // While a batch is pending, this would wait, too: a generator returns only after yielding it.
    if (!this.#isPulling) await returned;
  }

  async #pull(deliver: Deliver): Promise<void> {
    while (!this.#isClosed) {
      this.#isPulling = true;
      const batch = await this.#batches.next();
      this.#isPulling = false;
      if (batch.done === true) return;
      for (const raw of batch.value) {
        if (this.#isClosed) return;
        this.#deserializer.read(raw, deliver);
      }
    }
  }
}
