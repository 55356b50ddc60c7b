/**
 * Records without perf events: turns the pages of a trace instance into the same records that perf events would
 * deliver.
 */

import { fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { ByteWriter } from '../base/byte-writer.ts';
import { systemCodeText, systemErrorName } from '../base/system-code.ts';
import type { ClockPair, RecorderCounts } from '../platform/addon-functions.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { recorderAddReason } from '../platform/recorder-reasons.ts';
import { commonFields, type FtraceEvent, readPage } from '../wire/ftrace/page.ts';
import { sideBandAttr, tracepointAttr } from '../wire/perf-data/write/attr.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { FINISHED_ROUND, lostRecord } from '../wire/perf-data/write/records.ts';
import { RAW_LIMIT, writeSample } from '../wire/perf-data/write/sample.ts';
import { TraceError } from '../wire/trace-error.ts';
import { TracedThreads } from './traced-threads.ts';
import type { Tracefs } from './tracefs.ts';
import type { TracefsInstance } from './tracefs-instance.ts';

/** How often the rings are emptied. */
const PASS_MS = 20;
/** Pages per processor and pass: between two passes, Ctrl-C and announcements get a turn. */
const PAGES_A_PASS = 1024;
/** Once this much has been assembled, it is written. */
const BATCH_SIZE = 1 << 20;

type Instance = Pick<
  TracefsInstance,
  'path' | 'layout' | 'enable' | 'switchTo' | 'nextPage' | 'lost' | 'remove'
>;

export class TracefsRecorder {
  /** Stands for lost events: it delivers nothing. */
  readonly sideBand: RecordedEvent;
  /** The problems so far, in sentences. */
  readonly problems: string[] = [];
  readonly #instance: Instance;
  readonly #cpus: readonly number[];
  readonly #threads: TracedThreads;
  /** The key is the number of the tracepoint. */
  readonly #events = new Map<number, RecordedEvent>();
  #nextId = 1n;
  #out = new ByteWriter();
  #file = -1;
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;
  /** Samples that have been assembled but not written yet. */
  #waiting = 0;
  #tooLarge = 0;
  #damagedPages = 0;
  #firstDamage = '';
  #counts = noCounts();
  readonly #isOverwritten: boolean;

  /** @param isOverwritten whether the instance keeps the latest events, for `dump`, instead of all going to a file */
  constructor(
    tracefs: Pick<Tracefs, 'read'>,
    instance: Instance,
    cpus: readonly number[],
    isOverwritten = false,
  ) {
    this.#isOverwritten = isOverwritten;
    this.#instance = instance;
    this.#cpus = cpus;
    this.#threads = new TracedThreads(tracefs, (record) => this.#out.bytes(record));
    this.sideBand = { name: 'dummy:HG', attr: sideBandAttr(0), ids: this.#newIds() };
  }

  /** The current moment. The wall clock counts milliseconds: waiting for a new one is far more precise. */
  clocks(): ClockPair {
    const before = Date.now();
    let wall = before;
    while (wall === before) wall = Date.now();
    return { wall: BigInt(wall) * 1_000_000n, monotonic: process.hrtime.bigint() };
  }

  /**
   * Records from now on, at the end of the file open on this descriptor; none if the events are overwritten.
   *
   * @throws RecorderError
   */
  start(file = -1): void {
    this.#file = file;
    try {
      this.#instance.switchTo(true);
    } catch (error) {
      this.#instance.remove();
      throw new RecorderError(`${this.#instance.path} could not be enabled (${systemCodeText(error)}).`);
    }
    if (!this.#isOverwritten) this.#schedule(PASS_MS);
  }

  /**
   * Moves the latest events into the file open on this descriptor. The kernel drops those that happen meanwhile.
   *
   * @returns counts of these
   * @throws the system's error
   */
  dump(file: number): RecorderCounts {
    this.#file = file;
    this.#instance.switchTo(false);
    for (const index of this.#cpus.keys()) while (!this.#empty(index));
    this.#out.bytes(FINISHED_ROUND);
    this.#flush();
    const counts = this.#counts;
    this.#counts = noCounts();
    this.#instance.switchTo(true);
    return counts;
  }

  /**
   * Adds a tracepoint to the recording.
   *
   * @param name including the system, as in files
   * @param announce called before its first event can arrive
   * @throws RecorderError
   */
  add(name: string, tracepointId: number, announce?: (event: RecordedEvent) => void): RecordedEvent {
    const colon = name.indexOf(':');
    const event = { name, attr: tracepointAttr(tracepointId), ids: this.#newIds() };
    announce?.(event);
    // Before its first event can arrive.
    this.#events.set(tracepointId, event);
    try {
      this.#instance.enable(name.slice(0, colon), name.slice(colon + 1));
    } catch (error) {
      this.#events.delete(tracepointId);
      throw new RecorderError(recorderAddReason(errorNumber(error), name));
    }
    return event;
  }

  /**
   * Appends records of our own to the file.
   *
   * @returns their position
   * @throws RecorderError
   */
  append(records: Uint8Array): number {
    this.#flush();
    const position = fstatSync(this.#file).size;
    this.#out.bytes(records);
    this.#flush();
    if (this.#counts.error === 0) return position;
    throw new RecorderError(`The file cannot be written (${systemErrorName(this.#counts.error)}).`);
  }

  /** Requests the end, which is reached when the counts say that it is done. */
  stop(): void {
    if (this.#isEnding || this.#counts.done) return;
    this.#isEnding = true;
    try {
      this.#instance.switchTo(false);
    } catch (error) {
      this.problems.push(`${this.#instance.path} could not be disabled (${systemCodeText(error)}).`);
    }
    if (this.#isOverwritten) this.#end();
    else this.#schedule(0);
  }

  counts(): RecorderCounts {
    return this.#counts;
  }

  #newIds(): readonly bigint[] {
    return this.#cpus.map(() => this.#nextId++);
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pass(), delay);
  }

  #pass(): void {
    let isEmpty = true;
    const before = this.#counts.bytes;
    for (const index of this.#cpus.keys()) isEmpty = this.#empty(index) && isEmpty;
    // Only then can no older event arrive, see FINISHED_ROUND.
    if (isEmpty && this.#counts.bytes + this.#out.length > before) this.#out.bytes(FINISHED_ROUND);
    this.#flush();
    if (this.#counts.error !== 0 || (this.#isEnding && isEmpty)) this.#end();
    else this.#schedule(isEmpty ? PASS_MS : 0);
  }

  /** @returns whether nothing was left for now */
  #empty(index: number): boolean {
    for (let pages = 0; pages < PAGES_A_PASS; pages++) {
      const page = this.#nextPage(index);
      if (page === undefined || this.#counts.error !== 0) return true;
      this.#takePage(page, index);
      if (this.#out.length >= BATCH_SIZE) this.#flush();
    }
    return false;
  }

  #nextPage(index: number): Uint8Array | undefined {
    try {
      return this.#instance.nextPage(index);
    } catch (error) {
      this.problems.push(
        `The events of processor ${this.#cpus[index]} can no longer be read (${systemCodeText(error)}).`,
      );
      this.#isEnding = true;
      return undefined;
    }
  }

  #takePage(bytes: Uint8Array, index: number): void {
    try {
      const page = readPage(bytes, this.#instance.layout);
      // What has been overwritten is not lost.
      const isLoss = page.lostBefore !== undefined && page.lostBefore > 0 && !this.#isOverwritten;
      if (isLoss) this.#lose(page.lostBefore, page.time, index);
      for (const event of page.events) this.#take(event, index);
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      if (this.#damagedPages++ === 0) this.#firstDamage = error.message;
    }
  }

  #take({ time, raw }: FtraceEvent, index: number): void {
    const common = commonFields(raw);
    if (common === undefined) return;
    if (raw.length > RAW_LIMIT) {
      this.#tooLarge++;
      this.#lose(1, time, index);
      return;
    }
    const { type, tid } = common;
    const event = this.#events.get(type);
    if (event === undefined) return;
    const pid = this.#threads.processOf(tid);
    const id = event.ids[index] as bigint;
    writeSample(this.#out, { id, pid, tid, timeNs: time, cpu: this.#cpus[index] as number, raw });
    this.#waiting++;
    const counts = this.#counts;
    if (counts.firstTime === 0n || time < counts.firstTime) counts.firstTime = time;
    if (time > counts.lastTime) counts.lastTime = time;
  }

  #lose(count: number, time: bigint, index: number): void {
    this.#out.bytes(lostRecord(this.sideBand.ids[index] as bigint, count, time));
    this.#counts.lost += count;
    this.#counts.lostInFile += count;
  }

  /** If this fails, the file still has complete records. */
  #flush(): void {
    if (this.#counts.error !== 0) return;
    const bytes = this.#out.current();
    const start = fstatSync(this.#file).size;
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch (error) {
      this.#counts.error = errorNumber(error);
      truncate(this.#file, start);
      return;
    }
    this.#out = new ByteWriter();
    this.#counts.bytes += bytes.length;
    this.#counts.events += this.#waiting;
    this.#waiting = 0;
  }

  #end(): void {
    if (this.#damagedPages > 0) {
      this.problems.push(
        `${this.#damagedPages} pages of the kernel could not be read, and their events are missing. ` +
          `The first one: ${this.#firstDamage}`,
      );
    }
    this.#counts.lost = (this.#isOverwritten ? 0 : this.#instance.lost()) + this.#tooLarge;
    this.#instance.remove();
    this.#counts.done = true;
  }
}

function noCounts() {
  return {
    events: 0,
    cpuSamples: 0,
    bytes: 0,
    lost: 0,
    lostInFile: 0,
    firstTime: 0n,
    lastTime: 0n,
    error: 0,
    done: false,
  };
}

/** A device has no size to cut. */
function truncate(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // The problem with the file is already known.
  }
}

/** Returns the number in the system's form: Node's numbers are negative. */
function errorNumber(error: unknown): number {
  const { errno } = error as NodeJS.ErrnoException;
  if (errno === undefined) throw error;
  return -errno;
}
