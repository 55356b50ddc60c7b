/**
 * Fields along activities: what one of its own events says about an activity holds for everything inside it, so that
 * a query is one of the user whom its request, or a login in that request, has named.
 *
 * Source: "EventSource Activity Support": a table of database usage by user.
 */
import { jsonField, type TraceEvent } from '../trace/trace-event.ts';
import type { TracedActivity } from './traced-activity.ts';

export interface FieldSelection {
  /** The field whose values are the groups. */
  readonly by?: string | undefined;
  /** Only activities that have all these values, in their own events or from an activity around them. */
  readonly where?: Readonly<Record<string, string>> | undefined;
}

/** In characters; longer values are cut. */
const MAX_VALUE = 256;
/** The names and values kept for messages. */
const MAX_SEEN = 1000;

export class ActivityFields {
  readonly #by: string | undefined;
  readonly #where: readonly (readonly [name: string, value: string])[];
  /** The fields asked for, with those of their values that are not. */
  readonly asked: ReadonlyMap<string, Set<string>>;
  /** The fields of the events of activities, while there is none of `asked`. */
  readonly others: Set<string> = new Set();
  #isAnyFound = false;
  /** Of their own events. */
  readonly #values = new WeakMap<TracedActivity, Map<string, string>>();

  constructor({ by, where = {} }: FieldSelection) {
    this.#by = by;
    this.#where = Object.entries(where);
    const names = [...(by === undefined ? [] : [by]), ...Object.keys(where)];
    this.asked = new Map(names.map((name) => [name, new Set()]));
  }

  /** Takes an event of an activity. The first event with a field decides. */
  take({ payload, hexFields }: TraceEvent, activity: TracedActivity | undefined): void {
    if (activity === undefined) return;
    for (const [name, seen] of this.asked) {
      if (!Object.hasOwn(payload, name)) continue;
      const values = this.#values.get(activity) ?? new Map<string, string>();
      if (values.has(name)) continue;
      const json = jsonField(name, payload[name] as (typeof payload)[string], hexFields);
      const text = (typeof json === 'string' ? json : JSON.stringify(json)).slice(0, MAX_VALUE);
      this.#values.set(activity, values.set(name, text));
      this.#isAnyFound = true;
      if (seen.size < MAX_SEEN) seen.add(text);
    }
    if (this.#isAnyFound) return;
    for (const name in payload) if (this.others.size < MAX_SEEN) this.others.add(name);
  }

  /** What is known by now; undefined if no event of the activity and those around it has the field. */
  valueOf(activity: TracedActivity, name: string): string | undefined {
    for (let at: TracedActivity | undefined = activity; at !== undefined; at = at.parent) {
      const value = this.#values.get(at)?.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  groupOf(activity: TracedActivity): string | undefined {
    return this.#by === undefined ? undefined : this.valueOf(activity, this.#by);
  }

  matches(activity: TracedActivity): boolean {
    return this.#where.every(([name, value]) => this.valueOf(activity, name) === value);
  }
}
