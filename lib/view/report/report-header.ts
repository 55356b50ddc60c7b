/**
 * The header of a report: names that are stored once, and what the page shows about the trace as a whole. The page
 * reads it as JSON, so everything here is plain data. The page's program and the writer share nothing but these types.
 *
 * Columns contain unsigned LEB128 numbers. An optional number is written as its value plus 1, or 0 if it is missing.
 */

/** The columns in byte order. */
export const COLUMN_NAMES = [
  // One row per event, in time order.
  /** Nanoseconds since the previous event; for the first, since the header's `startNs`. */
  'eventTime',
  /** Index into `kinds`. */
  'eventKind',
  /** Index into `threads`. */
  'eventThread',
  /** The activity that it belongs to; optional. */
  'eventActivity',
  /** Its activity id and its related activity id: indices of ids; optional. */
  'eventId',
  'eventRelatedId',
  /** Index into `shapes`; missing if the payload is omitted. */
  'eventShape',
  /** The size of its values in `values`, in bytes. */
  'eventValuesSize',
  /** Its stack: index of a stack; optional. */
  'eventStack',
  // One row per activity, in order of starts, or of stops for those without a start.
  /** Nanoseconds since the previous start; for the first, since the header's `startNs`. */
  'activityStart',
  /** Optional. */
  'activityDuration',
  /** How long at least one other activity ran inside it. */
  'activityCovered',
  /** Index into `ACTIVITY_STATES`, plus `FAILED` if it failed. */
  'activityState',
  /** Index into `tasks`. */
  'activityTask',
  /** Index of an id; optional. */
  'activityId',
  /** An earlier activity; optional. */
  'activityParent',
  /** The thread of its start: index into `threads`. */
  'activityThread',
  /** It says what activities of its kind are called, as an optional index into `labels`. */
  'activityLabel',
  /** Its start and stop events; optional. */
  'activityStartEvent',
  'activityStopEvent',
  /**
   * One row per CPU sample with a stack: 0 if its event says which activity it belongs to, otherwise 1 plus an optional
   * activity.
   */
  'sampleActivity',
  /** How much of the sample was on a processor, in percent. */
  'sampleOnCpu',
  // The call tree: one row per node, callers before what they call.
  /** How many rows above the caller is; 0 for processes. */
  'nodeParent',
  /** Index into `frames`. */
  'nodeFrame',
  /** One row per stack: its innermost node. */
  'stackNode',
  // One row per value of a track.
  /** Index into `tracks`. */
  'pointTrack',
  /** Nanoseconds since the start of the trace. */
  'pointTime',
  /** A double; of spans, the duration in nanoseconds. */
  'pointValue',
  /** Index into `spanKinds`; optional. */
  'pointKind',
  // Consecutive UTF-8 texts.
  'idSize',
  'ids',
  /** JSON arrays: the values of payloads, named by their shapes. */
  'values',
] as const;

export type ColumnName = (typeof COLUMN_NAMES)[number];

export const ACTIVITY_STATES = ['open', 'stopped', 'killed', 'unstarted'] as const;

export const FAILED = 4;

export interface ReportHeader {
  /** The trace's file name. */
  readonly name: string;
  /** `nettrace 4` */
  readonly format: string;
  /** When the recording started, if the trace contains the time of day. */
  readonly startTime: string | undefined;
  /** The times of the first and last event since the start of the trace, whether or not the report contains them. */
  readonly startNs: number;
  readonly endNs: number;
  readonly eventCount: number;
  readonly activityCount: number;
  /** Sentences on what is missing from the trace or the report. */
  readonly notices: readonly string[];
  readonly providers: readonly string[];
  readonly kinds: readonly EventKind[];
  readonly tasks: readonly ReportTask[];
  readonly threads: readonly ReportThread[];
  readonly frames: readonly ReportFrame[];
  readonly tracks: readonly ReportTrack[];
  readonly spanKinds: readonly string[];
  /** Field names. */
  readonly shapes: readonly (readonly string[])[];
  /** They name kinds of activities: `GET /user/:id`. */
  readonly labels: readonly string[];
  readonly explanations: ReportExplanations;
  /** The order is that of total durations, the longest first. */
  readonly statistics: readonly NameStatistics[];
  /** The sizes are in bytes. */
  readonly columnSizes: Readonly<Record<ColumnName, number>>;
}

/** Events with one name. */
export interface EventKind {
  /** Index into `providers`. */
  readonly provider: number;
  /** `Request/Start` */
  readonly name: string;
  readonly id: number;
  readonly version: number;
  readonly level: number;
  /** Those with a stack are CPU samples. */
  readonly isSample?: true;
  /** They say what a thread ran: see activity/runs.ts. */
  readonly isRun?: true;
  /** They say which line of the application started their activity. */
  readonly isCode?: true;
}

/** Values over time, or spans of time. */
export interface ReportTrack {
  readonly title: string;
  /** The unit is empty if there is none. */
  readonly unit: string;
  /** Index into `threads`; for counters, one without a thread. */
  readonly thread: number;
  readonly isSpans: boolean;
}

/** A function, or a process. */
export interface ReportFrame {
  readonly name: string;
  /** The file or map that contains it; empty if unknown. */
  readonly module: string;
}

/** Activities with one name. */
export interface ReportTask {
  /** Index into `providers`. */
  readonly provider: number;
  /** `Request` */
  readonly name: string;
}

export interface ReportThread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly processName: string | undefined;
}

/** It says why activities were slow, for people. */
export interface ReportExplanations {
  /** What was slowest against others of its kind comes first. */
  readonly activities: readonly Explanation[];
  /** It counts the activities that `totals` are about. */
  readonly count: number;
  /** They say what made all activities together wait. */
  readonly totals: readonly string[];
  /** They say what the next recording should have. */
  readonly hints: readonly string[];
}

/** It says why an activity took as long as it did. Times are in nanoseconds. */
export interface Explanation {
  /** The index is that in the report. */
  readonly activity: number;
  /** It is the median of its kind. */
  readonly usualNs: number;
  readonly sentence: string;
  /** It says who else suffered from the same. */
  readonly others: string | undefined;
  /** They add up to its duration, longest first. */
  readonly states: readonly ReportState[];
  /** They held its thread, the longest first. */
  readonly holds: readonly ReportHold[];
}

/** The members are those of `StatePart` in explain/sentences.ts, which the page cannot import. */
interface ReportState {
  readonly state: string;
  readonly text: string;
  readonly ns: number;
  readonly atLeastNs: number;
}

export interface ReportHold {
  /** This activity ran, if it is in the report. */
  readonly activity: number | undefined;
  readonly label: string;
  /** These times are those of the whole run. */
  readonly startNs: number;
  readonly endNs: number;
  /** It held the explained activity for so long. */
  readonly ns: number;
}

/** Times in nanoseconds; percentiles are undefined if no activity has stopped. */
export interface NameStatistics {
  /** `MyCompany-MyService/Request` */
  readonly name: string;
  readonly stopped: number;
  /** Counts those that failed. */
  readonly failed: number;
  readonly unstopped: number;
  readonly unstarted: number;
  readonly totalNs: number;
  readonly selfNs: number;
  readonly meanNs: number | undefined;
  readonly medianNs: number | undefined;
  readonly p95Ns: number | undefined;
  readonly p99Ns: number | undefined;
  readonly maxNs: number | undefined;
}
