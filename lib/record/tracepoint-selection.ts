/** The tracepoints that a recording selects. */
import { ACTIVITY_SWITCH } from '../activity/switches.ts';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import { tracepointName, tracepointProviderName } from '../wire/eventheader/tracepoint-name.ts';
import { parseTracepointName } from '../wire/eventheader/tracepoint-name-parse.ts';

/** The system of all tracepoints registered by programs. */
export const USER_EVENTS = 'user_events';

const SWITCHES = tracepointName(
  tracepointProviderName(ACTIVITY_SWITCH.provider),
  ACTIVITY_SWITCH.level,
  ACTIVITY_SWITCH.keyword,
);

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
  /** Adds the activity switches of all programs, whatever else is selected. */
  readonly activitySwitches?: boolean;
}

/**
 * A selection without providers and tracepoints is all of user_events. It includes activity switches only if a level or
 * keywords ask for them, and .NET's events of tasks only if their provider is named.
 */
export class Selection {
  readonly tracepoints: readonly Tracepoint[];
  /** The names are as in the names of tracepoints. */
  readonly #providers: ReadonlySet<string>;
  readonly #named: ReadonlySet<string>;
  readonly #level: number | undefined;
  readonly #keywords: bigint | undefined;
  readonly #switches: boolean;

  constructor(options: SelectionOptions) {
    const { providers = [], tracepoints = [], level, keywords, activitySwitches = false } = options;
    this.tracepoints = tracepoints;
    this.#providers = new Set(providers.map(tracepointProviderName));
    this.#named = new Set(tracepoints.map(({ system, name }) => `${system}:${name}`));
    this.#level = level;
    this.#keywords = keywords;
    this.#switches = activitySwitches;
  }

  /** Whether it may include tracepoints whose names are not known yet. */
  get isOpen(): boolean {
    return this.#takesOthers || this.#switches;
  }

  get #takesOthers(): boolean {
    return this.#providers.size > 0 || this.#named.size === 0;
  }

  has({ system, name }: Tracepoint): boolean {
    if (this.#named.has(`${system}:${name}`)) return true;
    if (system !== USER_EVENTS) return false;
    if (this.#switches && name === SWITCHES) return true;
    if (!this.#takesOthers) return false;
    const parts = parseTracepointName(name);
    if (parts === undefined) {
      return this.#providers.size === 0 && this.#level === undefined && this.#keywords === undefined;
    }
    const { level, keyword } = parts;
    return (
      (this.#providers.size === 0 || this.#providers.has(tracepointProviderName(parts.provider))) &&
      (this.#level === undefined || level <= this.#level) &&
      (this.#keywords === undefined || keyword === 0n || (keyword & this.#keywords) !== 0n) &&
      (this.#level !== undefined || this.#keywords !== undefined || name !== SWITCHES) &&
      (this.#providers.size > 0 || !name.startsWith(TASKS))
    );
  }
}
