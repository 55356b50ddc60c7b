/**
 * Opens traces of Perfetto (.pftrace), which Chromium writes as well: the events of tracks, counters and CPU samples.
 *
 * Sequences follow each other in any order in the file: a thread may have written the first events of the trace into its
 * last packets. So the trace is read twice: first to find out which times each part of the file has, then for its
 * events, each of which waits until no part that is left has earlier ones.
 */

import { Heap, type HeapItem } from '../../base/heap.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { chunksOf, type SeekableBytes } from '../byte-source.ts';
import { CodeMappings } from '../code-mappings.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { OpenReader, TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import { EventFactory, type TimedRecord } from './event-factory.ts';
import { PacketIntake, type RecordSink } from './packet-intake.ts';

const BATCH_SIZE = 1024;
/** Each part of the file has a time of its own. */
const PART_SIZE = 1 << 16;
/** Events that wait for earlier ones: with more, the first half is delivered. */
const MAX_WAITING = 1 << 20;
/** Their bytes. */
const MAX_WAITING_SIZE = 256 << 20;
/** The reader pauses when so many more events wait. */
const ROUND = 1 << 16;

export const openPerfetto: OpenReader = async (source) => {
  const bytes = await source.seekable();
  try {
    const times = new PartTimes();
    await times.read(bytes);
    return new PerfettoReader(bytes, times);
  } catch (error) {
    await bytes.close();
    throw error;
  }
};

/** The first pass: the earliest time in each part of the file, in nanoseconds since the first one in the file. */
class PartTimes implements RecordSink {
  readonly isFull = false;
  readonly #intake = new PacketIntake(this, new Map(), true);
  #origin: bigint | undefined;
  /** After the pass, an entry is the earliest time of its part and of all behind it. */
  readonly #earliest: number[] = [];

