import { Fault } from '../fault.ts';

/** Why a page of ftrace's ring buffer cannot be read. */
export class FtraceError extends Fault {
  override readonly name = 'FtraceError';
}
