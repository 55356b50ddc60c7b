/** Caches what was decoded from some bytes: the same bytes are decoded only once. */

/** More than programs define; both bound what a damaged trace makes this retain. */
const MAX_KEPT = 10_000;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export class DecodeCache<Result> {
  readonly #results = new Map<string, Result>();
  readonly #make: (bytes: Uint8Array) => Result;
  #keptBytes = 0;

  constructor(make: (bytes: Uint8Array) => Result) {
    this.#make = make;
  }

  get(bytes: Uint8Array): Result {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    let result = this.#results.get(key);
    if (result === undefined) {
      result = this.#make(bytes);
      this.#keep(key, result);
    }
    return result;
  }

  #keep(key: string, result: Result): void {
    if (this.#results.size >= MAX_KEPT || this.#keptBytes + key.length > MAX_KEPT_BYTES) {
      this.#results.clear();
      this.#keptBytes = 0;
    }
    this.#results.set(key, result);
    this.#keptBytes += key.length;
  }
}
