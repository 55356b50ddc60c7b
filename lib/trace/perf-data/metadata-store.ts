/**
 * The metadata of EventPipe events in tracepoints: it comes once per kind of event and process, with the first event
 * written, and describes all of them.
 */
import { NetTraceError } from '../../wire/nettrace/error.ts';
import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import { readTracepointV1Metadata } from '../../wire/tracepoint-v1/metadata.ts';
import { EventKind } from '../nettrace/event-kind.ts';

/** What an event's metadata says, and what is derived from it once. */
export interface DescribedKind {
  readonly metadata: NetTraceMetadata;
  readonly kind: EventKind;
}

export class MetadataStore {
  readonly #byEvent = new Map<string, DescribedKind>();

  /** Metadata that cannot be read describes nothing: its events have no description. */
  add(tracepointId: number, processId: number | undefined, eventId: number, bytes: Uint8Array): void {
    const key = keyOf(tracepointId, processId, eventId);
    // Two threads may both have written it.
    if (this.#byEvent.has(key)) return;
    try {
      const metadata = readTracepointV1Metadata(bytes);
      this.#byEvent.set(key, { metadata, kind: new EventKind(metadata) });
    } catch (error) {
      if (!(error instanceof NetTraceError)) throw error;
    }
  }

  get(tracepointId: number, processId: number | undefined, eventId: number): DescribedKind | undefined {
    return this.#byEvent.get(keyOf(tracepointId, processId, eventId));
  }
}

function keyOf(tracepointId: number, processId: number | undefined, eventId: number): string {
  return `${tracepointId}/${processId}/${eventId}`;
}
