/** `tracewright report` as a user types it, on the built package and a recording of .NET's activities. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { contentOf } from '../view/report/read-report.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-report-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function report(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'report', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`reporting a recording (${SKIP_REASON})`, () => {
  const file = join(dataFolder ?? '', 'nettrace/activities-net10.v4.nettrace');

  it('writes one file with everything in the trace', () => {
    const output = join(folder, 'report.html');
    expect(report(file, '-o', output)).toEqual({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(
        /^Reported 15 activities and 43 events in .*report\.html \(\d+\.\d kB\)\.\n$/,
      ),
    });
    const { header, events, activities } = contentOf(readFileSync(output, 'utf8'));
    expect(header).toMatchObject({
      name: 'activities-net10.v4.nettrace',
      format: 'nettrace 4',
      startTime: '2024-05-17T10:20:30.400000000Z',
      eventCount: 43,
      activityCount: 15,
      notices: [],
    });
    expect({ events: events.count, activities: activities.count }).toEqual({ events: 43, activities: 15 });
    expect(activities.label(0)).toBe('Request http://site/item/3');
    expect(activities.durationNs(0)).toBe(66_693_500);
  });

  it('writes to standard output', () => {
    const { status, stdout } = report('-o', '-', file);
    expect(status).toBe(0);
    expect(contentOf(stdout).header.eventCount).toBe(43);
  });

  it('shows the events before the damage, and says in the report, too, what is damaged', () => {
    const damaged = join(folder, 'damaged.nettrace');
    const output = join(folder, 'damaged.html');
    writeFileSync(damaged, readFileSync(file).subarray(0, 1500));
    const message = 'The trace is truncated. (at byte 1500)';
    expect(report(damaged, '--output', output)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Reported 8 activities and 16 events in .*\ntracewright: /),
    });
    const { header } = contentOf(readFileSync(output, 'utf8'));
    expect(header.eventCount).toBeGreaterThan(5);
    expect(header.notices[0]).toBe(`The trace was not read completely. ${message}`);
  });

  it('says if it cannot write', () => {
    const { status, stderr } = report(file, '-o', join(folder, 'nowhere', 'report.html'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^tracewright: \/.*\/nowhere\/report\.html cannot be \w+.*ENOENT/);
  });
});

describe('an invalid command line', () => {
  it('is reported in a sentence', () => {
    expect(report('trace.etl')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'tracewright: report needs -o REPORT, the file to write.\n',
    });
    expect(report().status).toBe(2);
    expect(report('--help').stdout).toContain('Usage: tracewright report');
  });
});
