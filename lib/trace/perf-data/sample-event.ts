/** What all events out of a perf.data have in common: each is a sample. */
import { bigUint } from '../../base/bytes.ts';
import { FIRST_CALLCHAIN_MARK } from '../../wire/perf-data/constants.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { DecodedPayloads } from '../decoded-payloads.ts';
import { type Nanoseconds, TraceEvent } from '../trace-event.ts';

/** What the events of one trace share. */
export interface Recording {
  /** Bytes of an address. */
  readonly pointerSize: 4 | 8;
  /** The offset from the recording's clock to wall-clock time; 0 if unknown. */
  readonly wallTimeOffset: Nanoseconds;
  /** See `TraceInfo.startTime`. */
  readonly startTime: Nanoseconds;
  /** Whether samples say which process their thread belongs to. */
  readonly hasProcesses: boolean;
  /** See `PerfSession.kernelFunctionAt`. */
  readonly kernelFunctionAt: ((address: bigint) => string | undefined) | undefined;
  readonly decoded: DecodedPayloads;
}

export abstract class SampleEvent extends TraceEvent {
  protected readonly recording: Recording;
  protected readonly sample: SampleRecord;
  readonly #timeHigh: number;
  readonly #timeLow: number;

  /** @param timeHigh,timeLow the halves of the sample's time, on the recording's clock */
  constructor(recording: Recording, sample: SampleRecord, timeHigh: number, timeLow: number) {
    super();
    this.recording = recording;
    this.sample = sample;
    this.#timeHigh = timeHigh;
    this.#timeLow = timeLow;
  }

  get processId(): number | undefined {
    return this.recording.hasProcesses ? this.sample.pid : undefined;
  }

  get threadId(): number | undefined {
    return this.sample.tid;
  }

  get processor(): number | undefined {
    return this.sample.cpu;
  }

  get timestamp(): Nanoseconds {
    return bigUint(this.#timeHigh, this.#timeLow) + this.recording.wallTimeOffset;
  }

  get timeSinceStart(): Nanoseconds {
    return this.timestamp - this.recording.startTime;
  }

  get stack(): readonly bigint[] | undefined {
    return this.sample.callchain?.filter((address) => address < FIRST_CALLCHAIN_MARK);
  }

  get position(): number {
    return this.sample.offset;
  }

  // What most perf events lack; those that have it override this.

  get providerGuid(): string | undefined {
    return undefined;
  }

  get id(): number {
    return 0;
  }

  get version(): number {
    return 0;
  }

  get level(): number {
    return 0;
  }

  get opcode(): number {
    return 0;
  }

  get opcodeName(): string | undefined {
    return undefined;
  }

  get task(): number {
    return 0;
  }

  get taskName(): string | undefined {
    return undefined;
  }

  get keywords(): bigint {
    return 0n;
  }

  get channel(): number {
    return 0;
  }

  get activityId(): string | undefined {
    return undefined;
  }

  get relatedActivityId(): string | undefined {
    return undefined;
  }

  get payloadProblem(): string | undefined {
    return undefined;
  }
}

const NOTHING = new Uint8Array(0);

/** The sample's raw data; either all samples of an attribute have it, or none. */
export function rawOf(sample: SampleRecord): Uint8Array {
  return sample.raw ?? NOTHING;
}
