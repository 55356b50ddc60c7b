/** The last values of counters on a terminal: a table that is kept up to date. */
import type { CounterValue } from './counter-values.ts';
import { type CounterView, counterLabel, numberText } from './counter-view.ts';
import { cut, printable, styled, terminalWidth, textWidth } from './terminal.ts';

const REDRAW_MS = 100;
/** A process may have no end of them; nobody looks at more. */
const MAX_COUNTERS = 10_000;
const GAP = 2;

interface Row {
  readonly label: string;
  readonly number: string;
}

export class CounterTable implements CounterView {
  /** By provider and label. */
  readonly #providers = new Map<string, Map<string, Row>>();
  #count = 0;
  #problem: string | undefined;
  /** Lines on the screen, which the next ones replace. */
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
    // What has scrolled away could not be replaced.
    const lines = this.#lines(terminalWidth()).slice(0, process.stdout.rows - 1);
    const back = this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A`;
    process.stdout.write(`${back}\r\x1b[J${lines.map((line) => `${line}\n`).join('')}`);
    this.#drawn = lines.length;
  }

  #lines(width: number): string[] {
    const all = [...this.#providers.values()].flatMap((rows) => [...rows.values()]);
    const numberWidth = all.reduce((most, { number }) => Math.max(most, number.length), 0);
    const room = Math.max(1, width - numberWidth - 2 * GAP);
    const labelWidth = Math.min(
      room,
      all.reduce((most, { label }) => Math.max(most, textWidth(label)), 0),
    );
    const asLine = ({ label, number }: Row): string => {
      const shown = cut(label, labelWidth, 'end');
      const space = ' '.repeat(labelWidth - textWidth(shown) + GAP);
      return `${' '.repeat(GAP)}${shown}${space}${number.padStart(numberWidth)}`;
    };
    const lines = [...this.#providers]
      .filter(([, rows]) => rows.size > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([provider, rows]) => [
        styled(cut(printable(provider), width, 'end'), 'bold'),
        ...[...rows.values()].sort((a, b) => (a.label < b.label ? -1 : 1)).map(asLine),
      ]);
    if (this.#problem === undefined) return lines;
    return [...lines, styled(cut(printable(this.#problem), width, 'end'), 'yellow')];
  }
}
