/**
 * The metadata of EventPipe's events in tracepoints: it comes once for each event of a process, with the first
 * one that is written, and describes all of them.
 */

import { TracepointV1Error } from '../../wire/tracepoint-v1/error.ts';
import type { TracepointV1Metadata } from '../../wire/tracepoint-v1/metadata.ts';
import { readTracepointV1Metadata } from '../../wire/tracepoint-v1/metadata.ts';

export class MetadataStore {
  readonly #byEvent = new Map<string, TracepointV1Metadata>();

  /** Metadata that cannot be read describes nothing: its events stay without. */
  add(tracepointId: number, processId: number | undefined, eventId: number, bytes: Uint8Array): void {
    const key = keyOf(tracepointId, processId, eventId);
    if (this.#byEvent.has(key)) return;
    try {
      // A copy: the bytes are a view of a large piece of the trace.
      this.#byEvent.set(key, readTracepointV1Metadata(Uint8Array.from(bytes)));
    } catch (error) {
      if (!(error instanceof TracepointV1Error)) throw error;
    }
  }

  get(
    tracepointId: number,
    processId: number | undefined,
    eventId: number,
  ): TracepointV1Metadata | undefined {
    return this.#byEvent.get(keyOf(tracepointId, processId, eventId));
  }
}

function keyOf(tracepointId: number, processId: number | undefined, eventId: number): string {
  return `${tracepointId}/${processId}/${eventId}`;
}