  /** @throws TraceError if no event precedes the damage */
  async read(bytes: SeekableBytes): Promise<void> {
    try {
      for await (const _ of this.#intake.read(chunksOf(bytes)));
    } catch (error) {
      // The events before the damage can be read.
      if (this.#origin === undefined) throw error;
    }
    let least = Number.POSITIVE_INFINITY;
    for (let part = this.#earliest.length - 1; part >= 0; part--) {
      least = Math.min(least, this.#earliest[part] ?? least);
      this.#earliest[part] = least;
    }
  }

  add({ timeNs, position }: TimedRecord): void {
    this.#origin ??= timeNs;
    const part = Math.floor(position / PART_SIZE);
    this.#earliest[part] = Math.min(
      this.#earliest[part] ?? Number.POSITIVE_INFINITY,
      this.sinceOrigin(timeNs),
    );
  }

  sinceOrigin(timeNs: bigint): number {
    return Number(timeNs - (this.#origin ?? 0n));
  }

  /** The earliest time of the packets at a position and behind it. */
  from(position: number): number {
    return this.#earliest[Math.floor(position / PART_SIZE)] ?? Number.POSITIVE_INFINITY;
  }

  /** When the trace begins, on its own clock: with its first event, or with a snapshot of the clocks before it. */
  get start(): bigint {
    const { start } = this.#intake.clocks;
    const first = this.#origin === undefined ? undefined : this.#origin + BigInt(this.from(0));
    return start === undefined || (first !== undefined && first < start) ? (first ?? 0n) : start;
  }

  /** See `Clocks.wallOffset`. */
  get wallOffset(): bigint | undefined {
    return this.#intake.clocks.wallOffset;
  }
}

/** Something that happens, and waits for its turn. */
interface Waiting extends HeapItem {
  readonly record: TimedRecord;
  /** Nanoseconds since the first event in the file. */
  readonly at: number;
  /** The order in the file. */
  readonly order: number;
}

const isEarlier = (a: Waiting, b: Waiting) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** What has been read, in time order. */
class WaitingRecords implements RecordSink {
  readonly #times: PartTimes;
  readonly #heap = new Heap<Waiting>(isEarlier);
  #order = 0;
  #size = 0;
  #pauseAt = ROUND;

  constructor(times: PartTimes) {
    this.#times = times;
  }

  get isFull(): boolean {
    return this.#heap.size >= this.#pauseAt || this.#isOverfull;
  }

  get #isOverfull(): boolean {
    return this.#heap.size >= MAX_WAITING || this.#size >= MAX_WAITING_SIZE;
  }

  add(record: TimedRecord): void {
    const { content } = record;
    const kept = content instanceof Uint8Array ? { ...record, content: Buffer.from(content) } : record;
    this.#size += sizeOf(kept);
    const at = this.#times.sinceOrigin(record.timeNs);
    this.#heap.add({ record: kept, at, order: this.#order++, heapIndex: -1 });
  }

  /** @param position from which on packets are unread */
  *takeUntil(position: number): Generator<TimedRecord> {
    // What waits for more than fits may be delivered too early.
    const half = this.#isOverfull ? { count: MAX_WAITING / 2, size: MAX_WAITING_SIZE / 2 } : undefined;
    const end = this.#times.from(position);
    for (let { first } = this.#heap; first !== undefined; { first } = this.#heap) {
      const isTooMuch = half !== undefined && (this.#heap.size > half.count || this.#size > half.size);
      if (first.at > end && !isTooMuch) break;
      this.#heap.remove(first);
      this.#size -= sizeOf(first.record);
      yield first.record;
    }
    this.#pauseAt = this.#heap.size + ROUND;
  }
}

class PerfettoReader implements TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress = {
    lostEvents: 0,
    lostBuffers: 0,
    lateEvents: 0,
    processNames: new Map(),
    bytesRead: 0,
    mappings: new CodeMappings(new Map(), () => 0n),
  };
  readonly #bytes: SeekableBytes;
  readonly #waiting: WaitingRecords;
  readonly #intake: PacketIntake;
  readonly #events: EventFactory;
  readonly #decoded = new DecodedPayloads();
  #last: bigint | undefined;

  constructor(bytes: SeekableBytes, times: PartTimes) {
    const { progress } = this;
    const wallOffset = times.wallOffset ?? 0n;
    const startTime = times.start + wallOffset;
    this.info = {
      format: 'perfetto',
      startTime,
      hasWallTime: times.wallOffset !== undefined,
      pointerSize: 8,
      properties: {},
    };
    this.#bytes = bytes;
    this.#waiting = new WaitingRecords(times);
    this.#intake = new PacketIntake(this.#waiting, progress.processNames);
    progress.unread = this.#intake.unread;
    const trace = { startTime, wallOffset, decoded: this.#decoded };
    this.#events = new EventFactory(trace, this.#intake.tracks, progress.mappings as CodeMappings);
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    let problem: unknown;
    try {
      const reading = this.#intake.read(chunksOf(this.#bytes));
      for (let isAtEnd = false; !isAtEnd; ) {
        try {
          isAtEnd = (await reading.next()).done === true;
        } catch (error) {
          problem = error;
          isAtEnd = true;
        }
        this.progress.bytesRead = this.#intake.bytesRead;
        this.progress.lostEvents = this.#intake.lostEvents;
        yield* this.#batches(isAtEnd ? Number.POSITIVE_INFINITY : this.#intake.position);
      }
      if (problem !== undefined) throw problem;
    } finally {
      await this.#bytes.close();
    }
  }

  /** @param position from which on packets are unread */
  *#batches(position: number): Generator<readonly TraceEvent[]> {
    let batch: TraceEvent[] = [];
    for (const record of this.#waiting.takeUntil(position)) {
      if (this.#last !== undefined && record.timeNs < this.#last) {
        this.progress.lateEvents = (this.progress.lateEvents ?? 0) + 1;
      } else this.#last = record.timeNs;
      if (batch.length === 0) this.#decoded.startBatch();
      const event = this.#eventOf(record);
      if (event !== undefined) batch.push(event);
      if (batch.length < BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  #eventOf(record: TimedRecord): TraceEvent | undefined {
    try {
      return this.#events.eventOf(record, (end) => this.#waiting.add(end));
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      // Other events do not depend on a damaged one.
      this.#intake.addUnread('damaged event');
      return undefined;
    }
  }
}

function sizeOf({ content }: TimedRecord): number {
  return content instanceof Uint8Array ? content.length : 0;
}
