/** Which of the files with numbers are those of a recording, and not of earlier ones. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RecordedFiles } from '../../lib/record/etw-recording.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-recorded-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A time long before and long after the recording: a clock that is set shows either. */
const [EARLY, LATE] = [new Date('2001-01-01'), new Date('2101-01-01')];

function write(name: string, size: number, time: Date): void {
  const path = join(folder, name);
  writeFileSync(path, Buffer.alloc(size));
  utimesSync(path, time, time);
}

it('counts files that are new or have changed, whatever the clock says', () => {
  write('new1.etl', 1000, LATE);
  write('new2.etl', 100, EARLY);
  write('new3.etl', 100, LATE);
  const files = new RecordedFiles(join(folder, 'new%d.etl'), true);
  expect(files.bytes).toBe(0);
  write('new2.etl', 30, EARLY);
  write('new3.etl', 100, EARLY);
  write('new4.etl', 7, EARLY);
  write('new5.etl.old', 1, LATE);
  write('newer.etl', 1, LATE);
  expect(files.bytes).toBe(137);
});

it('counts the only file of a recording without numbers', () => {
  write('a.etl', 1000, EARLY);
  expect(new RecordedFiles(join(folder, 'a.etl'), false).bytes).toBe(1000);
});
