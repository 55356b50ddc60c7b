/** A page on a terminal: what it shows of many lines, and what its keys do. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PageContent, TerminalPage } from '../../lib/cli/terminal/terminal-page.ts';
import { type FakeTerminal, fakeTerminal } from './fake-terminal.ts';

let all: string[] = [];
let quits = 0;
let others: string[] = [];
let page: TerminalPage | undefined;
let terminal: FakeTerminal;
let type: FakeTerminal['type'];
let shown: FakeTerminal['shown'];

beforeEach(() => {
  terminal = fakeTerminal();
  ({ type, shown } = terminal);
  all = ['one', 'two', 'three', 'four', 'five', 'six'];
  quits = 0;
  others = [];
});
afterEach(() => {
  page?.close();
  vi.restoreAllMocks();
});

function open(isLog = false): void {
  const content: PageContent = {
    lines: (filter) => all.filter((text) => text.includes(filter)).map((text) => ({ text })),
    keys: 's sort',
    status: '',
    isLog,
    onKey: (key) => others.push(key),
  };
  page = new TerminalPage(content, () => quits++);
}

describe('a page', () => {
  it('shows as many lines as fit, and what the keys do', () => {
    open();
    expect(shown()).toEqual(['one', 'two', 'three', 'q quit   ↑↓ scroll …']);
    terminal.size = { columns: 80, rows: 5 };
    terminal.resize();
    expect(shown()).toEqual([
      'one',
      'two',
      'three',
      'four',
      'q quit   ↑↓ scroll 1-4 of 6   / filter   s sort',
    ]);
  });

  it('scrolls by lines and by pages, and no further than there are lines', () => {
    open();
    const first = (keys: string) => {
      type(keys);
      return shown()[0];
    };
    expect(first('\x1b[B')).toBe('two');
    expect(first('\x1b[B\x1bOB')).toBe('four');
    expect(first('\x1b[B')).toBe('four');
    expect(first('\x1b[5~')).toBe('one');
    expect(first('\x1b[6~')).toBe('four');
    expect(first('\x1b[A')).toBe('three');
    expect(first('\x1b[H')).toBe('one');
    expect(first('\x1b[4~')).toBe('four');
    all = ['one'];
    expect(first('x')).toBe('one');
    expect(others).toEqual(['x']);
  });

  it('shows only the lines with a text, until escape', () => {
    terminal.size = { columns: 80, rows: 4 };
    open();
    type('/Fx');
    expect(shown()).toEqual(['', '', '', '/Fx_   enter: keep, escape: show all']);
    type('\x7f\r');
    expect(shown()).toEqual(['four', 'five', '', 'q quit   ↑↓ scroll   / filter: F   s sort']);
    type('\x1b');
    expect(shown()[0]).toBe('one');
    type('/qé\x1b');
    expect([shown()[0], quits]).toEqual(['one', 0]);
  });

  it('cuts wide characters where they fit, and escapes control characters', () => {
    terminal.size = { columns: 6, rows: 4 };
    all = ['数据数据', 'a数据数据', 'x\x1b[2J'];
    open();
    expect(shown().slice(0, 3)).toEqual(['数据…', 'a数据…', 'x\\u{1…']);
  });

  it('of a log stays at its end, unless somebody looks at what came before', () => {
    open(true);
    expect(shown()[2]).toBe('six');
    all.push('seven');
    terminal.resize();
    expect(shown()[2]).toBe('seven');
    type('\x1b[A');
    all.push('eight');
    terminal.resize();
    expect(shown()[2]).toBe('six');
    type('\x1b[F');
    all.push('nine');
    terminal.resize();
    expect(shown()[2]).toBe('nine');
  });

  it('is drawn again soon after a change, but not for each', async () => {
    open();
    const frames = () => terminal.written.split('\x1b[H').length;
    const before = frames();
    for (let i = 0; i < 1000; i++) page?.changed();
    await vi.waitFor(() => expect(frames()).toBeGreaterThan(before));
    expect(frames()).toBeLessThan(before + 10);
  });

  it('leaves the terminal as it was', () => {
    open();
    expect([terminal.written.startsWith('\x1b[?1049h\x1b[?25l'), terminal.isRaw]).toEqual([true, true]);
    type('q');
    expect(quits).toBe(1);
    page?.close();
    expect([terminal.written.endsWith('\x1b[?25h\x1b[?1049l'), terminal.isRaw]).toEqual([true, false]);
    expect(terminal.resizeListeners).toBe(0);
  });
});
