/** Caches what was decoded from some bytes: the same bytes are decoded only once. */

/** Programs define fewer. Both limits bound what a damaged trace makes this retain. */
const MAX_KEPT = 10_000;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Entries with the same hash; only hostile traces have more, which are not kept. */
const MAX_OF_HASH = 16;
/** Bytes that are hashed at the start, and as many of the rest. */
const HASHED = 24;

interface Cached<Result> {
  readonly bytes: Uint8Array;
  readonly result: Result;
}

export class DecodeCache<Result> {
  #results = new Map<number, Cached<Result>[]>();
  readonly #make: (bytes: Uint8Array) => Result;
  #count = 0;
  #keptBytes = 0;
  #last: Cached<Result> | undefined;

  /** @param make receives a copy of the bytes */
  constructor(make: (bytes: Uint8Array) => Result) {
    this.#make = make;
  }

  /** The result for `bytes` from `start` to `end`. */
  get(bytes: Uint8Array, start = 0, end: number = bytes.length): Result {
    if (this.#last !== undefined && isSame(this.#last.bytes, bytes, start, end)) return this.#last.result;
    const hash = hashOf(bytes, start, end);
    let found = this.#results.get(hash)?.find((kept) => isSame(kept.bytes, bytes, start, end));
    if (found === undefined) {
      const own = bytes.slice(start, end);
      found = { bytes: own, result: this.#make(own) };
      this.#keep(hash, found);
    }
    this.#last = found;
    return found.result;
  }

  #keep(hash: number, made: Cached<Result>): void {
    const size = made.bytes.length;
    if (this.#count >= MAX_KEPT || this.#keptBytes + size > MAX_KEPT_BYTES) {
      this.#results = new Map();
      this.#count = 0;
      this.#keptBytes = 0;
    }
    const ofHash = this.#results.get(hash);
    if (ofHash !== undefined && ofHash.length >= MAX_OF_HASH) return;
    if (ofHash === undefined) this.#results.set(hash, [made]);
    else ofHash.push(made);
    this.#count++;
    this.#keptBytes += size;
  }
}

/** Hashes the first bytes, which contain the names, and some of the rest. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  const firstEnd = Math.min(end, start + HASHED);
  for (let at = start; at < firstEnd; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  const step = 1 + Math.floor((end - firstEnd) / HASHED);
  for (let at = firstEnd; at < end; at += step) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash;
}

function isSame(kept: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = kept;
  if (length !== end - start) return false;
  for (let at = 0; at < length; at++) if (kept[at] !== bytes[start + at]) return false;
  return true;
}
