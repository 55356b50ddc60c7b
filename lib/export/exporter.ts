/** What the exports to all formats share. */
import type { CodeMappings } from '../trace/code-mappings.ts';
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { TraceInfo } from '../trace/trace-reader.ts';
import type { KnownProcesses } from '../view/process-service.ts';

/** What is known about a trace before its events. */
export interface ExportedTrace extends KnownProcesses {
  readonly name: string;
  readonly info: TraceInfo;
  /** Additional attributes of the resource of OTLP spans and profiles. */
  readonly resource?: object;
}

/** What exports need to know of a trace while it is read: names of processes come with its events. */
export function exportedTrace(trace: Trace, name: string): ExportedTrace {
  return {
    name,
    info: trace.info,
    get processNames() {
      return trace.processNames;
    },
    get kernelProcesses() {
      return trace.kernelProcesses;
    },
  };
}

/** What is known after them. */
export interface ExportedEnd {
  readonly lostEvents: number;
  readonly processNames: ReadonlyMap<number, string>;
  readonly mappings?: CodeMappings | undefined;
}

export type ExportedPiece = string | Uint8Array;

export interface Exporter {
  /** Takes the next event in time order. */
  add(event: TraceEvent): void;
  /** Whether `take` should be called. */
  readonly isFull: boolean;
  /** The next chunk of the file. */
  take(): ExportedPiece;
  /** The last chunks; for exports that cannot be streamed, everything. */
  end(end: ExportedEnd): Iterable<ExportedPiece>;
  /** These sentences say, after the end, what the file lacks compared with the trace. */
  readonly notices: readonly string[];
  /** This says, after the end, what the file has, if not each of the events that were added, such as `3 spans`. */
  readonly contents?: string;
}

/** The size of a chunk in characters or bytes. */
export const PIECE_SIZE = 1 << 16;
