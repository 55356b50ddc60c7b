/** Which tracepoints a recording is of. */
import { tracepointProviderName } from '../wire/eventheader/tracepoint-name.ts';
import { parseTracepointName } from '../wire/eventheader/tracepoint-name-parse.ts';

/** The system of all tracepoints that programs have registered. */
export const USER_EVENTS = 'user_events';

export interface Tracepoint {
  readonly system: string;
  readonly name: string;
  /** Of one of user_events that is to be made where no program has registered it yet: name and fields. */
  readonly definition?: string;
}

export interface SelectionOptions {
  /** Names of EventHeader providers. */
  readonly providers?: readonly string[];
  /** Tracepoints by name, whatever they are. */
  readonly tracepoints?: readonly Tracepoint[];
  /** Of EventHeader tracepoints: up to this level. */
  readonly level?: number;
  /** Of EventHeader tracepoints: those with one of these bits, or with none at all. */
  readonly keywords?: bigint;
}

/** Without providers and tracepoints: all of user_events. */
export class Selection {
  readonly tracepoints: readonly Tracepoint[];
  /** As they stand in the names of tracepoints. */
  readonly #providers: ReadonlySet<string>;
  readonly #named: ReadonlySet<string>;
  readonly #level: number | undefined;
  readonly #keywords: bigint | undefined;

  constructor({ providers = [], tracepoints = [], level, keywords }: SelectionOptions) {
    this.tracepoints = tracepoints;
    this.#providers = new Set(providers.map(tracepointProviderName));
    this.#named = new Set(tracepoints.map(({ system, name }) => `${system}:${name}`));
    this.#level = level;
    this.#keywords = keywords;
  }

  /** Whether it may have tracepoints that are not known by name. */
  get isOpen(): boolean {
    return this.#providers.size > 0 || this.#named.size === 0;
  }

  has({ system, name }: Tracepoint): boolean {
    if (this.#named.has(`${system}:${name}`)) return true;
    if (system !== USER_EVENTS || !this.isOpen) return false;
    const parts = parseTracepointName(name);
    if (parts === undefined) {
      return this.#providers.size === 0 && this.#level === undefined && this.#keywords === undefined;
    }
    return (
      (this.#providers.size === 0 || this.#providers.has(tracepointProviderName(parts.provider))) &&
      (this.#level === undefined || parts.level <= this.#level) &&
      (this.#keywords === undefined || parts.keyword === 0n || (parts.keyword & this.#keywords) !== 0n)
    );
  }
}
