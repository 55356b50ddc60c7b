/** The input for writing a nettrace: the trace, its kinds of events, its threads, and the events. */
import type { GuidWords } from '../../guid.ts';
import type { NetTraceField } from '../field-type.ts';

export type WrittenVersion = 4 | 6;

export interface WrittenTrace {
  /** The time of day at `syncTicks`, in milliseconds since 1970. */
  readonly startTimeMs: number;
  /** The time on the clock of the events, at the same moment, and that clock's ticks per second. */
  readonly syncTicks: bigint;
  readonly ticksPerSecond: bigint;
  /** The size of addresses in bytes. */
  readonly pointerSize: 4 | 8;
  /** The id of all events in version 4, where the default is 0; in version 6, that of threads without one. */
  readonly processId?: number | undefined;
  readonly processors?: number | undefined;
  /** Nanoseconds between CPU samples. */
  readonly samplingInterval?: number | undefined;
  /** Additional properties for version 6. */
  readonly properties?: Iterable<readonly [key: string, value: string]> | undefined;
}

/** The members marked below are omitted in version 4. */
export interface WrittenMetadata {
  readonly provider: string;
  /** Version 6. */
  readonly providerGuid?: string | undefined;
  readonly eventId: number;
  readonly name: string;
  readonly keywords: bigint;
  readonly version: number;
  readonly level: number;
  /** If omitted, readers infer it from the name. */
  readonly opcode?: number | undefined;
  /** Version 4 has only the types up to `Array`. */
  readonly fields: readonly NetTraceField[];
  /** The texts from here on are of version 6. */
  readonly messageTemplate?: string | undefined;
  readonly description?: string | undefined;
  readonly properties?: Iterable<readonly [key: string, value: string]> | undefined;
}

/** A thread in version 4 is only its id, 0 if there is none. */
export interface WrittenThread {
  readonly processId?: number | undefined;
  readonly threadId?: number | undefined;
  readonly name?: string | undefined;
  readonly properties?: Iterable<readonly [key: string, value: string]> | undefined;
}

/** What version 6 attaches to events besides their fields. The last four override the metadata. */
export interface WrittenLabels {
  /** 32 hex digits, as in W3C's traceparent. */
  readonly traceId?: string | undefined;
  /** 16 hex digits. */
  readonly spanId?: string | undefined;
  readonly pairs?: Iterable<readonly [key: string, value: string | bigint]> | undefined;
  readonly opcode?: number | undefined;
  readonly keywords?: bigint | undefined;
  readonly level?: number | undefined;
  readonly version?: number | undefined;
}

/** A thread as the writer knows it: see `NetTraceWriter.thread`. */
export interface ThreadHandle {
  /** Its index in the trace; in version 4 the system's id. */
  readonly id: number;
  /** The 32-bit number of the last event that was written or dropped. */
  readonly sequence: number;
}

/** Receives the events of a trace, or of several: see `NetTraceRounds`. */
export interface EventSink {
  define(metadata: WrittenMetadata): number;
  thread(thread: WrittenThread): ThreadHandle;
  removeThread(thread: ThreadHandle): void;
  write(event: WrittenEvent): void;
  drop(thread: ThreadHandle, count: number): void;
}

export interface WrittenEvent {
  /** `NetTraceWriter.define` returns the id. */
  readonly metadataId: number;
  /** `NetTraceWriter.thread` returns the thread, which writes the event, and determines its order. */
  readonly thread: ThreadHandle;
  /** The thread that the event is about, if different: a sampled thread does not write its own samples. */
  readonly ofThread?: ThreadHandle | undefined;
  readonly ticks: bigint;
  readonly processor?: number | undefined;
  readonly activityId?: GuidWords | undefined;
  readonly relatedActivityId?: GuidWords | undefined;
  /** Version 6. */
  readonly labels?: WrittenLabels | undefined;
  /** Addresses, innermost frame first. */
  readonly stack?: readonly bigint[] | undefined;
  readonly payload: Uint8Array;
  /** How many of the payload's bytes to use; the default is all. */
  readonly payloadSize?: number | undefined;
}
