/**
 * The metadata of EventPipe events in tracepoints: it comes once per kind of event and process, with the first event
 * written, and describes all of them.
 */

import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import type { Piece } from '../../wire/perf-data/piece.ts';
import { type SampleKind, SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { decodeTracepointV1 } from '../../wire/tracepoint-v1/decode.ts';
import { TracepointV1Error } from '../../wire/tracepoint-v1/error.ts';
import { readTracepointV1Metadata } from '../../wire/tracepoint-v1/metadata.ts';
import { EventKind } from '../nettrace/event-kind.ts';
import { rawOf } from './sample-event.ts';

/** What an event's metadata says, and what is derived from it once. */
export interface DescribedKind {
  readonly metadata: NetTraceMetadata;
  readonly kind: EventKind;
}

/** The data of a sample that EventPipe has written, from the version on. */
export function eventPipeData(sample: SampleRecord, format: TracepointFormat): Uint8Array {
  return rawOf(sample).subarray(format.fields[0]?.offset);
}

export class MetadataStore {
  readonly #byEvent = new Map<string, DescribedKind>();

  /** Adds the metadata of a sample, if it carries any. Call it for each sample, in file order. */
  preview(kind: SampleKind, piece: Piece, start: number, end: number): void {
    const { tracepoint, isOfEventPipe } = kind;
    if (!isOfEventPipe || tracepoint === undefined) return;
    const sample = new SampleRecord(kind, piece, start, end);
    try {
      const { eventId, metadata } = decodeTracepointV1(eventPipeData(sample, tracepoint));
      if (metadata !== undefined) this.#add(tracepoint.id, sample.pid, eventId, metadata);
    } catch (error) {
      // The event reports this itself.
      if (!(error instanceof TracepointV1Error)) throw error;
    }
  }

  /** Metadata that cannot be read describes nothing: its events have no description. */
  #add(tracepointId: number, processId: number | undefined, eventId: number, bytes: Uint8Array): void {
    const key = keyOf(tracepointId, processId, eventId);
    // Two threads may both have written it.
    if (this.#byEvent.has(key)) return;
    try {
      const metadata = readTracepointV1Metadata(bytes);
      this.#byEvent.set(key, { metadata, kind: new EventKind(metadata) });
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
    }
  }

  get(tracepointId: number, processId: number | undefined, eventId: number): DescribedKind | undefined {
    return this.#byEvent.get(keyOf(tracepointId, processId, eventId));
  }
}

function keyOf(tracepointId: number, processId: number | undefined, eventId: number): string {
  return `${tracepointId}/${processId}/${eventId}`;
}
