/** The tracepoints that a recording selects. */
import { ACTIVITY_RUN } from '../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../activity/switches.ts';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import { tracepointName, tracepointProviderName } from '../wire/eventheader/tracepoint-name.ts';
import { parseTracepointName } from '../wire/eventheader/tracepoint-name-parse.ts';

/** The system of all tracepoints registered by programs. */
export const USER_EVENTS = 'user_events';

const RUNTIME = tracepointProviderName(ACTIVITY_SWITCH.provider);
/** What threads run: what CPU samples are charged by, and what `tracewright explain` needs. */
const RUNS: ReadonlySet<string> = new Set(
  [ACTIVITY_SWITCH, ACTIVITY_RUN].map(({ level, keyword }) => tracepointName(RUNTIME, level, keyword)),
);
/** Events of Node.js above this level are only for those who ask for them: there may be thousands a second. */
const VERBOSE = 5;

const TASKS = `${tracepointProviderName(TASK_EVENTS.provider)}_L`;

export interface Tracepoint {
  readonly system: string;
  readonly name: string;
  /** The name and fields of a user_events tracepoint that is to be created if no program has registered it yet. */
  readonly definition?: string;
}

export interface SelectionOptions {
  /** Names of EventHeader providers. */
  readonly providers?: readonly string[];
  /** Tracepoints of any kind, by name. */
  readonly tracepoints?: readonly Tracepoint[];
  /** The maximum level of EventHeader tracepoints. */
  readonly level?: number;
  /** Selects EventHeader tracepoints with one of these bits, or with none. */
  readonly keywords?: bigint;
  /** Adds the activity switches and runs of all programs, whatever else is selected. */
  readonly activityRuns?: boolean;
}

/**
 * A selection without providers and tracepoints is all of user_events. It includes what Node.js writes for each change of
 * the activity only if a level or keywords ask for it, and .NET's events of tasks only if their provider is named.
 */
export class Selection {
  readonly tracepoints: readonly Tracepoint[];
  /** The names are as in the names of tracepoints. */
  readonly #providers: ReadonlySet<string>;
  readonly #named: ReadonlySet<string>;
  readonly #level: number | undefined;
  readonly #keywords: bigint | undefined;
  readonly #hasRuns: boolean;

  constructor(options: SelectionOptions) {
    const { providers = [], tracepoints = [], level, keywords, activityRuns = false } = options;
    this.tracepoints = tracepoints;
    this.#providers = new Set(providers.map(tracepointProviderName));
    this.#named = new Set(tracepoints.map(({ system, name }) => `${system}:${name}`));
    this.#level = level;
    this.#keywords = keywords;
    this.#hasRuns = activityRuns;
  }

  /** Whether it may include tracepoints whose names are not known yet. */
  get isOpen(): boolean {
    return this.#takesOthers || this.#hasRuns;
  }

  get #takesOthers(): boolean {
    return this.#providers.size > 0 || this.#named.size === 0;
  }

  has({ system, name }: Tracepoint): boolean {
    if (this.#named.has(`${system}:${name}`)) return true;
    if (system !== USER_EVENTS) return false;
    if (this.#hasRuns && RUNS.has(name)) return true;
    if (!this.#takesOthers) return false;
    const parts = parseTracepointName(name);
    if (parts === undefined) {
      return this.#providers.size === 0 && this.#level === undefined && this.#keywords === undefined;
    }
    const { level, keyword } = parts;
    const provider = tracepointProviderName(parts.provider);
    const isForSome = provider === RUNTIME && level > VERBOSE;
    return (
      (this.#providers.size === 0 || this.#providers.has(provider)) &&
      (this.#level === undefined || level <= this.#level) &&
      (this.#keywords === undefined || keyword === 0n || (keyword & this.#keywords) !== 0n) &&
      (this.#level !== undefined || this.#keywords !== undefined || !isForSome) &&
      (this.#providers.size > 0 || !name.startsWith(TASKS))
    );
  }
}
