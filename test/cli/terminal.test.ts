/** Lines that fit the terminal, whatever a trace contains. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Output } from '../../lib/cli/output.ts';
import { cut, styled, textWidth } from '../../lib/cli/terminal/terminal.ts';
import { TerminalTable } from '../../lib/cli/terminal/terminal-table.ts';

function terminal(columns: number, hasColors = false): void {
  vi.spyOn(process, 'stdout', 'get').mockReturnValue({
    isTTY: true,
    columns,
    hasColors: () => hasColors,
  } as unknown as typeof process.stdout);
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** A table of two columns of numbers and a name. */
function table(rows: readonly (readonly string[])[]): string[] {
  const lines: string[] = [];
  const output: Pick<Output, 'styledLine'> = { styledLine: (text) => lines.push(text) };
  const columns = [
    { title: 'NAME', cut: 'start' },
    { title: 'COUNT', align: 'right', dropOrder: 1 },
    { title: 'MSEC', align: 'right' },
  ] as const;
  const printed = new TerminalTable(columns, output as Output);
  for (const row of rows) printed.row(row);
  printed.end();
  return lines;
}

const ROWS = [
  ['MyCompany-MyService/Request/Start', '1', '22.5'],
  ['A/B', '10', '3'],
];

it('a table on a terminal of unknown width fits a usual one', () => {
  terminal(0);
  expect(table([['x'.repeat(200), '1', '22.5']])[1]).toHaveLength(80);
});

it('a table has columns as wide as their text', () => {
  expect(table(ROWS)).toEqual([
    'NAME                               COUNT  MSEC',
    'MyCompany-MyService/Request/Start      1  22.5',
    'A/B                                   10     3',
  ]);
});

it('a table on a narrow terminal truncates its names, then omits columns', () => {
  terminal(46);
  expect(table(ROWS)[1]).toBe('MyCompany-MyService/Request/Start      1  22.5');
  terminal(45);
  expect(table(ROWS)[1]).toBe('…Company-MyService/Request/Start      1  22.5');
  terminal(38);
  expect(table(ROWS)).toEqual([
    'NAME                              MSEC',
    '…Company-MyService/Request/Start  22.5',
    'A/B                                  3',
  ]);
  terminal(10);
  expect(table(ROWS)[1]).toBe('…e/Request/Start  22.5');
});

it('a table continues after the rows that determine its widths', () => {
  const lines = table(Array.from({ length: 1500 }, (_, i) => ['Name', String(i), '1']));
  expect(lines.length).toBe(1501);
  expect(lines.at(-1)).toBe('Name   1499     1');
});

it('without rows there is no header either', () => {
  expect(table([])).toEqual([]);
});

it('the width of a text is its width on the screen', () => {
  expect(['abc', '数据', 'e\u0301', '🚀'].map(textWidth)).toEqual([3, 4, 1, 2]);
  expect(cut('数据数据', 5, 'end')).toBe('数据…');
  expect(cut('数据数据', 4, 'start')).toBe('…据');
  expect(cut('abc', 3, 'end')).toBe('abc');
});

it('colours are for terminals that support them', () => {
  expect(styled('text', 'red')).toBe('text');
  terminal(80);
  expect(styled('text', 'red')).toBe('text');
  terminal(80, true);
  expect(styled('text', 'red')).toBe('\x1b[31mtext\x1b[39m');
  expect(styled('text', undefined)).toBe('text');
});
