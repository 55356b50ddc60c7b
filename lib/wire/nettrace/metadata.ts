/** What a nettrace says once for all events of one kind. */
import type { NetTraceField } from './field-type.ts';

export interface NetTraceMetadata {
  /** The id by which events refer to it. */
  readonly id: number;
  readonly provider: string;
  /** The GUID is in lower case; undefined if the trace does not contain it. */
  readonly providerGuid: string | undefined;
  readonly eventId: number;
  /** The name is empty if the trace does not contain it. */
  readonly name: string;
  readonly keywords: bigint;
  readonly version: number;
  readonly level: number;
  /** The opcode is undefined if the trace does not contain it. */
  readonly opcode: number | undefined;
  readonly fields: readonly NetTraceField[];
  /** A sentence on why the fields could not be read. */
  readonly fieldsProblem: string | undefined;
  readonly messageTemplate: string | undefined;
  readonly description: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}
