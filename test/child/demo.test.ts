/**
 * `npm run demo`, recorded by the listener so that it runs everywhere: its output shows how the tracker and the flow
 * handle eight concurrent requests.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/demo/run.mjs');

let lines: string[];
let table: string[];

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--listen']);
  lines = stdout.split('\n');
  table = lines.filter((line) => line.startsWith('MyCompany-MyService/'));
}, 60_000);

/** The cells of a row: nothing in the table has a space in it. */
function cells(row: string): string[] {
  return row.split(/ +/);
}

describe('the demo', () => {
  test('says how it was recorded, and which of the eight requests it shows', () => {
    expect(lines[0]).toBe('Recorded inside the process, with listen(), as --listen asks.');
    expect(lines[1]).toBe('8 concurrent requests; this is request 6, //1/6:');
  });

  test('has the expected columns, and the related id', () => {
    expect(lines[3]).toMatch(
      /^Event Name +Time MSec +ThreadID +ActivityID +RelatedActivityID +DURATION_MSEC$/,
    );
  });

  test('shows a request with its security check and its database commands, and nothing of the others', () => {
    const paths = table.map((row) => [cells(row)[0], cells(row)[3]].join(' ')).sort();
    const eventsOf = (activity: string, path: string) => [
      `MyCompany-MyService/${activity}/Start ${path}`,
      `MyCompany-MyService/${activity}/Stop ${path}`,
    ];
    expect(paths).toEqual(
      [
        ...eventsOf('Request', '//1/6'),
        ...eventsOf('Security', '//1/6/1'),
        ...eventsOf('DatabaseCommand', '//1/6/1/1'),
        ...eventsOf('DatabaseCommand', '//1/6/2'),
        ...eventsOf('DatabaseCommand', '//1/6/3'),
        ...eventsOf('DatabaseCommand', '//1/6/4'),
      ].sort(),
    );
  });

  test('gives each start but the first the id of the activity in which it was started', () => {
    const starts = table.filter((row) => row.includes('/Start'));
    expect(starts.map((row) => cells(row)[4])).toEqual([
      undefined,
      '//1/6',
      '//1/6/1',
      '//1/6',
      '//1/6',
      '//1/6',
    ]);
  });

  test('gives each stop the milliseconds since its start, and starts get none', () => {
    for (const row of table) {
      const [eventName = '', , , path = '', duration = ''] = cells(row);
      if (eventName.endsWith('/Start')) continue;
      const start = table.find(
        (other) => cells(other)[3] === path && other.startsWith(eventName.replace('/Stop', '/Start')),
      );
      const time = (line: string | undefined) => Number(cells(line ?? '')[1]);
      expect(duration).toMatch(/^\d+\.\d{3}$/);
      // Each of the three is rounded to the third digit.
      expect(Math.abs(time(row) - time(start) - Number(duration))).toBeLessThan(0.002);
    }
  });

  test('aligns its columns', () => {
    const header = lines[3] ?? '';
    const durationEnd = header.length;
    for (const row of table) {
      expect(row.indexOf('//1/6')).toBe(header.indexOf('ActivityID'));
      if (row.includes('/Stop ')) expect(row.length).toBe(durationEnd);
    }
  });

  test('sums up all events of all requests: nothing lost, every start with its stop', () => {
    expect(lines).toContain('96 events of 8 requests, none lost; all 48 starts matched with their stops.');
  });

  test('says why a request of another server was slow, and where its report is', () => {
    const output = lines.join('\n');
    expect(output).toMatch(/^GET \/\S+ took [\d,.]+ ms\b/m);
    expect(output).toContain('GET /export (sumUp in scripts/demo/slow-app.mjs)');
    const report = /^The report: (.*)$/m.exec(output)?.[1] ?? '';
    expect(readFileSync(report, 'utf8')).toContain('<html');
    rmSync(dirname(report), { recursive: true });
  });
});
