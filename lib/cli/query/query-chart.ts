/** The answer of a statement as a chart: a bar for each row, of the last column with numbers. */
import { printable } from '../../base/printable.ts';
import type { QueryColumn, QueryValue } from '../../query/query-result.ts';
import { countText } from '../../view/number-text.ts';
import type { Output } from '../output.ts';
import { cut, styled, terminalWidth, textWidth } from '../terminal/terminal.ts';
import { type AnswerPrinter, shownText } from './query-values.ts';

/** More would not be a picture. */
const MAX_BARS = 500;
/** The width if there is no terminal. */
const USUAL_WIDTH = 100;
const MIN_BAR_WIDTH = 10;
/** The characters fill one to seven eighths of a cell. */
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Bar {
  readonly label: string;
  readonly text: string;
  readonly size: number;
}

export class QueryChart implements AnswerPrinter {
  readonly #columns: readonly QueryColumn[];
  readonly #output: Output;
  readonly #measure: number;
  readonly #bars: Bar[] = [];
  #omitted = 0;

  constructor(columns: readonly QueryColumn[], output: Output) {
    this.#columns = columns;
    this.#output = output;
    this.#measure = columns.findLastIndex(({ isNumber }) => isNumber);
    if (this.#measure < 0) throw new Error('A chart needs a column with numbers: the answer has none.');
  }

  row(values: readonly QueryValue[]): void {
    if (this.#bars.length === MAX_BARS) {
      this.#omitted++;
      return;
    }
    const isLabel = (index: number) => this.#columns[index]?.isNumber === false || index === 0;
    const labels = values.filter((_, index) => index !== this.#measure && isLabel(index));
    const value = values[this.#measure] ?? null;
    this.#bars.push({
      label: printable(labels.map(shownText).join(' ')),
      text: shownText(value),
      size: Math.abs(Number(value)) || 0,
    });
  }

  end(): void {
    const available = Math.min(terminalWidth(), USUAL_WIDTH);
    const textSpace = widthOf(this.#bars.map(({ text }) => text));
    const labelSpace = Math.min(
      widthOf(this.#bars.map(({ label }) => label)),
      Math.max(MIN_BAR_WIDTH, available - textSpace - MIN_BAR_WIDTH - 4),
    );
    const barSpace = Math.max(MIN_BAR_WIDTH, available - labelSpace - textSpace - 4);
    const largest = Math.max(...this.#bars.map(({ size }) => size));
    if (this.#bars.length > 0) {
      this.#output.styledLine(styled(printable(this.#columns[this.#measure]?.name ?? ''), 'bold'));
    }
    for (const { label, text, size } of this.#bars) {
      const shown = cut(label, labelSpace, 'end');
      const space = ' '.repeat(labelSpace - textWidth(shown));
      const bar = styled(barOf(largest > 0 ? (size / largest) * barSpace : 0), 'cyan');
      this.#output.styledLine(`${shown}${space}  ${text.padStart(textSpace)}  ${bar}`.trimEnd());
    }
    if (this.#omitted > 0) this.#output.styledLine(`and ${countText(this.#omitted, 'row')} more`);
  }
}

function widthOf(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, textWidth(text)), 0);
}

function barOf(length: number): string {
  const eighths = Math.round(length * 8);
  return `${'█'.repeat(Math.floor(eighths / 8))}${PARTS[eighths % 8]}`;
}
