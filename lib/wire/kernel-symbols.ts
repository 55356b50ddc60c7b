/**
 * The functions of a Linux kernel, from its list (`/proc/kallsyms`): address in hex, type and name, with the module in
 * brackets. The kernel shows addresses only to privileged users; others see zeros.
 */
import { addressNumber } from '../base/timed-ranges.ts';
import { type NamedFunction, SymbolTable } from './symbol-table.ts';

/** Code and data: a function, which has no size, ends at the next symbol. */
const LINE = /^([0-9a-f]{8,16}) ([tTwWdDbB]) (\S{1,512})/gm;
const MAX_FUNCTIONS = 4_000_000;

export function readKernelSymbols(text: string): SymbolTable | undefined {
  const functions: NamedFunction[] = [];
  let hasAddresses = false;
  for (const [, digits = '', type = '', name = ''] of text.matchAll(LINE)) {
    const address = addressNumber(BigInt(`0x${digits}`));
    hasAddresses ||= address !== 0;
    // Of several names at an address, perf knows the size of the last one only, and prefers it.
    if (functions.at(-1)?.address === address) functions.pop();
    if (functions.length === MAX_FUNCTIONS) break;
    functions.push({ address, size: 0, name, isWeak: /w/i.test(type), isGlobal: /[A-Z]/.test(type) });
  }
  return hasAddresses ? new SymbolTable(functions) : undefined;
}
