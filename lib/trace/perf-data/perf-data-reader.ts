/** The events of a perf.data in time order, and the information in its other records. */
import type { Piece } from '../../wire/perf-data/piece.ts';
import { SampleKind, SampleRecord } from '../../wire/perf-data/sample.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import { EventFactory } from './event-factory.ts';
import type { NamingRecord, RecordIntake } from './record-intake.ts';

const MAX_BATCH = 1024;
/** On Linux, this process starts the kernel's threads. */
const KERNEL_STARTER = 2;

export class PerfDataReader implements TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  readonly #intake: RecordIntake;
  readonly #headFault: unknown;
  readonly #close: () => Promise<void>;
  readonly #factory: EventFactory;
  readonly #decoded = new DecodedPayloads();

  /**
   * @param intake has begun
   * @param headFault what is missing from the file's head, to be reported after all records
   */
  constructor(
    info: TraceInfo,
    progress: TraceProgress,
    session: PerfSession,
    intake: RecordIntake,
    headFault: unknown,
    close: () => Promise<void>,
  ) {
    this.info = info;
    this.progress = progress;
    this.#intake = intake;
    this.#headFault = headFault;
    this.#close = close;
    const recording = {
      pointerSize: info.pointerSize === 4 ? 4 : 8,
      wallTimeOffset: session.wallTimeOffsetNs ?? 0n,
      startTime: info.startTime,
      hasProcesses: info.format === 'perf.data',
      kernelFunctionAt: session.kernelFunctionAt,
      decoded: this.#decoded,
    } as const;
    this.#factory = new EventFactory(recording, session, intake.metadata);
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[]> {
    const intake = this.#intake;
    const { order } = intake;
    try {
      while (await intake.step()) if (order.hasReady) yield* this.#ready();
      order.finish();
      yield* this.#ready();
      if (this.#headFault !== undefined) throw this.#headFault;
    } catch (error) {
      order.finish();
      yield* this.#ready();
      throw error;
    } finally {
      await this.#close();
    }
  }

  *#ready(): Generator<readonly TraceEvent[]> {
    const { order } = this.#intake;
    while (order.hasReady) {
      const events = this.#nextEvents();
      // Delivered events must not be retained by later ones.
      this.#decoded.startBatch();
      if (events.length > 0) yield events;
    }
  }

  /** Takes up to `MAX_BATCH` records that are ready. Those that name processes are no events. */
  #nextEvents(): TraceEvent[] {
    const { order } = this.#intake;
    const events: TraceEvent[] = [];
    for (let count = 0; count < MAX_BATCH && order.next(); count++) {
      const { what } = order;
      if (what instanceof SampleKind) {
        const sample = new SampleRecord(what, order.piece as Piece, order.start, order.end);
        events.push(this.#factory.eventOf(sample, order.timeHigh, order.timeLow));
      } else {
        takeName(this.progress, what);
      }
    }
    return events;
  }
}

/** Takes the next record in time order. A process has its parent's name until its first thread is named. */
function takeName({ processNames: names, kernelProcesses }: TraceProgress, record: NamingRecord): void {
  if (record.kind === 'fork' && record.parentPid === KERNEL_STARTER) kernelProcesses?.add(record.pid);
  const name = record.kind === 'comm' ? record.comm : names.get(record.parentPid);
  if (name !== undefined) names.set(record.pid, name);
}
