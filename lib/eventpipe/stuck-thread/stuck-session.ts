/**
 * A session that a worker thread starts because the main thread is stuck in JavaScript: it says so, and contains
 * samples of what runs there. The main thread continues it when it can.
 */
import { OPEN_ACTIVITY } from '../../activity/activity.ts';
import { Guid } from '../../activity/guid.ts';
import { CLOCK_OFFSET, timestamp } from '../../listen/timestamp.ts';
import { timesOfThread } from '../../platform/thread-times.ts';
import { TypeCode } from '../../wire/nettrace/constants.ts';
import { NetTraceBytes } from '../../wire/nettrace/write/byte-writer.ts';
import { type Piece, pieceSize } from '../../wire/nettrace/write/framing.ts';
import { NetTracePieces } from '../../wire/nettrace/write/nettrace-pieces.ts';
import { APART, NetTraceRounds } from '../../wire/nettrace/write/nettrace-rounds.ts';
import type { ThreadHandle, WrittenMetadata, WrittenVersion } from '../../wire/nettrace/write/trace-parts.ts';
import { type SamplingRequest, sampleTime } from '../cpu-samples/cpu-samples.ts';
import { MethodTable } from '../cpu-samples/method-table.ts';
import { NamedSamples } from '../cpu-samples/named-samples.ts';
import { cpuSamples } from '../cpu-samples/profiled-samples.ts';
import { nowUs, type ProfilePiece } from '../cpu-samples/v8-profiler.ts';
import { POINTER_SIZE, traceOfThisProcess } from '../process-info.ts';
import type { SessionOutput } from '../session-output.ts';
import type { SharedProfiler } from './remote-profiler.ts';

/** Version 4 identifies threads only by their ids: no thread has this one, nor does the main thread's profiler. */
const OWN_THREAD_ID = 0xffff_fffe;

const WARNING = 3;
const INFORMATIONAL = 4;
const MAIN_THREAD_STUCK: WrittenMetadata = {
  provider: 'Node.Runtime',
  // Far from the ids that follow from the order of the source's events.
  eventId: 1000,
  name: 'MainThreadStuck',
  keywords: 0n,
  version: 0,
  level: WARNING,
  fields: [
    { name: 'threadId', type: { code: TypeCode.Uint32 } },
    { name: 'clientWaitedMSec', type: { code: TypeCode.Double } },
  ],
};

/** An activity that was open when the thread was found to be stuck. */
export interface StuckActivity {
  readonly id: string;
  readonly relatedId: string | undefined;
  readonly provider: string;
  readonly task: string;
  readonly startedAgoMSec: number;
  /** What an HTTP request is for. */
  readonly request: { readonly method: string; readonly pathAndQuery: string } | undefined;
}

const TEXT = { code: TypeCode.Utf16Text } as const;
const OPEN_FIELDS = [{ name: OPEN_ACTIVITY.age, type: { code: TypeCode.Double } }];
const REQUEST_FIELDS = [{ name: 'pathAndQuery', type: TEXT }, { name: 'method', type: TEXT }, ...OPEN_FIELDS];

/** The main thread, as described to a worker thread. */
export interface StuckThread {
  readonly osThreadId: number;
  /** The difference between its events' times and the monotonic clock. */
  readonly clockOffset: bigint;
  readonly waitedMs: number;
  /** Whether V8 measures test coverage, which must not be disturbed. */
  readonly isCovered: boolean;
  /** The activities that are known to be open, outer ones first. */
  readonly open: readonly StuckActivity[];
  /** The id of the one that runs, if it belongs to one. */
  readonly running: string | undefined;
}

interface StuckSettings {
  readonly version: WrittenVersion;
  readonly sampling: SamplingRequest | undefined;
  /** How many bytes may wait to be written. */
  readonly bufferSize: number;
}

export class StuckSession {
  readonly #settings: StuckSettings;
  readonly #output: SessionOutput;
  readonly #stuck: StuckThread;
  readonly #rounds: NetTraceRounds;
  readonly #pieces: NetTracePieces;
  readonly #own: ThreadHandle;
  readonly #main: ThreadHandle;
  readonly #methods = new MethodTable(true);
  readonly #samples: NamedSamples;
  readonly #profiler: SharedProfiler;
  readonly #sinceUs = nowUs();
  #size = 0;
  /** Readers take all events of a provider with one id for the same. */
  #nextEventId = MAIN_THREAD_STUCK.eventId + 1;

