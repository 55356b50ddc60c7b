import { Fault } from '../fault.ts';

/** Why perf.data cannot be read. */
export class PerfDataError extends Fault {
  override readonly name = 'PerfDataError';
}
