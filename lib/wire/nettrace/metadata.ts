/** What a nettrace tells once of all events of one kind. */
import type { NetTraceField } from './field-type.ts';

export interface NetTraceMetadata {
  /** What events refer to it by. */
  readonly id: number;
  readonly provider: string;
  /** Lower case; undefined where the trace does not tell. */
  readonly providerGuid: string | undefined;
  readonly eventId: number;
  /** Empty where the trace does not tell. */
  readonly name: string;
  readonly keywords: bigint;
  readonly version: number;
  readonly level: number;
  /** Undefined where the trace does not tell. */
  readonly opcode: number | undefined;
  readonly fields: readonly NetTraceField[];
  /** A sentence on why the fields could not be read. */
  readonly fieldsProblem: string | undefined;
  readonly messageTemplate: string | undefined;
  readonly description: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}
