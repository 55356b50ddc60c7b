/** What is under the mouse, in a few lines. */
import { milliseconds } from '../view/number-text.ts';
import { element } from './dom.ts';
import type { EventTable } from './event-table.ts';
import type { ReportData } from './report-data.ts';
import type { Selected } from './selection.ts';

const OFFSET = 14;
const MAX_FIELDS = 6;
const MAX_VALUE_LENGTH = 80;

const cut = (text: string) => (text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text);

function failureLine(error: string | undefined): string[] {
  if (error === undefined) return [];
  return [error === '' ? 'failed' : `failed: ${cut(error)}`];
}

export class Tooltip {
  readonly #box: HTMLElement;
  #shown: string | undefined;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /**
   * @param key the same for the same lines; undefined if there is nothing
   * @param lines the first is a title
   */
  show(key: string | undefined, lines: () => readonly string[], { clientX, clientY }: MouseEvent): void {
    this.#box.hidden = key === undefined;
    const isNew = key !== undefined && key !== this.#shown;
    this.#shown = key;
    if (key === undefined) return;
    if (isNew) {
      const [title = '', ...others] = lines();
      this.#box.replaceChildren(element('b', {}, title), ...others.map((line) => element('span', {}, line)));
    }
    const { offsetWidth, offsetHeight } = this.#box;
    const x = Math.max(0, Math.min(clientX + OFFSET, innerWidth - offsetWidth - 4));
    const isBelow = clientY + OFFSET + offsetHeight < innerHeight;
    const y = isBelow ? clientY + OFFSET : Math.max(0, clientY - OFFSET - offsetHeight);
    this.#box.style.transform = `translate(${x}px, ${y}px)`;
  }
}

/** What is known of an activity or event, in a few lines. */
export function selectionLines({ activities, events }: ReportData, { kind, index }: Selected): string[] {
  if (kind === 'event') {
    const time = `${milliseconds(events.time[index] as number)} ms`;
    return [events.name(index), `${events.provider(index)} · ${time}`, ...fieldLines(events, index)];
  }
  const state = activities.stateOf(index);
  const duration = state === 'unstarted' ? 'no start' : `${milliseconds(activities.durationNs(index))} ms`;
  const start = `from ${milliseconds(activities.start[index] as number)} ms`;
  return [
    `${activities.name(index)} · ${duration}`,
    `${activities.path(index)} · ${start}${state === 'stopped' || state === 'unstarted' ? '' : ` · ${state}`}`,
    ...failureLine(activities.failure(index)),
    ...fieldLines(events, activities.startEvent[index] as number),
  ];
}

function fieldLines(events: EventTable, event: number): string[] {
  const fields = event < 0 ? [] : (events.payload(event) ?? []);
  return fields.slice(0, MAX_FIELDS).map(({ name, value }) => `${name} = ${cut(value)}`);
}
