/**
 * Fields along activities: what one of its own events says about an activity holds for everything inside it, so that
 * a query is one of the user whom its request, or a login in that request, has named. What only activities inside say
 * holds for those around them, so that a request is one of the user whom its handler has named.
 *
 * Source: "EventSource Activity Support": a table of database usage by user.
 */
import { jsonField, type TraceEvent } from '../trace/trace-event.ts';
import type { TracedActivity } from './traced-activity.ts';

/** Selects activities by what their ends show, and groups them. */
export interface FieldSelection {
  /** The field whose values are the groups. */
  readonly by?: string | undefined;
  /** Selects only activities that have all these values. */
  readonly where?: Readonly<Record<string, string>> | undefined;
  /** Selects only activities that have failed. */
  readonly isFailed?: boolean | undefined;
}

/** Returns the fields of a selection that needs what only the end of an activity shows; undefined for all others. */
export function activityFields(selection: FieldSelection): ActivityFields | undefined {
  const { by, where, isFailed } = selection;
  return by === undefined && where === undefined && isFailed !== true
    ? undefined
    : new ActivityFields(selection);
}

/** A longer value is cut after this many characters. */
const MAX_VALUE = 256;
/** The names and values kept for messages. */
const MAX_SEEN = 1000;
/** A tenant of each of its requests is none of a server. */
const SEVERAL = Symbol('several');

export class ActivityFields {
  readonly #by: string | undefined;
  readonly #where: readonly (readonly [name: string, value: string])[];
  /** The fields asked for, with those of their values that are not. */
  readonly asked: ReadonlyMap<string, Set<string>>;
  /** The fields of the events of activities, while there is none of `asked`. */
  readonly others: Set<string> = new Set();
  #isAnyFound = false;
  readonly #onlyFailed: boolean;
  /** The values come from the activities' own events. */
  readonly #values = new WeakMap<TracedActivity, Map<string, string>>();
  /** The values come from the activities inside, as long as these agree. */
  readonly #valuesInside = new WeakMap<TracedActivity, Map<string, string | typeof SEVERAL>>();

  constructor({ by, where = {}, isFailed = false }: FieldSelection) {
    this.#by = by;
    this.#onlyFailed = isFailed;
    this.#where = Object.entries(where);
    const names = [...(by === undefined ? [] : [by]), ...Object.keys(where)];
    this.asked = new Map(names.map((name) => [name, new Set()]));
  }

  /** Takes an event of an activity. The first event with a field decides. */
  take({ payload, hexFields }: TraceEvent, activity: TracedActivity | undefined): void {
    if (activity === undefined || this.asked.size === 0) return;
    for (const [name, seen] of this.asked) {
      if (!Object.hasOwn(payload, name)) continue;
      const values = this.#values.get(activity) ?? new Map<string, string>();
      if (values.has(name)) continue;
      const json = jsonField(name, payload[name] as (typeof payload)[string], hexFields);
      const text = (typeof json === 'string' ? json : JSON.stringify(json)).slice(0, MAX_VALUE);
      this.#values.set(activity, values.set(name, text));
      this.#tellAround(activity, name, text);
      this.#isAnyFound = true;
      if (seen.size < MAX_SEEN) seen.add(text);
    }
    if (this.#isAnyFound) return;
    for (const name in payload) if (this.others.size < MAX_SEEN) this.others.add(name);
  }

  /** If one of them knows the value, or of several, those around it do, too. */
  #tellAround({ parent }: TracedActivity, name: string, value: string): void {
    for (let at = parent; at !== undefined; at = at.parent) {
      const inside = this.#valuesInside.get(at) ?? new Map<string, string | typeof SEVERAL>();
      const known = inside.get(name);
      if (known === value || known === SEVERAL) return;
      this.#valuesInside.set(at, inside.set(name, known === undefined ? value : SEVERAL));
    }
  }

  /**
   * What is known by now: of the activity's own events, otherwise of the nearest activity around it, otherwise of those
   * in it, unless these have different values.
   */
  valueOf(activity: TracedActivity, name: string): string | undefined {
    for (let at: TracedActivity | undefined = activity; at !== undefined; at = at.parent) {
      const value = this.#values.get(at)?.get(name);
      if (value !== undefined) return value;
    }
    const inside = this.#valuesInside.get(activity)?.get(name);
    return inside === SEVERAL ? undefined : inside;
  }

  groupOf(activity: TracedActivity): string | undefined {
    return this.#by === undefined ? undefined : this.valueOf(activity, this.#by);
  }

  matches(activity: TracedActivity): boolean {
    if (this.#onlyFailed && !activity.isFailed) return false;
    return this.#where.every(([name, value]) => this.valueOf(activity, name) === value);
  }
}
