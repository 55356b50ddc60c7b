/**
 * The EventHeader events of a perf.data file, decoded and in the order of time.
 */
import { decodeEventHeader, type EventHeaderEvent } from '../eventheader/decode.ts';
import { readPerfData } from './file.ts';
import type { PerfRecord } from './records.ts';
import type { SampleRecord } from './sample.ts';
import { TimeOrder } from './time-order.ts';

export interface RecordedEvent {
  /** Nanoseconds of the recording's clock; see `PerfSession.wallTimeOffsetNs`. 0: not recorded. */
  readonly timeNs: bigint;
  /** This and the next two: `undefined` if not recorded. */
  readonly pid: number | undefined;
  readonly tid: number | undefined;
  readonly cpu: number | undefined;
  /** Without the system: `Provider_L4K1`. */
  readonly tracepoint: string;
  readonly event: EventHeaderEvent;
}

/** An EventHeader event in a sample, not yet decoded. */
export interface EventHeaderBytes {
  /** Without the system. */
  readonly tracepointName: string;
  /** From the event's header on, with perf's padding behind the payload. */
  readonly data: Uint8Array;
}

/** The EventHeader event that a record carries, if it is a sample of an EventHeader tracepoint. */
export function eventHeaderBytesOf(record: PerfRecord): EventHeaderBytes | undefined {
  if (record.kind !== 'sample' || record.raw === undefined) return undefined;
  const offset = record.tracepoint?.eventHeaderOffset;
  if (record.tracepoint === undefined || offset === undefined) return undefined;
  return { tracepointName: record.tracepoint.name, data: record.raw.subarray(offset) };
}

/**
 * @param bytes a whole perf.data file
 * @throws PerfDataError if the file is damaged
 * @throws EventHeaderError at the first event that cannot be decoded
 */
export function* eventHeaderEvents(bytes: Uint8Array): Generator<RecordedEvent> {
  const order = new TimeOrder<SampleRecord>();
  for (const record of readPerfData(bytes).records()) {
    if (record.kind === 'sample') order.add(record.timeNs ?? 0n, record, record.size);
    if (record.kind === 'finishedRound') order.finishRound();
    for (const sample of order.take()) yield* recordedEvent(sample);
  }
  order.finish();
  for (const sample of order.take()) yield* recordedEvent(sample);
}

function* recordedEvent(sample: SampleRecord): Generator<RecordedEvent> {
  const found = eventHeaderBytesOf(sample);
  if (found === undefined) return;
  yield {
    timeNs: sample.timeNs ?? 0n,
    pid: sample.pid,
    tid: sample.tid,
    cpu: sample.cpu,
    tracepoint: found.tracepointName,
    event: decodeEventHeader(found.tracepointName, found.data),
  };
}