  /** @param profiler of all sessions */
  constructor(settings: StuckSettings, output: SessionOutput, stuck: StuckThread, profiler: SharedProfiler) {
    const { version, sampling } = settings;
    this.#settings = settings;
    this.#output = output;
    this.#stuck = stuck;
    this.#profiler = profiler;
    this.#rounds = new NetTraceRounds(version, POINTER_SIZE, 'time', false, APART);
    this.#pieces = new NetTracePieces(version, traceOfThisProcess(sampling));
    const { pid: processId } = process;
    this.#main = this.#rounds.thread({ processId, threadId: stuck.osThreadId, name: 'main' });
    this.#own = this.#rounds.thread({ processId, threadId: OWN_THREAD_ID, name: 'stand-in of main' });
    this.#samples = new NamedSamples(this.#rounds, this.#own, this.#main, this.#methods);
    for (const activity of stuck.open) this.#tellOpen(activity);
    this.#tellOfStuckThread();
    this.#flush();
    if (sampling !== undefined) this.#sample(sampling);
  }

  /** The size of the trace so far, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Writes the last samples; the trace continues after them. */
  leave(): Promise<void> {
    return this.#profiler.leave(this.#take);
  }

  /** Writes the last samples, and the end of the trace. */
  async end(): Promise<void> {
    await this.leave();
    this.#write(this.#pieces.end([]).piece);
  }

  /** Ends without the last samples. */
  abandon(): void {
    this.#profiler.forget(this.#take);
  }

  #sample({ intervalMs }: SamplingRequest): void {
    try {
      this.#profiler.join(this.#take, intervalMs * 1000);
    } catch {
      // Not permitted: the trace contains the main thread's events, once they arrive.
    }
  }

  readonly #take = (piece: ProfilePiece): void => {
    this.#samples.forgetNames();
    for (const sample of cpuSamples(piece, this.#methods)) {
      // The profiler may have run for another session before.
      if (sample === undefined || sample.timeUs < this.#sinceUs) continue;
      if (this.#output.pendingBytes > this.#settings.bufferSize) this.#rounds.drop(this.#own, 1);
      else this.#samples.write(sample, this.#toMain(sampleTime(sample)));
    }
    this.#samples.writeTimes(timesOfThread(this.#stuck.osThreadId), this.#toMain(timestamp()));
    this.#flush();
  };

  #tellOpen({ id, relatedId, provider, task, startedAgoMSec, request }: StuckActivity): void {
    const bytes = new NetTraceBytes();
    if (request !== undefined) {
      bytes.utf16Terminated(request.pathAndQuery);
      bytes.utf16Terminated(request.method);
    }
    bytes.float64(startedAgoMSec);
    const metadata: WrittenMetadata = {
      ...MAIN_THREAD_STUCK,
      provider,
      eventId: this.#nextEventId++,
      name: task + OPEN_ACTIVITY.suffix,
      level: INFORMATIONAL,
      opcode: OPEN_ACTIVITY.opcode,
      fields: request === undefined ? OPEN_FIELDS : REQUEST_FIELDS,
    };
    this.#writeOfMain(metadata, bytes, id, relatedId);
  }

  #writeOfMain(metadata: WrittenMetadata, bytes: NetTraceBytes, id?: string, relatedId?: string): void {
    this.#rounds.write({
      metadataId: this.#rounds.define(metadata),
      thread: this.#own,
      ofThread: this.#main,
      ticks: this.#toMain(timestamp()),
      activityId: id === undefined ? undefined : Guid.tryParse(id),
      relatedActivityId: relatedId === undefined ? undefined : Guid.tryParse(relatedId),
      payload: bytes.take(),
    });
  }

  #tellOfStuckThread(): void {
    const { osThreadId, waitedMs, running } = this.#stuck;
    const bytes = new NetTraceBytes();
    bytes.uint32(osThreadId);
    bytes.float64(waitedMs);
    this.#writeOfMain(MAIN_THREAD_STUCK, bytes, running);
  }

  /** Converts to the main thread's clock: each thread has its own offset. */
  #toMain(time: bigint): bigint {
    return time - CLOCK_OFFSET + this.#stuck.clockOffset;
  }

  #flush(): void {
    const round = this.#rounds.take(true);
    if (round !== undefined) this.#write(this.#pieces.next([round]).piece);
  }

  #write(piece: Piece): void {
    const at = this.#size;
    this.#size += pieceSize(piece);
    this.#output.write(piece, at);
  }
}
