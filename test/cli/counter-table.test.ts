/** The counters of a process as a table on a terminal. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CounterTable } from '../../lib/cli/counters/counter-table.ts';
import type { CounterValue } from '../../lib/view/counter-values.ts';

let written: string[] = [];
let now = 1000;

function terminal(columns: number, rows: number): void {
  vi.spyOn(process, 'stdout', 'get').mockReturnValue({
    isTTY: true,
    columns,
    rows,
    hasColors: () => false,
    write: (text: string) => written.push(text),
  } as unknown as typeof process.stdout);
}

beforeEach(() => {
  written = [];
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  terminal(40, 24);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const counter = (provider: string, displayName: string, value: number | undefined): CounterValue => ({
  provider,
  name: displayName,
  displayName,
  unit: '',
  tags: '',
  isRate: false,
  interval: 1,
  value,
  isOfMeter: false,
});

/** What has been drawn last, without the going back before it. */
const drawn = () => written.at(-1)?.split('\x1b[J')[1]?.split('\n').slice(0, -1);

describe('the table of counters', () => {
  it('lists counters by provider and name, with aligned numbers', async () => {
    const table = new CounterTable();
    table.show(counter('B', 'only', 1));
    table.show(counter('A', 'second', 12345.6789));
    table.show(counter('A', 'first', 2));
    await table.end();
    expect(drawn()).toEqual([
      'A',
      '  first            2',
      '  second  12,345.679',
      'B',
      '  only             1',
    ]);
  });

  it('is redrawn in place, with the last values', async () => {
    const table = new CounterTable();
    table.show(counter('A', 'n', 1));
    await table.flush();
    now += 1000;
    table.show(counter('A', 'n', 2));
    await table.flush();
    expect(written).toEqual(['\r\x1b[JA\n  n  1\n', '\x1b[2A\r\x1b[JA\n  n  2\n']);
  });

  it('is redrawn no more often than visible, and once at the end', async () => {
    const table = new CounterTable();
    for (let i = 0; i < 10; i++) {
      table.show(counter('A', 'n', i));
      await table.flush();
    }
    await table.end();
    expect(written).toHaveLength(2);
    expect(drawn()).toEqual(['A', '  n  9']);
  });

  it('fits the terminal', async () => {
    terminal(20, 4);
    const table = new CounterTable();
    for (let i = 0; i < 9; i++) table.show(counter('A', `a name that is too long ${i}`, i));
    await table.end();
    expect(drawn()).toHaveLength(3);
    expect(drawn()?.every((line) => line.length <= 20)).toBe(true);
  });

  it('says how many counters do not fit, besides what keeps others from being shown', async () => {
    terminal(60, 6);
    const table = new CounterTable();
    for (const name of ['a', 'b', 'c']) table.show(counter('A', name, 1));
    for (const name of ['d', 'e']) table.show(counter('B', name, 2));
    table.tell('No meters.');
    await table.end();
    expect(drawn()).toEqual([
      'A',
      '  a  1',
      '  b  1',
      '3 more counters: enlarge the terminal, or name a --provider',
      'No meters.',
    ]);
    terminal(60, 8);
    await table.end();
    expect(drawn()).toContain('2 more counters: enlarge the terminal, or name a --provider');
    terminal(60, 9);
    await table.end();
    expect(drawn()).toEqual(['A', '  a  1', '  b  1', '  c  1', 'B', '  d  2', '  e  2', 'No meters.']);
  });

  it('has the default size if the terminal does not report its own', async () => {
    terminal(60, 0);
    const table = new CounterTable();
    for (let i = 0; i < 50; i++) table.show(counter('A', `n${i}`, i));
    await table.end();
    expect(drawn()).toHaveLength(23);
  });

  it('removes what has ended, and what a meter reports instead', async () => {
    const table = new CounterTable();
    table.show(counter('A', 'n', 1));
    table.show(counter('A', 'm', 1));
    table.show(counter('B', 'k', 1));
    table.show(counter('A', 'n', undefined));
    table.forget('B');
    await table.end();
    expect(drawn()).toEqual(['A', '  m  1']);
  });

  it('says what keeps counters from being shown, without moving the cursor', async () => {
    const table = new CounterTable();
    table.show(counter('A\x1b[2J', 'n', 1));
    table.tell('No meters.');
    await table.end();
    expect(drawn()).toEqual(['A\\u{1b}[2J', '  n  1', 'No meters.']);
  });

  it('puts requests and delays of the event loop first, under the names of Node.js', async () => {
    const table = new CounterTable();
    const runtime = (name: string, unit: string, tags: string, value: number, isRate = false) =>
      table.show({
        ...counter('System.Runtime', name, value),
        unit,
        tags,
        isRate,
        interval: 2,
        isOfMeter: true,
      });
    runtime('dotnet.gc.last_collection.heap.size', 'By', 'gc.heap.generation=gen0', 12_500_000);
    runtime('dotnet.process.cpu.time', 's', 'cpu.mode=user', 0.5, true);
    await table.end();
    expect(drawn()).toEqual([
      'System.Runtime',
      '  dotnet.process.cpu.time (…         0.5',
      '  dotnet.gc.last_collection…  12,500,000',
    ]);
    const node = (name: string, unit: string, tags: string, value: number, isRate = false) =>
      table.show({
        ...counter('Node.Runtime', name, value),
        unit,
        tags,
        isRate,
        interval: 2,
        isOfMeter: true,
      });
    node('nodejs.eventloop.delay', 's', 'Percentile=99', 0.0125);
    node('http.server.requests', '{request}', '', 300, true);
    table.show(counter('A', 'n', 7));
    await table.end();
    expect(drawn()).toEqual([
      'Node.js',
      '  HTTP requests (/s)          150',
      '  event loop delay p99 (ms)  12.5',
      '  CPU user (%)                 25',
      '  heap, used young (MB)      12.5',
      'A',
      '  n                             7',
    ]);
  });

  it('keeps a bounded number of counters', async () => {
    terminal(40, 100_000);
    const table = new CounterTable();
    for (let i = 0; i < 10_100; i++) table.show(counter('A', `n${i}`, i));
    await table.end();
    expect(drawn()).toHaveLength(10_001);
  });
});
