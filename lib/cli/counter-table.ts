/** The latest counter values on a terminal, as a table that is updated in place. */
import { printable } from '../base/printable.ts';
import type { CounterValue } from '../view/counter-values.ts';
import { type CounterView, counterLabel, numberText } from './counter-view.ts';
import { cut, styled, terminalWidth, textWidth } from './terminal.ts';

const REDRAW_MS = 100;
/** A process can have any number of them; nobody looks at more. */
const MAX_COUNTERS = 10_000;
const GAP = 2;
/** For terminals that do not report their height. */
const USUAL_ROWS = 24;

interface Row {
  readonly label: string;
  readonly number: string;
}

interface Line {
  readonly text: string;
  /** Otherwise the provider's name is shown there. */
  readonly isCounter: boolean;
}

export class CounterTable implements CounterView {
  /** By provider and label. */
  readonly #providers = new Map<string, Map<string, Row>>();
  #count = 0;
  #problem: string | undefined;
  /** The lines on the screen that the next update replaces. */
  #drawn = 0;
  #drawnAt = 0;

  show(value: CounterValue): void {
    const label = counterLabel(value);
    const rows = this.#providers.get(value.provider) ?? new Map<string, Row>();
    if (rows.delete(label)) this.#count--;
    if (value.value === undefined || this.#count === MAX_COUNTERS) return;
    rows.set(label, { label, number: numberText(value.value) });
    this.#providers.set(value.provider, rows);
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
    if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw();
  }

  async end(): Promise<void> {
    this.#draw();
  }

  #draw(): void {
    this.#drawnAt = performance.now();
    const lines = this.#shown(terminalWidth());
    const back = this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A`;
    process.stdout.write(`${back}\r\x1b[J${lines.map((line) => `${line}\n`).join('')}`);
    this.#drawn = lines.length;
  }

  /** Only what fits: lines that have scrolled away cannot be replaced. */
  #shown(width: number): string[] {
    const room = Math.max(1, (process.stdout.rows || USUAL_ROWS) - 1);
    const lines = this.#lines(width);
    const notes = this.#problem === undefined ? [] : [this.#problem];
    if (lines.length + notes.length > room) {
      const hidden = lines.slice(Math.max(0, room - notes.length - 1));
      const count = hidden.filter(({ isCounter }) => isCounter).length;
      const counters = count === 1 ? '1 more counter' : `${count} more counters`;
      lines.length -= hidden.length;
      notes.unshift(`${counters}: enlarge the terminal, or name a --provider`);
    }
    const noted = notes.map((note) => styled(cut(printable(note), width, 'end'), 'yellow'));
    return [...lines.map(({ text }) => text), ...noted.slice(-room)];
  }

  #lines(width: number): Line[] {
    const all = [...this.#providers.values()].flatMap((rows) => [...rows.values()]);
    const numberWidth = all.reduce((most, { number }) => Math.max(most, number.length), 0);
    const room = Math.max(1, width - numberWidth - 2 * GAP);
    const labelWidth = Math.min(
      room,
      all.reduce((most, { label }) => Math.max(most, textWidth(label)), 0),
    );
    const asLine = ({ label, number }: Row): Line => {
      const shown = cut(label, labelWidth, 'end');
      const space = ' '.repeat(labelWidth - textWidth(shown) + GAP);
      const text = `${' '.repeat(GAP)}${shown}${space}${number.padStart(numberWidth)}`;
      return { text, isCounter: true };
    };
    return [...this.#providers]
      .filter(([, rows]) => rows.size > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([provider, rows]) => [
        { text: styled(cut(printable(provider), width, 'end'), 'bold'), isCounter: false },
        ...[...rows.values()].sort((a, b) => (a.label < b.label ? -1 : 1)).map(asLine),
      ]);
  }
}
