import { Fault } from '../fault.ts';

/** Why an .etl file, or a part of one, cannot be read. */
export class EtlError extends Fault {
  override readonly name = 'EtlError';
}
