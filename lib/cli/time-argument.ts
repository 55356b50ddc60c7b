/** A time as given on the command line. */
import type { Nanoseconds, TraceEvent } from '../trace/trace-event.ts';
import { UsageError } from './usage-error.ts';

export interface TimeArgument {
  readonly ns: Nanoseconds;
  /** The time of an event to compare it with. */
  of(event: TraceEvent): Nanoseconds;
}

const NS_PER_UNIT: Readonly<Record<string, number>> = { '': 1e9, s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

/**
 * @param text since the start of the trace: a number, in seconds unless it has a unit; otherwise a date
 * @throws UsageError
 */
export function timeArgument(option: string, text: string): TimeArgument {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?(s|ms|us|ns)?$/.exec(text) ?? [];
  if (number !== undefined) {
    const ns = BigInt(Math.round(Number(number) * (NS_PER_UNIT[unit] as number)));
    return { ns, of: (event) => event.timeSinceStart };
  }
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) {
    throw new UsageError(
      `${option} takes seconds since the start of the trace (1.5, 200ms) or a date (2024-05-17T10:20:30Z), not "${text}".`,
    );
  }
  return { ns: BigInt(ms) * 1_000_000n, of: (event) => event.timestamp };
}
