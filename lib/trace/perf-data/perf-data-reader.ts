/** The events of a perf.data in time order, and the information in its other records. */
import { type CommRecord, type PerfRecord, type ThreadRecord, timeOf } from '../../wire/perf-data/records.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { TimeOrder } from '../../wire/perf-data/time-order.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import { TraceEvent } from '../trace-event.ts';
import type { TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import { EventFactory } from './event-factory.ts';
import type { RecordGroup } from './record-groups.ts';

const MAX_BATCH = 4096;

export class PerfDataReader implements TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  readonly #groups: AsyncGenerator<RecordGroup>;
  readonly #close: () => Promise<void>;
  readonly #events: EventFactory;
  readonly #decoded = new DecodedPayloads();
  readonly #order = new TimeOrder<TraceEvent | NamingRecord>();
  /** Of the previous record, for records without a time. */
  #time = 0n;
  #late = 0;
  #lost = 0;
  #lostSamples = 0;

  constructor(
    info: TraceInfo,
    progress: TraceProgress,
    session: PerfSession,
    groups: AsyncGenerator<RecordGroup>,
    close: () => Promise<void>,
  ) {
    this.info = info;
    this.progress = progress;
    this.#groups = groups;
    this.#close = close;
    const wallTimeOffset = session.wallTimeOffsetNs ?? 0n;
    const recording = {
      littleEndian: session.littleEndian,
      pointerSize: info.pointerSize === 4 ? 4 : 8,
      wallTimeOffset,
      startTime: info.startTime,
      decoded: this.#decoded,
    } as const;
    this.#events = new EventFactory(recording, session);
    this.#time = info.startTime - wallTimeOffset;
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[]> {
    try {
      for await (const group of this.#groups) {
        for (const record of group) this.#take(record);
        yield* this.#ready();
      }
      yield* this.#rest();
    } catch (error) {
      yield* this.#rest();
      throw error;
    } finally {
      await this.#close();
    }
  }

  #take(record: PerfRecord): void {
    switch (record.kind) {
      case 'sample':
        this.#time = record.timeNs ?? this.#time;
        if (this.#order.isLate(this.#time)) this.progress.lateEvents = ++this.#late;
        this.#order.add(this.#time, this.#events.eventOf(record, this.#time), record.size);
        break;
      case 'finishedRound':
        this.#order.finishRound();
        break;
      case 'comm':
      case 'fork':
        if (isNaming(record)) this.#order.add(timeOf(record) ?? this.#time, record, 0);
        break;
      case 'lost':
        this.#lost += Number(record.count);
        this.#countLost();
        break;
      case 'lostSamples':
        this.#lostSamples += Number(record.count);
        this.#countLost();
        break;
    }
  }

  /** Both count the same losses, one with other records, the other with what never reached a buffer. */
  #countLost(): void {
    this.progress.lostEvents = Math.max(this.#lost, this.#lostSamples);
  }

  #rest(): Generator<readonly TraceEvent[]> {
    this.#order.finish();
    return this.#ready();
  }

  *#ready(): Generator<readonly TraceEvent[]> {
    const events: TraceEvent[] = [];
    for (const item of this.#order.take()) {
      if (item instanceof TraceEvent) events.push(item);
      else takeName(this.progress.processNames, item);
    }
    // Delivered events must not be retained by those after them.
    while (events.length > 0) {
      this.#decoded.startBatch();
      yield events.splice(0, MAX_BATCH);
    }
  }
}

/**
 * The names of processes, from the records of their threads. A record takes effect only in time order, since one
 * processor's records may follow another's that are later.
 */
type NamingRecord = CommRecord | ThreadRecord;

/** A process has the name of its first thread and, until then, that of its parent. */
function isNaming(record: PerfRecord): record is NamingRecord {
  if (record.kind === 'comm') return record.pid === record.tid;
  return record.kind === 'fork' && record.pid !== record.parentPid;
}

/** Takes the next record in time order. */
function takeName(names: Map<number, string>, record: NamingRecord): void {
  const name = record.kind === 'comm' ? record.comm : names.get(record.parentPid);
  if (name !== undefined) names.set(record.pid, name);
}
