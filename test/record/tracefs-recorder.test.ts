/** How a recording without perf events converts the kernel's pages. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByteWriter } from '../../lib/base/byte-writer.ts';
import { TracefsRecorder } from '../../lib/record/tracefs-recorder.ts';
import { FINISHED_ROUND, lostRecord } from '../../lib/wire/perf-data/write/records.ts';
import { RAW_LIMIT, writeSample } from '../../lib/wire/perf-data/write/sample.ts';
import { linuxOnly, named } from '../platforms.ts';
import {
  entryHead,
  LAYOUT,
  LOST_COUNT_STORED,
  LOST_EVENTS,
  PAGE_TIME,
  pageOf,
} from '../wire/ftrace/page-bytes.ts';

const TRACEPOINT = 1410;
const THREAD = 70;
const PROCESS = 68;
/** One event of the tracepoint. */
const EVENT = [entryHead(3, 5), TRACEPOINT, THREAD, 0xabcd];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Records these pages of one processor, number 2. */
async function record(pages: readonly Uint8Array[], { lost = 0, layout = LAYOUT, path = '' } = {}) {
  const waiting = [...pages];
  const done: string[] = [];
  const instance = {
    path: '/instance',
    layout,
    enable: (system: string, name: string) => done.push(`enable ${system}/${name}`),
    switchTo: (isOn: boolean) => done.push(isOn ? 'on' : 'off'),
    nextPage: () => waiting.shift(),
    lost: () => lost,
    remove: () => done.push('remove'),
  };
  const read = (file: string) => Buffer.from(file === 'saved_tgids' ? `${THREAD} ${PROCESS}\n` : '');
  const recorder = new TracefsRecorder({ read }, instance, [2]);
  const event = recorder.add('user_events:Name:with_colon', TRACEPOINT);
  const file = path === '' ? join(folder, 'records') : path;
  const descriptor = openSync(file, 'w');
  const clock = recorder.clocks();
  recorder.start(descriptor);
  recorder.stop();
  while (!recorder.counts().done) await sleep(1);
  closeSync(descriptor);
  const bytes = path === '' ? new Uint8Array(readFileSync(file)) : new Uint8Array(0);
  return { bytes, counts: recorder.counts(), problems: recorder.problems, done, clock, event, recorder };
}

/** The record of `EVENT`. */
function sampleOf(id: bigint | undefined): Uint8Array {
  const writer = new ByteWriter();
  const raw = new ByteWriter().uint32(TRACEPOINT).uint32(THREAD).uint32(0xabcd).current();
  writeSample(writer, { id: id ?? 0n, pid: PROCESS, tid: THREAD, timeNs: PAGE_TIME + 5n, cpu: 2, raw });
  return writer.current();
}

const concat = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe('a ring without perf events', () => {
  it('is written on request, without what was overwritten', () => {
    const waiting = [pageOf(EVENT), undefined, pageOf(EVENT), pageOf(EVENT)];
    const done: string[] = [];
    const instance = {
      path: '/instance',
      layout: LAYOUT,
      enable: () => {},
      switchTo: (isOn: boolean) => done.push(isOn ? 'on' : 'off'),
      nextPage: () => waiting.shift(),
      lost: () => 1000,
      remove: () => done.push('remove'),
    };
    const recorder = new TracefsRecorder({ read: () => Buffer.alloc(0) }, instance, [2], true);
    recorder.add('user_events:Name', TRACEPOINT);
    recorder.start();
    const descriptor = openSync(join(folder, 'dump'), 'w');
    const dumped = [recorder.dump(descriptor), recorder.dump(descriptor)];
    closeSync(descriptor);
    recorder.stop();
    expect(dumped.map(({ events }) => events)).toEqual([1, 2]);
    expect(readFileSync(join(folder, 'dump'))).toHaveLength(
      (dumped[0]?.bytes ?? 0) + (dumped[1]?.bytes ?? 0),
    );
    expect(recorder.counts()).toMatchObject({ lost: 0, done: true });
    expect(done).toEqual(['on', 'off', 'on', 'off', 'on', 'off', 'remove']);
  });
});

describe('a recording without perf events', () => {
  it('contains a sample of each event, with its processor, thread and process', async () => {
    const { bytes, counts, done, event, clock } = await record([pageOf(EVENT)]);
    expect(bytes).toEqual(concat(sampleOf(event.ids[0]), FINISHED_ROUND));
    const time = PAGE_TIME + 5n;
    expect(counts).toMatchObject({ events: 1, lost: 0, error: 0, firstTime: time, lastTime: time });
    expect(counts.bytes).toBe(bytes.length);
    expect(done).toEqual(['enable user_events/Name:with_colon', 'on', 'off', 'remove']);
    expect(Math.abs(Number(clock.wall / 1_000_000n) - Date.now())).toBeLessThan(10_000);
  });

  it('contains a record of lost events where they are missing, and counts those found at the end', async () => {
    const page = pageOf(EVENT, { flags: LOST_EVENTS | LOST_COUNT_STORED, lost: 7n });
    const { bytes, counts, event, recorder } = await record([page], { lost: 9 });
    const lost = lostRecord(recorder.sideBand.ids[0] ?? 0n, 7, PAGE_TIME);
    expect(bytes).toEqual(concat(lost, sampleOf(event.ids[0]), FINISHED_ROUND));
    expect(counts).toMatchObject({ events: 1, lost: 9, lostInFile: 7 });
  });

  it('omits events that nobody requested', async () => {
    const { bytes } = await record([
      pageOf([entryHead(3, 0), TRACEPOINT + 1, THREAD, 0, entryHead(1, 0), 1]),
    ]);
    expect(bytes).toHaveLength(0);
  });

  it('counts an event that no record can hold as lost', async () => {
    const layout = { ...LAYOUT, size: 1 << 17 };
    const page = new Uint8Array(layout.size);
    page.set(pageOf([entryHead(0, 0), 4 + RAW_LIMIT + 4, TRACEPOINT, THREAD], { used: 8 + RAW_LIMIT + 4 }));
    const { counts } = await record([page], { layout });
    expect(counts).toMatchObject({ events: 0, lost: 1, lostInFile: 1 });
  });

  it('continues after damaged pages, and reports them', async () => {
    const damaged = pageOf([], { used: 5000 });
    const { counts, problems } = await record([damaged, pageOf(EVENT), damaged]);
    expect(counts.events).toBe(1);
    expect(problems).toEqual([
      '2 pages of the kernel could not be read, and their events are missing. ' +
        'The first one: A page of 4096 bytes cannot have 5000 bytes of events. (at byte 8)',
    ]);
  });

  it.skipIf(linuxOnly('/dev/full') !== undefined)(
    named('ends where the file cannot be written on', linuxOnly('/dev/full')),
    async () => {
      const { counts, done } = await record([pageOf(EVENT)], { path: '/dev/full' });
      expect(counts).toMatchObject({ events: 0, bytes: 0, error: 28, done: true });
      expect(done.at(-1)).toBe('remove');
    },
  );
});
