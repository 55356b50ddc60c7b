/**
 * The names of sampled functions by the rule of TraceEvent's TraceLog (TraceLog.cs, SetupCallbacks, AddMethod): starts of
 * compiled methods name the addresses of the whole file, ends only those of the stacks before them.
 */
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';

const JITTED = 0x8;

/** For each sample its functions, the innermost first; `?` for one without a name. */
export function traceLogStacks(events: readonly TraceEvent[]): string[][] {
  const stacks: { readonly addresses: readonly bigint[]; readonly names: (string | undefined)[] }[] = [];
  const nameAll = ({ payload }: TraceEvent) => {
    const start = payload.MethodStartAddress as bigint;
    const end = start + BigInt(payload.MethodSize as number);
    for (const { addresses, names } of stacks) {
      for (const [i, address] of addresses.entries()) {
        if (address >= start && address < end) names[i] ??= String(payload.MethodName);
      }
    }
  };
  const starts: TraceEvent[] = [];
  for (const event of events) {
    const { name, stack = [], payload } = event;
    if (name === 'Thread/Sample') stacks.push({ addresses: stack, names: stack.map(() => undefined) });
    else if (name === 'Method/DCStopVerbose') nameAll(event);
    else if (/^Method\/(?:DCStart|Load)Verbose$/.test(name) && Number(payload.MethodFlags) & JITTED) {
      starts.push(event);
    }
  }
  for (const event of starts) nameAll(event);
  return stacks.map(({ names }) => names.map((name) => name ?? '?'));
}
