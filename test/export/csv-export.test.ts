/** Traces as CSV, read back by the rules of RFC 4180. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CsvExport, PayloadColumns } from '../../lib/export/csv-export.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { type WrittenEvent, written } from '../view/written-events.ts';
import { exportEvents, exportTrace } from './exported.ts';

/** Rows of cells. @throws Error where RFC 4180 is broken */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  while (cells.lastIndex < text.length) {
    const at = cells.lastIndex;
    const match = cells.exec(text);
    if (match === null) throw new Error(`No cell starts at ${at}: ${text.slice(at, at + 80)}`);
    const [, quoted, plain = '', end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function records(text: string): Record<string, string>[] {
  const [head = [], ...rows] = parse(text);
  return rows.map((row) => {
    expect(row.length).toBe(head.length);
    return Object.fromEntries(head.map((name, i) => [name, row[i] as string]));
  });
}

function exported(events: readonly WrittenEvent[], columns?: readonly string[]) {
  const { text } = exportEvents(events.map(written), () => new CsvExport(columns));
  return records(text);
}

describe('a line', () => {
  it('has a column for each property of an event, and the payload as JSON', () => {
    const payload = { text: 'a "b", c\r\nd', size: 5n, bytes: Uint8Array.of(1, 255) };
    const [line] = exported([{ name: 'RequestStart', at: 1.5, id: '//1/1', threadId: 7, payload }]);
    expect(line).toMatchObject({
      timestamp: '1500000',
      processId: '4321',
      threadId: '7',
      provider: 'Demo',
      name: 'RequestStart',
      keywords: '0x0',
      activityPath: '//1/1',
      processor: '',
      labels: '',
    });
    expect(JSON.parse(line?.payload as string)).toEqual({ text: payload.text, size: '5', bytes: '01ff' });
  });

  it('contains no text that a spreadsheet would take for a formula', () => {
    const texts = ['=1+1', '+1-1', '-cmd', '@SUM', '\tx', '\rx', 'a=1'];
    const events = texts.map((text) => ({
      name: `Demo/${text}`,
      at: 1,
      payload: { text, less: -5n, n: -1.5 },
    }));
    const lines = exported(events, ['text', 'less', 'n']);
    const expected = ["'=1+1", "'+1-1", "'-cmd", "'@SUM", "'\tx", "'\rx", 'a=1'];
    expect(lines.map((line) => line['payload.text'])).toEqual(expected);
    expect(lines.map(({ name }) => name)).toEqual(expected);
    expect(lines.map((line) => [line['payload.less'], line['payload.n']])).toEqual(
      texts.map(() => ['-5', '-1.5']),
    );
  });

  it('has a column for each field on request', () => {
    const events = [
      { name: 'A', at: 1, payload: { user: { name: 'me', roles: [1, 2] }, ok: true } },
      { name: 'B', at: 2, payload: { ok: false, none: null } },
    ];
    const columns = new PayloadColumns();
    for (const event of events) columns.add(written(event));
    expect(columns.names).toEqual(['user.name', 'user.roles', 'ok', 'none']);
    const lines = exported(events, columns.names).map((line) =>
      columns.names.map((name) => line[`payload.${name}`]),
    );
    expect(lines).toEqual([
      ['me', '[1,2]', 'true', ''],
      ['', '', 'false', ''],
    ]);
  });
});

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`real traces (${SKIP_REASON})`, () => {
  it.each(['perf-data/perf.data', 'etl/AMSITrace.etl', 'nettrace/activities-net10.v6.nettrace'])(
    '%s has as many lines as events, with the same values',
    async (file) => {
      const { bytes, events } = await exportTrace(join(dataFolder ?? '', file), () => new CsvExport());
      const lines = records(Buffer.from(bytes).toString());
      expect(lines.length).toBe(events.length);
      for (const [i, event] of events.entries()) {
        const json = JSON.parse(JSON.stringify(event)) as Record<string, unknown>;
        const line = lines[i] as Record<string, string>;
        expect(JSON.parse(line.payload as string)).toEqual(json.payload);
        expect([line.timestamp, line.name, line.keywords]).toEqual([
          json.timestamp,
          json.name,
          json.keywords,
        ]);
      }
    },
  );
});
