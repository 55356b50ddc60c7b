/** The events that pass a command's filter; if none does, what the trace has instead. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { thousands } from '../../view/number-text.ts';
import { type EventFilter, type EventFilterValues, eventFilter } from './event-filter.ts';

/** Limits how many names are kept, since a trace can have any number, and how many a message lists. */
export const MAX_KEPT = 1000;
const MAX_LISTED = 20;
/** A message cuts names after this many characters. Only broken or hostile traces have longer ones. */
const MAX_NAME = 80;

export class FilteredEvents {
  readonly #values: EventFilterValues;
  readonly #isWanted: EventFilter;
  readonly #isOfProvider: EventFilter;
  readonly #hasName: EventFilter;
  /** Events that passed. */
  count = 0;
  #others = 0;
  /** The providers of the events before the first that passes. */
  readonly #providers = new Set<string>();
  /** The names of those events, as far as they are of the wanted providers. */
  readonly #names = new Set<string>();
  #isNameThere = false;

  /** @throws UsageError */
  constructor(values: EventFilterValues) {
    this.#values = values;
    this.#isWanted = eventFilter(values);
    this.#isOfProvider = eventFilter(values.provider === undefined ? {} : { provider: values.provider });
    this.#hasName = eventFilter(values.event === undefined ? {} : { event: values.event });
  }

  has(event: TraceEvent): boolean {
    const isWanted = this.#isWanted(event);
    if (isWanted) this.count++;
    else if (this.count === 0) this.#note(event);
    return isWanted;
  }

  /** Whether there were any events at all. */
  get hasSeenAny(): boolean {
    return this.count > 0 || this.#others > 0;
  }

  /**
   * Why there are none, as a sentence.
   *
   * @param trace the trace's name in the sentence
   */
  emptiness(trace: string): string | undefined {
    if (this.count > 0) return undefined;
    const { provider, event } = this.#values;
    if (this.#others === 0) return `${trace} has no events.`;
    if (provider !== undefined && this.#names.size === 0) {
      return `${trace} has no events of ${anyOf(provider)}. Its providers are ${listed(this.#providers)}.`;
    }
    if (event !== undefined && !this.#isNameThere) {
      const [of, whose] = provider === undefined ? ['', 'Its'] : [` of ${anyOf(provider)}`, 'Their'];
      return `${trace} has no event ${anyOf(event)}${of}. ${whose} events are ${listed(this.#names)}.`;
    }
    return `None of the ${thousands(this.#others)} events of ${trace} matches the options.`;
  }

  #note(event: TraceEvent): void {
    this.#others++;
    if (this.#providers.size < MAX_KEPT) this.#providers.add(event.provider);
    if (!this.#isOfProvider(event)) return;
    if (this.#names.size < MAX_KEPT) this.#names.add(event.name);
    this.#isNameThere ||= this.#hasName(event);
  }
}

function anyOf(names: readonly string[]): string {
  return names.join(' or ');
}

/** `A, B and C`, or the first ones if there are many. */
export function listed(names: ReadonlySet<string>): string {
  const shown = [...names]
    .sort()
    .slice(0, MAX_LISTED)
    .map((name) => (name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`));
  const left = names.size - shown.length;
  const others = names.size >= MAX_KEPT ? 'many others' : left === 1 ? '1 other' : `${left} others`;
  const all = left > 0 ? [...shown, others] : shown;
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
