/**
 * Names of .NET's JIT-compiled methods by code address, from the runtime's events: it describes a method when it
 * compiles it, and all methods when the recording ends.
 *
 * Source: Microsoft's "Method Events" of the .NET runtime (MethodLoadVerbose, MethodDCEndVerbose).
 */
import type { TraceEvent } from '../../trace/trace-event.ts';

interface Method {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** For all processes together, to bound memory. */
const MAX_METHODS = 1_000_000;

export class MethodNames {
  readonly #methods = new Map<number | undefined, Method[]>();
  #count = 0;
  #isSorted = true;

  add(event: TraceEvent): void {
    if (!event.name.startsWith('Method') || !event.name.endsWith('Verbose')) return;
    const { MethodStartAddress: start, MethodSize: size, MethodNamespace, MethodName } = event.payload;
    if (typeof start !== 'bigint' || typeof size !== 'number' || this.#count >= MAX_METHODS) return;
    let ofProcess = this.#methods.get(event.processId);
    if (ofProcess === undefined) {
      ofProcess = [];
      this.#methods.set(event.processId, ofProcess);
    }
    // No program runs code beyond 2^53.
    const from = Number(start);
    ofProcess.push({ start: from, end: from + size, name: `${MethodNamespace}.${MethodName}` });
    this.#count++;
    this.#isSorted = false;
  }

  /** Undefined if no known method covers the address. */
  nameOf(processId: number | undefined, address: bigint): string | undefined {
    if (!this.#isSorted) {
      for (const methods of this.#methods.values()) methods.sort((a, b) => a.start - b.start);
      this.#isSorted = true;
    }
    const methods = this.#methods.get(processId) ?? [];
    const at = Number(address);
    let low = 0;
    let high = methods.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((methods[middle] as Method).start <= at) low = middle + 1;
      else high = middle;
    }
    const method = methods[low - 1];
    return method !== undefined && at < method.end ? method.name : undefined;
  }
}
