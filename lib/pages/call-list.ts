/** The calls of an activity, in order, those of one kind in one line. */
import { milliseconds, thousands } from '../view/number-text.ts';
import { button, element } from './dom.ts';
import { itemsOf } from './grouped.ts';
import type { ReportData } from './report-data.ts';
import type { Choose } from './selection.ts';
import { durationText } from './time-text.ts';

/** So many calls of one kind, or more, are called N+1. */
const REPEATED = 5;
const MAX_KINDS = 50;
const MAX_CALLS = 50;

export class CallList {
  readonly #data: ReportData;
  readonly #choose: Choose;

  constructor(data: ReportData, choose: Choose) {
    this.#data = data;
    this.#choose = choose;
  }

  /** Its direct calls are shown in the order of the first of each kind. */
  show(activity: number): Node[] {
    const { activities } = this.#data;
    const kinds = new Map<string, number[]>();
    for (const child of activities.children(activity)) {
      const key = `${activities.task[child]} ${activities.title(child)}`;
      const known = kinds.get(key);
      if (known !== undefined) known.push(child);
      else kinds.set(key, [child]);
    }
    if (kinds.size === 0) return [];
    const rows = [...kinds.values()].slice(0, MAX_KINDS).map((calls) => this.#callsOf(calls, activity));
    const more = kinds.size > MAX_KINDS ? ` (the first ${MAX_KINDS} of ${thousands(kinds.size)} kinds)` : '';
    return [
      element('h3', {}, `Its calls, in order, in ms${more}`),
      element('ul', { class: 'facts-list' }, ...rows),
    ];
  }

  #callsOf(calls: readonly number[], around: number): HTMLElement {
    const { activities } = this.#data;
    const first = calls[0] as number;
    if (calls.length === 1) return this.#call(first, around, activities.title(first));
    const { length } = calls;
    const ends = calls.map((call) => activities.end[call] as number);
    const inTurn = calls.filter(
      (call, at) => at > 0 && (activities.start[call] as number) >= (ends[at - 1] as number),
    );
    const how = inTurn.length >= length / 2 ? 'one after the other' : 'at the same time';
    const failed = calls.filter((call) => activities.failed[call] === 1).length;
    const totalNs = calls.reduce((sum, call) => sum + activities.durationNs(call), 0);
    const text = `${thousands(length)} × ${activities.title(first)}`;
    const places = new Set(calls.slice(0, MAX_CALLS).map((call) => this.#placeOf(call)));
    const [place] = places.size === 1 ? places : [];
    const about = [
      `${durationText(totalNs)} together`,
      how,
      ...(length >= REPEATED ? ['N+1'] : []),
      ...(failed > 0 ? [`${thousands(failed)} failed`] : []),
      ...(place === undefined ? [] : [`at ${place}`]),
    ];
    const list = element('ul', { class: 'facts-list' });
    const folded = element(
      'details',
      {},
      element('summary', {}, text, element('span', { class: 'muted' }, ` ${about.join(', ')}`)),
      list,
    );
    folded.addEventListener('toggle', () => {
      if (list.childElementCount > 0) return;
      list.append(
        ...calls.slice(0, MAX_CALLS).map((call) => this.#call(call, around, activities.label(call))),
      );
      if (length > MAX_CALLS)
        list.append(element('li', { class: 'muted' }, `${thousands(length - MAX_CALLS)} more`));
    });
    return element('li', {}, this.after(activities.start[first] as number, around), folded);
  }

  #call(call: number, around: number, text: string): HTMLElement {
    const { activities } = this.#data;
    const error = activities.failure(call);
    const place = this.#placeOf(call);
    return element(
      'li',
      {},
      this.after(activities.start[call] as number, around),
      this.link(call, text),
      element('span', { class: 'number' }, durationText(activities.durationNs(call))),
      ...(place === undefined ? [] : [element('span', { class: 'muted' }, `at ${place}`)]),
      ...(error === undefined
        ? []
        : [element('span', { class: 'failure' }, error === '' ? 'failed' : error)]),
    );
  }

  /** The line of the application that started it, such as `cart.mjs:17`. */
  #placeOf(activity: number): string | undefined {
    const { activities, events } = this.#data;
    const code = itemsOf(activities.events, activity).find((event) => events.kindOf(event).isCode === true);
    if (code === undefined) return undefined;
    const fields = new Map(events.payload(code)?.map(({ name, value }) => [name, value]));
    return `${fields.get('file')?.replace(/^.*[\\/]/, '')}:${fields.get('line')}`;
  }

  /** The time since the start of the activity. */
  after(ns: number, activity: number): HTMLElement {
    const start = this.#data.activities.start[activity] as number;
    return element('span', { class: 'number' }, `+${milliseconds(ns - start)}`);
  }

  link(activity: number, text = this.#data.activities.title(activity)): HTMLElement {
    return button(text, () => this.#choose({ kind: 'activity', index: activity }, false), { class: 'link' });
  }
}
