/**
 * The payloads that the events of a batch have been decoded into, for as long as they are not too many: a batch
 * keeps its events until the next one, and decoded they may take a hundred times the memory of their bytes.
 * An event that has been forgotten is decoded again when its payload is asked for again.
 */

/** An event that keeps the payload it has decoded. */
export interface PayloadHolder {
  forgetPayload(): void;
}

const BYTES_OF_EVENT = 100;
/** A small object takes as much. */
const BYTES_OF_VALUE = 100;
const BYTES_OF_CHARACTER = 2;

/** In bytes, as far as they can be told. */
const BUDGET = 64 * 1024 * 1024;

export class DecodedPayloads {
  #holders: PayloadHolder[] = [];
  #weight = 0;

  /** The batch before is not what this is about any more. */
  startBatch(): void {
    this.#holders = [];
    this.#weight = 0;
  }

  /**
   * Notes that an event keeps what it has decoded.
   *
   * @param size bytes of its payload
   * @param values how many values they are
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
