/** What the page of a live view is sent, as JSON. Times are nanoseconds since the start of the first recording. */

export interface LiveSourceState {
  readonly number: number;
  readonly name: string;
  readonly isOpen: boolean;
  readonly events: number;
  readonly lost: number;
  /** Why the slowest activity was slow; empty as long as none has ended. */
  readonly answer: string;
}

export interface LiveRow {
  readonly atNs: number;
  /** `4321/4322` */
  readonly thread: string;
  /** `MyCompany-MyService/Request/Start` */
  readonly name: string;
  /** The activity is empty if there is none. */
  readonly activity: string;
  readonly fields: string;
  /** Whether it ends a failed activity, or is an error. */
  readonly isFailed: boolean;
  /** Whether it is about the runtime, such as its heap, rather than about what the application does. */
  readonly isOfRuntime: boolean;
}

export interface RunningActivity {
  readonly source: number;
  readonly label: string;
  readonly startNs: number;
  readonly depth: number;
}

export interface NameDurations {
  /** The name includes the route, if there is one. */
  readonly name: string;
  readonly stopped: number;
  /** Counts those that failed. */
  readonly failed: number;
  readonly running: number;
  readonly meanNs: number | undefined;
  readonly p95Ns: number | undefined;
  readonly maxNs: number | undefined;
}

export interface LiveUpdate {
  readonly nowNs: number;
  readonly sources: readonly LiveSourceState[];
  /** New events. */
  readonly rows: readonly LiveRow[];
  /** New events that are not among them: there were too many. */
  readonly omitted: number;
  readonly running: readonly RunningActivity[];
  readonly names: readonly NameDurations[];
}
