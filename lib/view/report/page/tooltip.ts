/** What is under the mouse, in a few lines. */
import { milliseconds } from '../../number-text.ts';
import { element } from './dom.ts';
import type { PageState } from './page-state.ts';
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
  readonly #state: PageState;
  readonly #box: HTMLElement;
  #shown = '';

  constructor(state: PageState, box: HTMLElement) {
    this.#state = state;
    this.#box = box;
  }

  show(hovered: Selected | undefined, { clientX, clientY }: MouseEvent): void {
    this.#box.hidden = hovered === undefined;
    if (hovered === undefined) return;
    const key = `${hovered.kind} ${hovered.index}`;
    if (key !== this.#shown) {
      this.#shown = key;
      const [title = '', ...lines] = this.#lines(hovered);
      this.#box.replaceChildren(element('b', {}, title), ...lines.map((line) => element('span', {}, line)));
    }
    const { offsetWidth, offsetHeight } = this.#box;
    const x = Math.max(0, Math.min(clientX + OFFSET, innerWidth - offsetWidth - 4));
    const isBelow = clientY + OFFSET + offsetHeight < innerHeight;
    const y = isBelow ? clientY + OFFSET : Math.max(0, clientY - OFFSET - offsetHeight);
    this.#box.style.transform = `translate(${x}px, ${y}px)`;
  }

  #lines({ kind, index }: Selected): string[] {
    const { activities, events } = this.#state.data;
    if (kind === 'event') {
      const time = `${milliseconds(events.time[index] as number)} ms`;
      return [events.name(index), `${events.provider(index)} · ${time}`, ...this.#fields(index)];
    }
    const state = activities.stateOf(index);
    const duration = state === 'unstarted' ? 'no start' : `${milliseconds(activities.durationNs(index))} ms`;
    const start = `from ${milliseconds(activities.start[index] as number)} ms`;
    return [
      `${activities.name(index)} · ${duration}`,
      `${activities.path(index)} · ${start}${state === 'stopped' || state === 'unstarted' ? '' : ` · ${state}`}`,
      ...failureLine(activities.failure(index)),
      ...this.#fields(activities.startEvent[index] as number),
    ];
  }

  #fields(event: number): string[] {
    const fields = event < 0 ? [] : (this.#state.data.events.payload(event) ?? []);
    return fields.slice(0, MAX_FIELDS).map(({ name, value }) => `${name} = ${cut(value)}`);
  }
}
