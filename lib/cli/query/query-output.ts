/** The answer of a statement, as a table, a chart, CSV, JSON or Markdown. */
import { printable, printableJson, printableLines } from '../../base/printable.ts';
import { type Cell, csvLine } from '../../export/csv-export.ts';
import type { QueryColumn, QueryResult, QueryValue } from '../../query/query-result.ts';
import type { Output } from '../output.ts';
import { textWidth } from '../terminal/terminal.ts';
import { type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';
import { QueryChart } from './query-chart.ts';
import { type AnswerPrinter, jsonText, shownText, valueText } from './query-values.ts';

export const ANSWER_FORMATS = ['table', 'csv', 'json', 'markdown', 'chart'] as const;
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** @returns the number of rows */
export async function printAnswer(
  { columns, rows }: QueryResult,
  format: AnswerFormat,
  output: Output,
): Promise<number> {
  const printer = printerOf(format, columns, output);
  let count = 0;
  for await (const values of rows) {
    printer.row(values);
    count++;
    if (output.isFull) await output.flush();
  }
  printer.end();
  await output.flush();
  return count;
}

function printerOf(format: AnswerFormat, columns: readonly QueryColumn[], output: Output): AnswerPrinter {
  if (format === 'csv') return new CsvPrinter(columns, output);
  if (format === 'json') return new JsonPrinter(columns, output);
  if (format === 'markdown') return new MarkdownPrinter(columns, output);
  if (columns[0]?.name === 'explain_key') return new PlanPrinter(output);
  return format === 'chart' ? new QueryChart(columns, output) : new TablePrinter(columns, output);
}

/** The rows that determine which column is cut. */
const MEASURED_ROWS = 1000;

class TablePrinter implements AnswerPrinter {
  readonly #columns: readonly QueryColumn[];
  readonly #output: Output;
  #waiting: string[][] | undefined = [];
  #table: TerminalTable | undefined;

  constructor(columns: readonly QueryColumn[], output: Output) {
    this.#columns = columns;
    this.#output = output;
  }

  row(values: readonly QueryValue[]): void {
    const cells = values.map(shownText);
    if (this.#waiting === undefined) {
      this.#table?.row(cells);
      return;
    }
    this.#waiting.push(cells);
    if (this.#waiting.length === MEASURED_ROWS) this.#start();
  }

  end(): void {
    this.#start();
    this.#table?.end();
  }

  #start(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (waiting.length === 0) return;
    const widest = this.#widestText(waiting);
    const columns = this.#columns.map(
      ({ name, isNumber }, index): TableColumn => ({
        title: name,
        align: isNumber ? 'right' : 'left',
        ...(index === widest && { cut: 'end' }),
      }),
    );
    this.#table = new TerminalTable(columns, this.#output);
    for (const cells of waiting) this.#table.row(cells);
  }

  #widestText(rows: readonly (readonly string[])[]): number {
    const widths = this.#columns.map(({ isNumber }, index) =>
      isNumber ? 0 : rows.reduce((width, cells) => Math.max(width, textWidth(cells[index] ?? '')), 0),
    );
    return widths.indexOf(Math.max(...widths));
  }
}

/** What EXPLAIN shows: boxes of several lines. */
class PlanPrinter implements AnswerPrinter {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  row(values: readonly QueryValue[]): void {
    this.#output.styledLine(printableLines(valueText(values.at(-1) ?? null)));
  }

  end(): void {}
}

/** Raw, unless a terminal shows it. */
class CsvPrinter implements AnswerPrinter {
  readonly #output: Output;

  constructor(columns: readonly QueryColumn[], output: Output) {
    this.#output = output;
    this.#line(columns.map(({ name }) => name));
  }

  row(values: readonly QueryValue[]): void {
    this.#line(values.map((value) => (typeof value === 'number' ? value : valueText(value))));
  }

  end(): void {}

  #line(cells: readonly Cell[]): void {
    const line = csvLine(cells).slice(0, -1);
    this.#output.styledLine(process.stdout.isTTY ? printable(line.trimEnd()) : line);
  }
}

/** Prints one object per line. */
class JsonPrinter implements AnswerPrinter {
  readonly #names: readonly string[];
  readonly #output: Output;

  constructor(columns: readonly QueryColumn[], output: Output) {
    this.#names = columns.map(({ name }) => name);
    this.#output = output;
  }

  row(values: readonly QueryValue[]): void {
    const members = values.map((value, i) => `${JSON.stringify(this.#names[i])}:${jsonText(value)}`);
    this.#output.styledLine(printableJson(`{${members.join(',')}}`));
  }

  end(): void {}
}

class MarkdownPrinter implements AnswerPrinter {
  readonly #output: Output;

  constructor(columns: readonly QueryColumn[], output: Output) {
    this.#output = output;
    this.#line(columns.map(({ name }) => markdownText(name)));
    this.#line(columns.map(({ isNumber }) => (isNumber ? '---:' : '---')));
  }

  row(values: readonly QueryValue[]): void {
    this.#line(values.map((value) => markdownText(shownText(value))));
  }

  end(): void {}

  #line(cells: readonly string[]): void {
    this.#output.line(`| ${cells.join(' | ')} |`);
  }
}

/** A name's underscores need no escape. */
const MARKS = /[\\`*[\]<>|~&]|(?<!\w)_|_(?!\w)/g;

/** Escapes the text, so that no renderer takes it for a link, HTML or the end of the cell. */
function markdownText(text: string): string {
  return text
    .replace(MARKS, (mark) => (mark === '<' || mark === '&' ? `&#${mark.charCodeAt(0)};` : `\\${mark}`))
    .replace(/\r?\n/g, '<br>');
}
