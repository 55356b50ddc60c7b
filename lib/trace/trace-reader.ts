/** What the reader of every trace format offers to `openTrace`. */
import type { OpenedSource } from './byte-source.ts';
import type { Nanoseconds, TraceEvent } from './trace-event.ts';

export type TraceFormat = 'etl' | 'nettrace' | 'netperf' | 'perf.data';

/** What a trace tells of itself before its events. */
export interface TraceInfo {
  readonly format: TraceFormat;
  /** Of formats that have versions: `4`, `6`. */
  readonly formatVersion?: number;
  /** When the recording started, in nanoseconds since 1970, or on the recording's clock if that is all. */
  readonly startTime: Nanoseconds;
  readonly endTime?: Nanoseconds;
  /** Whether times are since 1970. */
  readonly hasWallTime: boolean;
  /** Of an address, in bytes: 4 or 8. */
  readonly pointerSize: number;
  readonly processors?: number;
  /** Of traces of one process. */
  readonly processId?: number;
  /** What else the format tells, by its own names. */
  readonly properties: Readonly<Record<string, string>>;
  /**
   * What of this the trace does not tell although it should, in sentences: an optional section is empty or
   * damaged, say. Its events are read all the same. Absent where there is nothing to say.
   */
  readonly problems?: readonly string[];
}

/** What is known only as the events go by; final when the last one has been given. */
export interface TraceProgress {
  /** Events that the recorder says, or that gaps in numbers show, to be missing. */
  lostEvents: number;
  /** Whole buffers that the recorder says to be missing. */
  lostBuffers: number;
  /** Events that come after later ones, where a reader does not wait for all that may be earlier. */
  lateEvents?: number;
  /** Names of processes by id, as far as the trace tells. */
  readonly processNames: Map<number, string>;
  /** Bytes of the trace that have been read. */
  bytesRead: number;
}

export interface TraceReadOptions {
  /** The XML of manifests that describe events of the trace (ETW). */
  readonly manifests: readonly string[];
}

export interface TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  /**
   * The events in the order of time, those of one instant in the file's order, in batches of a few hundred or
   * thousand. Memory is bounded whatever the trace's size. To be called once. What the reader holds open is
   * closed at the end, and when the iteration is given up.
   *
   * @throws TraceError after all events that stand before the fault have been given
   */
  batches(): AsyncIterable<readonly TraceEvent[]>;
}

/** @throws TraceError where not even `TraceInfo` can be read */
export type OpenReader = (source: OpenedSource, options: TraceReadOptions) => Promise<TraceReader>;
