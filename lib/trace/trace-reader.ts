/** What the reader of every trace format provides to `openTrace`. */
import type { OpenedSource } from './byte-source.ts';
import type { CodeMappings } from './code-mappings.ts';
import type { Nanoseconds, TraceEvent } from './trace-event.ts';

export type TraceFormat = 'etl' | 'nettrace' | 'netperf' | 'perf.data' | 'trace.dat' | 'perfetto';

/** What a trace says about itself before its events. */
export interface TraceInfo {
  readonly format: TraceFormat;
  /** Formats with versions have one: `4`, `6`, `7`. */
  readonly formatVersion?: number;
  /** When the recording started, in nanoseconds since 1970, or on the recording's clock if that is all there is. */
  readonly startTime: Nanoseconds;
  readonly endTime?: Nanoseconds;
  /** Whether times are since 1970. */
  readonly hasWallTime: boolean;
  /** The size of an address in bytes: 4 or 8. */
  readonly pointerSize: number;
  readonly processors?: number;
  /** Traces of one process have its id. */
  readonly processId?: number;
  /** Other properties of the trace, by the format's own names. */
  readonly properties: Readonly<Record<string, string>>;
  /**
   * Which of these are missing from the trace although they should be there, in sentences: for example because an
   * optional section is empty or damaged. The events can still be read. Absent if there is nothing to report.
   */
  readonly problems?: readonly string[];
}

/** What becomes known only as the events are read; final after the last one. */
export interface TraceProgress {
  /** Events that are missing according to the recorder or to gaps in numbers. */
  lostEvents: number;
  /** Whole buffers that are missing according to the recorder. */
  lostBuffers: number;
  /** Events delivered after later ones, because the reader does not wait for everything that might be earlier. */
  lateEvents?: number;
  /** Events that have been read, and are held back until nothing older can follow. */
  waitingEvents?: number;
  /** What is in the trace, but is none of its events: how many of what, such as `ftrace packet`. */
  unread?: ReadonlyMap<string, number>;
  /** WPP messages that no TMF describes. */
  undescribedMessages?: number;
  /** The counts are absent if the trace has no stacks recorded separately from their events. */
  stacks?: StackCounts | undefined;
  /** The mappings are absent if the format does not contain the files mapped as code. */
  mappings?: CodeMappings;
  /** Names of processes by id, as far as the trace contains them. */
  readonly processNames: Map<number, string>;
  /** Processes started by process 2, which on Linux starts the kernel's threads; absent if the format has none. */
  readonly kernelProcesses?: Set<number>;
  /** How many bytes of the trace have been read. */
  bytesRead: number;
}

/** Counts stacks that are recorded separately from their events (.etl); final after the last event. */
export interface StackCounts {
  /** Events that got their stack. */
  events: number;
  /** Recorded stacks, or parts of them, whose event is not in the trace. */
  withoutEvent: number;
  /** Counts the stacks whose frames are not in the trace. */
  withoutFrames: number;
  /** Events with the kernel part of their stack, whose user-mode part did not follow. */
  withoutUserPart: number;
}

/**
 * Finds the XML of the manifests of a provider, of which the most detailed counts. Called once per provider.
 *
 * @param providerGuid lower case, without braces
 */
export type ManifestFinder = (providerGuid: string) => readonly string[];

/**
 * Finds the TMF texts that describe the WPP messages of a GUID. Called once per GUID.
 *
 * @param messageGuid lower case, without braces
 */
export type TmfFinder = (messageGuid: string) => readonly string[];

interface TraceReadOptions {
  /** Describe events of the trace (ETW). */
  readonly manifests: readonly string[] | ManifestFinder;
  /** Further files of the same recording (ETW). */
  readonly others?: readonly OpenedSource[];
  /** Describe WPP messages of the trace (ETW). */
  readonly tmf?: readonly string[] | TmfFinder;
}

export interface TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  /**
   * The events in time order, with equal times in file order, in batches of a few hundred or thousand. Memory is
   * bounded, whatever the size of the trace. Call it once. Everything is closed at the end, or when the iteration is
   * abandoned.
   *
   * @throws TraceError after all events before the fault
   */
  batches(): AsyncIterable<readonly TraceEvent[]>;
}

/** @throws TraceError if not even `TraceInfo` can be read */
export type OpenReader = (source: OpenedSource, options: TraceReadOptions) => Promise<TraceReader>;
