/** The latest counter values on a terminal: a table that is updated in place, or a page with keys. */
import { printable } from '../../base/printable.ts';
import type { CounterValue } from '../../view/counter-values.ts';
import { cut, type Style, styled, terminalWidth, textWidth } from '../terminal/terminal.ts';
import { type PageContent, type PageLine, TerminalPage } from '../terminal/terminal-page.ts';
import { NODE_METER, type ShownCounter, shownCounter } from './counter-names.ts';
import { type CounterView, counterLabel, numberText } from './counter-view.ts';

const REDRAW_MS = 100;
/** A process can have any number of them; nobody looks at more. */
const MAX_COUNTERS = 10_000;
const GAP = 2;
/** Terminals that do not report their height count as this high. */
const USUAL_ROWS = 24;
/** What the key s changes. */
const ORDERS = ['importance', 'name', 'value'] as const;

type Compare = (a: ShownCounter, b: ShownCounter) => number;

const byLabel: Compare = (a, b) => (a.label < b.label ? -1 : 1);
const COMPARE: Readonly<Record<(typeof ORDERS)[number], Compare>> = {
  importance: (a, b) => a.rank - b.rank || byLabel(a, b),
  name: byLabel,
  value: (a, b) => b.value - a.value || byLabel(a, b),
};

interface Line extends PageLine {
  /** Otherwise the group's name is shown there. */
  readonly isCounter: boolean;
}

export class CounterTable implements CounterView, PageContent {
  readonly isLog = false;
  /** The outer key is the provider, the inner one the label. */
  readonly #providers = new Map<string, Map<string, CounterValue>>();
  readonly #page: TerminalPage | undefined;
  #order: (typeof ORDERS)[number] = 'importance';
  #count = 0;
  #problem: string | undefined;
  /** The lines on the screen that the next update replaces. */
  #drawn = 0;
  #drawnAt = 0;

  /** @param onQuit makes it a page with keys; stdin must be a terminal */
  constructor(onQuit?: () => void) {
    this.#page = onQuit && new TerminalPage(this, onQuit);
  }

  show(value: CounterValue): void {
    const label = counterLabel(value);
    const values = this.#providers.get(value.provider) ?? new Map<string, CounterValue>();
    if (values.delete(label)) this.#count--;
    if (value.value === undefined || this.#count === MAX_COUNTERS) return;
    values.set(label, value);
    this.#providers.set(value.provider, values);
    this.#count++;
  }

  forget(provider: string): void {
    this.#count -= this.#providers.get(provider)?.size ?? 0;
    this.#providers.delete(provider);
  }

  tell(problem: string): void {
    this.#problem = problem;
  }

  async flush(): Promise<void> {
    if (this.#page !== undefined) this.#page.changed();
    else if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw();
  }

  /** Leaves the last values on the screen. */
  async end(): Promise<void> {
    this.#page?.close();
    this.#draw();
  }

  get keys(): string {
    return `s sort by ${this.#nextOrder}`;
  }

  get status(): string {
    return this.#count === 0 ? 'waiting for the first values' : (this.#problem ?? '');
  }

  onKey(key: string): void {
    if (key === 's') this.#order = this.#nextOrder;
  }

  get #nextOrder(): (typeof ORDERS)[number] {
    return ORDERS[(ORDERS.indexOf(this.#order) + 1) % ORDERS.length] as (typeof ORDERS)[number];
  }

  #draw(): void {
    this.#drawnAt = performance.now();
    const lines = this.#fitting(terminalWidth());
    const back = this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A`;
    process.stdout.write(`${back}\r\x1b[J${lines.map((line) => `${line}\n`).join('')}`);
    this.#drawn = lines.length;
  }

  /** Returns only what fits: lines that have scrolled away cannot be replaced. */
  #fitting(width: number): string[] {
    const room = Math.max(1, (process.stdout.rows || USUAL_ROWS) - 1);
    const lines = this.lines('', width);
    const notes = this.#problem === undefined ? [] : [this.#problem];
    if (lines.length + notes.length > room) {
      const hidden = lines.slice(Math.max(0, room - notes.length - 1));
      const count = hidden.filter(({ isCounter }) => isCounter).length;
      const counters = count === 1 ? '1 more counter' : `${count} more counters`;
      lines.length -= hidden.length;
      notes.unshift(`${counters}: enlarge the terminal, or name a --provider`);
    }
    const asText = (text: string, style: Style | undefined) =>
      styled(cut(printable(text), width, 'end'), style);
    return [
      ...lines.map(({ text, style }) => asText(text, style)),
      ...notes.slice(-room).map((note) => asText(note, 'yellow')),
    ];
  }

  lines(filter: string, width: number): Line[] {
    const groups = this.#groups(filter);
    const all = [...groups.values()].flat();
    const numberWidth = all.reduce((most, { value }) => Math.max(most, numberText(value).length), 0);
    const room = Math.max(1, width - numberWidth - 2 * GAP);
    const widest = all.reduce((most, { label }) => Math.max(most, textWidth(label)), 0);
    const labelWidth = Math.min(room, widest);
    const asLine = ({ label, value }: ShownCounter): Line => {
      const shown = cut(label, labelWidth, 'end');
      const space = ' '.repeat(Math.max(0, labelWidth - textWidth(shown)) + GAP);
      const text = `${' '.repeat(GAP)}${shown}${space}${numberText(value).padStart(numberWidth)}`;
      return { text, isCounter: true };
    };
    const compare = COMPARE[this.#order];
    return [...groups].flatMap(([group, counters]) => [
      { text: group, style: 'bold', isCounter: false },
      ...counters.sort(compare).map(asLine),
    ]);
  }

  /** The groups with what people look for first come first. */
  #groups(filter: string): ReadonlyMap<string, ShownCounter[]> {
    const isNode = this.#providers.has(NODE_METER);
    const shown = [...this.#providers.values()]
      .flatMap((values) => [...values.values()])
      .map((counter) => shownCounter(counter, counter.value ?? 0, isNode))
      .filter(({ group, label }) => `${group} ${label}`.toLowerCase().includes(filter));
    const groups = new Map<string, ShownCounter[]>();
    for (const counter of shown) groups.set(counter.group, [...(groups.get(counter.group) ?? []), counter]);
    const rankOf = (counters: readonly ShownCounter[]) =>
      counters.reduce((least, { rank }) => Math.min(least, rank), Number.POSITIVE_INFINITY);
    return new Map(
      [...groups].sort(([a, left], [b, right]) => rankOf(left) - rankOf(right) || (a < b ? -1 : 1)),
    );
  }
}
