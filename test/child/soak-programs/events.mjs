/** Events that are counted as they are written, and interruptions of their writing. */
import vm from 'node:vm';
import { defineEventSource, event } from '../../../dist/index.js';

export const PROVIDER = 'Endurance';
export const log = defineEventSource(PROVIDER, {
  Ping: event({ n: 'int32', text: 'string' }),
  RequestStart: event({ n: 'int32' }),
  RequestStop: event({ success: 'bool' }),
});

/** A thread's counts: events that it began to write, and how many of these calls returned. */
const BEGUN = 0;
const RETURNED = 1;
/** A thread's counts in shared memory, so that they survive its termination. */
export const newCounts = () => new Int32Array(new SharedArrayBuffer(8));
export const begunIn = (counts) => counts[BEGUN];
export const returnedIn = (counts) => counts[RETURNED];

export class Interruptions {
  #counts;
  #random;
  #text = 'x'.repeat(3000);
  #n = 0;

  constructor(counts, random) {
    this.#counts = counts;
    this.#random = random;
  }

  ping() {
    const text = this.#text.slice(0, 10 + (this.#n % 7) * 200);
    this.#counts[BEGUN]++;
    log.Ping({ n: this.#n++, text });
    this.#counts[RETURNED]++;
  }

  /** Overflows the stack during events, at a different point each time. */
  overflow() {
    const padding = Array.from({ length: this.#random.below(40) }, (_, i) => i);
    const descend = (..._) => {
      this.ping();
      descend(...padding);
    };
    try {
      descend(...padding);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }

  /** The same inside activities, which write an event when they begin and one when they end. */
  overflowInActivities() {
    const descend = () => log.activity('Request', { n: this.#n++ }, descend);
    try {
      descend();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }

  /** Makes each allocation fail with this probability while events are written. */
  failAllocations(probability = 0.2) {
    const { allocUnsafeSlow } = Buffer;
    const { slice } = Uint8Array.prototype;
    const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
    const failing = (allocate) =>
      function (...args) {
        if (isFailing && random.below(1000) < 1000 * probability)
          throw new RangeError('Array buffer allocation failed');
        return Reflect.apply(allocate, this, args);
      };
    const random = this.#random;
    let isFailing = false;
    Buffer.allocUnsafeSlow = failing(allocUnsafeSlow);
    typedArray.slice = failing(slice);
    try {
      isFailing = true;
      for (let i = 0; i < 2000; i++) this.ping();
    } finally {
      isFailing = false;
      Buffer.allocUnsafeSlow = allocUnsafeSlow;
      typedArray.slice = slice;
    }
  }

  /** Terminates the writing code at any point. */
  terminate() {
    globalThis.writeOn = () => {
      for (;;) this.ping();
    };
    try {
      vm.runInThisContext('writeOn()', { timeout: 1 + this.#random.below(3) });
    } catch (error) {
      if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  }

  /** One of them at random. */
  any() {
    const all = ['overflow', 'failAllocations', 'terminate'];
    this[this.#random.of(all)]();
  }
}
