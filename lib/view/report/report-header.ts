/**
 * What stands in a report beside its columns: names that are told once, and all that the page says of the trace
 * as a whole. The page reads it as JSON, so everything here is plain data. Types only: they are all that the
 * page's program and ours have in common.
 *
 * Numbers in columns are unsigned, in the form of LEB128; a number that may be missing is written as itself
 * plus 1, and as 0 where it is.
 */

/** The columns in the order of their bytes. */
export const COLUMN_NAMES = [
  // A row for each event, in the order of time.
  /** Nanoseconds since the event before, of the first since the header's `startNs`. */
  'eventTime',
  /** Index into `kinds`. */
  'eventKind',
  /** Index into `threads`. */
  'eventThread',
  /** The activity it belongs to; may be missing. */
  'eventActivity',
  /** Its activity id, and its related one: indices of ids; may be missing. */
  'eventId',
  'eventRelatedId',
  /** Index into `shapes`; missing where the payload was left out. */
  'eventShape',
  /** Bytes of its values in `values`. */
  'eventValuesSize',
  // A row for each activity, in the order of starts, of those without one of stops.
  /** Nanoseconds since the start before, of the first since the header's `startNs`. */
  'activityStart',
  /** May be missing. */
  'activityDuration',
  /** How long something ran inside. */
  'activityCovered',
  /** Index into `ACTIVITY_STATES`. */
  'activityState',
  /** Index into `tasks`. */
  'activityTask',
  /** Index of an id; may be missing. */
  'activityId',
  /** Of an activity before it; may be missing. */
  'activityParent',
  /** Where it started: index into `threads`. */
  'activityThread',
  /** The events that start and stop it; may be missing. */
  'activityStartEvent',
  'activityStopEvent',
  // Texts in UTF-8, one behind the other.
  'idSize',
  'ids',
  /** JSON arrays: the values of payloads, named by their shapes. */
  'values',
] as const;

export type ColumnName = (typeof COLUMN_NAMES)[number];

export const ACTIVITY_STATES = ['open', 'stopped', 'killed', 'unstarted'] as const;

export interface ReportHeader {
  /** The trace's file name. */
  readonly name: string;
  /** `nettrace 4` */
  readonly format: string;
  /** When the recording started, if the trace tells the time of day. */
  readonly startTime: string | undefined;
  /** Since the trace's start: of the first event and of the last, whether or not they are in the report. */
  readonly startNs: number;
  readonly endNs: number;
  readonly eventCount: number;
  readonly activityCount: number;
  /** Sentences on what the trace or the report lacks. */
  readonly notices: readonly string[];
  readonly providers: readonly string[];
  readonly kinds: readonly EventKind[];
  readonly tasks: readonly ReportTask[];
  readonly threads: readonly ReportThread[];
  /** Names of fields. */
  readonly shapes: readonly (readonly string[])[];
  /** By the names of activities, what took longest in all first. */
  readonly statistics: readonly NameStatistics[];
  /** In bytes. */
  readonly columnSizes: Readonly<Record<ColumnName, number>>;
}

/** Events of one name. */
export interface EventKind {
  /** Index into `providers`. */
  readonly provider: number;
  /** `Request/Start` */
  readonly name: string;
  readonly id: number;
  readonly version: number;
  readonly level: number;
}

/** Activities of one name. */
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

/** Times in nanoseconds; percentiles are undefined where nothing has stopped. */
export interface NameStatistics {
  /** `MyCompany-MyService/Request` */
  readonly name: string;
  readonly stopped: number;
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
