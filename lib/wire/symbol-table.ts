/** Function names by address, for one file or the kernel; if several share an address, the one that perf chooses. */

export interface NamedFunction {
  readonly address: number;
  /** 0 if unknown: then the function ends where the next one starts. */
  readonly size: number;
  readonly name: string;
  /** Where its section ends, if known. */
  readonly limit?: number | undefined;
  readonly isWeak?: boolean;
  readonly isGlobal?: boolean;
}

const PAGE = 4096;
/** The number of functions before an address to examine for one that reaches it. */
const MAX_LOOKED_THROUGH = 16;

export class SymbolTable {
  /** If several share an address, the chosen one is last; among equals, that is the first in the file. */
  readonly #functions: readonly NamedFunction[];

  constructor(functions: readonly NamedFunction[]) {
    this.#functions = [...functions].reverse().sort((a, b) => a.address - b.address || preference(a, b));
  }

  nameAt(address: number): string | undefined {
    const all = this.#functions;
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((all[middle] as NamedFunction).address <= address) low = middle + 1;
      else high = middle;
    }
    const last = low - 1;
    for (let i = last; i >= 0 && i > last - MAX_LOOKED_THROUGH; i--) {
      const { address: start, size, name } = all[i] as NamedFunction;
      if (size > 0 && address < start + size) return name;
    }
    // Only if no function with a size reaches it: functions may contain labels.
    const nearest = all[last];
    if (nearest === undefined || nearest.size > 0) return undefined;
    const next = all[low]?.address ?? (Math.floor(nearest.address / PAGE) + 2) * PAGE;
    return address < Math.min(next, nearest.limit ?? next) ? nearest.name : undefined;
  }
}

/** Negative if `b` is preferred. Source: Linux `tools/perf/util/symbol.c`, choose_best_symbol. */
function preference(a: NamedFunction, b: NamedFunction): number {
  return (
    Number(a.size > 0) - Number(b.size > 0) ||
    Number(b.isWeak === true) - Number(a.isWeak === true) ||
    Number(a.isGlobal === true) - Number(b.isGlobal === true) ||
    underscores(b) - underscores(a) ||
    a.name.length - b.name.length
  );
}

function underscores({ name }: NamedFunction): number {
  return name.length - name.replace(/^_+/, '').length;
}
