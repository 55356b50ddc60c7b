/**
 * What rows are partitioned by: the day of a time, and the name of a service, which any trace may choose. Folders have
 * names as Hive escapes them, which readers turn back. What no system allows in a name is escaped as well, and what is
 * too long for one is cut.
 */

/** The limit counts bytes of UTF-8: file systems allow 255, some of which other parts of a name take. */
const MAX_BYTES = 180;
/** Hive's own list, and what Windows does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among them
const ESCAPED = /[\0-\x1f\x7f"#%'*/:=?\\{[\]^<>|]|[. ]$/g;
const DAY_NS = 86_400_000_000_000n;

/** `my%2Fapp` */
export function hiveName(text: string): string {
  let name = '';
  let bytes = 0;
  for (const character of Buffer.from(text).toString().replace(ESCAPED, percent)) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) return name.replace(/%[\dA-F]?$/, '');
    name += character;
  }
  return name;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Times of a trace in nanoseconds since 1970, and their days. */
export class ParquetClock {
  readonly startTime: bigint;
  #day = 0;
  #dayStart = 0n;
  #dayEnd = -1n;

  constructor(startTime: bigint) {
    this.startTime = BigInt.asIntN(64, startTime);
  }

  /** @param ns since the start of the trace */
  time(ns: number): bigint {
    return BigInt.asIntN(64, this.startTime + BigInt(Math.round(ns)));
  }

  /** Returns the number of the day since 1970. */
  dayOf(time: bigint): number {
    if (time < this.#dayStart || time >= this.#dayEnd) {
      const rest = time % DAY_NS;
      this.#dayStart = time - rest - (rest < 0n ? DAY_NS : 0n);
      this.#dayEnd = this.#dayStart + DAY_NS;
      this.#day = Number(this.#dayStart / DAY_NS);
    }
    return this.#day;
  }
}
