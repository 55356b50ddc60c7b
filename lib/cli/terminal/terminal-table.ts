/**
 * A table of any length, printed row by row in columns that fit the terminal. If it is too wide, first whole columns
 * are dropped, in the order they declare, then the ends of the longest texts.
 */
import { printable } from '../../base/printable.ts';
import type { Output } from '../output.ts';
import { cut, type Style, styled, terminalWidth, textWidth } from './terminal.ts';

export interface TableColumn {
  readonly title: string;
  /** Left by default. */
  readonly align?: 'left' | 'right';
  /** The column to cut if the table is too wide, and at which end. */
  readonly cut?: 'start' | 'end';
  /** Columns with smaller numbers are dropped first; without a number, never. */
  readonly dropOrder?: number;
}

export type Cell = string | readonly [text: string, style: Style];

const GAP = 2;
/** The rows that determine the widths; wider cells in later rows stick out. */
const MEASURED_ROWS = 1000;
/** A column that is cut keeps at least this width. */
const MIN_CUT_WIDTH = 16;

interface PlacedColumn {
  readonly column: TableColumn;
  /** The index of the column's cell in a row. */
  readonly index: number;
  readonly width: number;
}

export class TerminalTable {
  readonly #columns: readonly TableColumn[];
  readonly #output: Output;
  /** Rows held back until the widths are known. */
  #waiting: (readonly Cell[])[] = [];
  #placed: readonly PlacedColumn[] | undefined;

  constructor(columns: readonly TableColumn[], output: Output) {
    this.#columns = columns;
    this.#output = output;
  }

  /** A cell for each column. */
  row(cells: readonly Cell[]): void {
    if (this.#placed !== undefined) {
      this.#output.styledLine(lineOf(this.#placed, cells));
      return;
    }
    this.#waiting.push(cells);
    if (this.#waiting.length === MEASURED_ROWS) this.end();
  }

  /** Prints the rows held back, and the head unless there are no rows. */
  end(): void {
    if (this.#waiting.length === 0) return;
    const titles = this.#columns.map(({ title }): Cell => [title, 'bold']);
    const rows = [titles, ...this.#waiting];
    this.#waiting = [];
    this.#placed = place(this.#columns, rows, terminalWidth());
    for (const row of rows) this.#output.styledLine(lineOf(this.#placed, row));
  }
}

function place(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  available: number,
): PlacedColumn[] {
  let placed = columns.map((column, index) => ({
    column,
    index,
    width: rows.reduce((width, row) => Math.max(width, textWidth(textOf(row[index]))), 0),
  }));
  const droppable = placed
    .filter(({ column }) => column.dropOrder !== undefined)
    .sort((a, b) => (a.column.dropOrder as number) - (b.column.dropOrder as number));
  for (const dropped of droppable) {
    if (leastWidth(placed) <= available) break;
    placed = placed.filter((column) => column !== dropped);
  }
  const excess = totalWidth(placed) - available;
  if (excess <= 0) return placed;
  return placed.map((entry) =>
    entry.column.cut === undefined
      ? entry
      : { ...entry, width: Math.max(Math.min(MIN_CUT_WIDTH, entry.width), entry.width - excess) },
  );
}

function totalWidth(placed: readonly PlacedColumn[]): number {
  return placed.reduce((sum, { width }) => sum + width, GAP * (placed.length - 1));
}

/** The cut column counts with its narrowest useful width. */
function leastWidth(placed: readonly PlacedColumn[]): number {
  const cuttable = placed.find(({ column }) => column.cut !== undefined);
  const spare = cuttable === undefined ? 0 : Math.max(0, cuttable.width - 2 * MIN_CUT_WIDTH);
  return totalWidth(placed) - spare;
}

function lineOf(placed: readonly PlacedColumn[], cells: readonly Cell[]): string {
  const last = placed.length - 1;
  const texts = placed.map(({ column, index, width }, at) => {
    const cell = cells[index] ?? '';
    const whole = textOf(cell);
    const text = column.cut === undefined ? whole : cut(whole, width, column.cut);
    const space = ' '.repeat(Math.max(0, width - textWidth(text)));
    const shown = styled(text, typeof cell === 'string' ? undefined : cell[1]);
    if (column.align === 'right') return `${space}${shown}`;
    return at === last ? shown : `${shown}${space}`;
  });
  return texts.join(' '.repeat(GAP)).trimEnd();
}

function textOf(cell: Cell | undefined): string {
  return printable(typeof cell === 'string' ? cell : (cell?.[0] ?? ''));
}
