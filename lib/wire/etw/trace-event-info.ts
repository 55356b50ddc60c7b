/**
 * TRACE_EVENT_INFO and EVENT_MAP_INFO, by which merged traces describe the events of manifests.
 */
import type { EventDescription, PackedMap } from '../packed/field.ts';

/** The description of one event of one provider. */
export interface TraceEventInfo {
  /** Lower case. */
  readonly providerGuid: string;
  readonly id: number;
  readonly version: number;
  readonly description: EventDescription;
}

/** A map of one provider. */
export interface EventMapInfo {
  /** Lower case. */
  readonly providerGuid: string;
  readonly map: PackedMap;
}

/**
 * @returns undefined where the bytes are not such a structure
 */
export function parseTraceEventInfo(_bytes: Uint8Array): TraceEventInfo | undefined {
  return undefined;
}

/**
 * @returns undefined where the bytes are not such a structure
 */
export function parseEventMapInfo(_bytes: Uint8Array): EventMapInfo | undefined {
  return undefined;
}
