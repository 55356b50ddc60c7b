/**
 * The decoded payloads of a batch's events, up to a limit: a batch retains its events until the next one, and decoded
 * they can take a hundred times the memory of their bytes. Beyond the limit, payloads are dropped and decoded again on
 * access.
 */

/** An event that caches its decoded payload. */
export interface PayloadHolder {
  forgetPayload(): void;
}

const BYTES_OF_EVENT = 100;
/** The approximate size of a small object. */
const BYTES_OF_VALUE = 100;
const BYTES_OF_CHARACTER = 2;

/** The budget is in bytes, as far as known. */
const BUDGET = 64 * 1024 * 1024;

export class DecodedPayloads {
  #holders: PayloadHolder[] = [];
  #weight = 0;

  /** The previous batch is no longer tracked. */
  startBatch(): void {
    this.#holders = [];
    this.#weight = 0;
  }

  /**
   * Records that an event has cached its payload.
   *
   * @param size of its payload in bytes
   * @param values the number of values in it
   */
  add(holder: PayloadHolder, size: number, values: number): void {
    this.#weight += BYTES_OF_EVENT + BYTES_OF_VALUE * values + BYTES_OF_CHARACTER * size;
    if (this.#weight > BUDGET) {
      for (const earlier of this.#holders) earlier.forgetPayload();
      this.startBatch();
    }
    this.#holders.push(holder);
  }
}
