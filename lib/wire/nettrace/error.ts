import { Fault } from '../fault.ts';

/** Why a nettrace cannot be read, or not to its end. */
export class NetTraceError extends Fault {
  override readonly name = 'NetTraceError';
}
