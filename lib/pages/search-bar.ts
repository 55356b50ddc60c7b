/** The search field: searches while the user types, and steps through the matches. */
import { thousands } from '../view/number-text.ts';
import { byId } from './dom.ts';
import { firstWhere } from './grouped.ts';
import type { PageState } from './page-state.ts';
import { findMatches, type Matches } from './search.ts';
import type { Choose } from './selection.ts';

/** The delay after the last keystroke. */
const DELAY_MS = 120;

export class SearchBar {
  readonly #state: PageState;
  readonly #choose: Choose;
  readonly #input = byId('search', HTMLInputElement);
  readonly #status = byId('search-status', HTMLElement);
  readonly #buttons = [byId('previous', HTMLButtonElement), byId('next', HTMLButtonElement)] as const;
  #timer = 0;
  #run = 0;

  constructor(state: PageState, choose: Choose) {
    this.#state = state;
    this.#choose = choose;
    this.#input.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), DELAY_MS);
    });
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#step(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') this.clear();
      else return;
      event.preventDefault();
    });
    this.#buttons[0].addEventListener('click', () => this.#step(-1));
    this.#buttons[1].addEventListener('click', () => this.#step(1));
    this.#enable(false);
  }

  focus(): void {
    this.#input.select();
    this.#input.focus();
  }

  clear(): void {
    this.#input.value = '';
    this.#search();
  }

  async #search(): Promise<void> {
    const run = ++this.#run;
    const text = this.#input.value.trim();
    if (text === '') {
      this.#show(undefined);
      return;
    }
    this.#status.textContent = 'Searching…';
    const matches = await findMatches(this.#state.data, text, nextTask, () => run === this.#run);
    if (matches !== undefined && run === this.#run) this.#show(matches);
  }

  #show(matches: Matches | undefined): void {
    this.#enable(matches !== undefined && matches.activities.length + matches.events.length > 0);
    const counts = [
      counted(matches?.activities.length ?? 0, 'activity', 'activities'),
      counted(matches?.events.length ?? 0, 'event', 'events'),
    ];
    this.#status.textContent = matches === undefined ? '' : counts.join(', ');
    this.#state.matches.set(matches);
  }

  #enable(isEnabled: boolean): void {
    for (const button of this.#buttons) button.disabled = !isEnabled;
  }

  /** Steps through the activities found; if only events were found, through those. */
  #step(step: -1 | 1): void {
    const { matches, selected } = this.#state;
    if (matches.value === undefined) return;
    const kind = matches.value.activities.length > 0 ? 'activity' : 'event';
    const found = kind === 'activity' ? matches.value.activities : matches.value.events;
    if (found.length === 0) return;
    const current = selected.value?.kind === kind ? selected.value.index : -1;
    const place = firstWhere(0, found.length, (at) => (found[at] as number) >= current);
    const isOn = found[place] === current;
    const next = step === 1 ? place + (isOn ? 1 : 0) : place - 1;
    this.#choose({ kind, index: found[(next + found.length) % found.length] as number }, false);
  }
}

function counted(count: number, one: string, many: string): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

/** Lets the page draw and handle input. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
