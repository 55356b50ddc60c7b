/** Opens the output of `perf record`, from a file or a pipe. */
import { FIRST_TYPE_OF_TOOL } from '../../wire/perf-data/constants.ts';
import type { PerfDataError } from '../../wire/perf-data/error.ts';
import { isPipeMode, type PerfDataHead, readHead } from '../../wire/perf-data/head.ts';
import type { Piece } from '../../wire/perf-data/piece.ts';
import { type PerfRecord, timeOf } from '../../wire/perf-data/records.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import type { OpenedSource } from '../byte-source.ts';
import { asTraceError } from '../trace-error.ts';
import type { OpenReader, TraceInfo, TraceProgress } from '../trace-reader.ts';
import { PerfDataReader } from './perf-data-reader.ts';
import { piecesOfFile, piecesOfPipe, type RecordGroup, recordGroups } from './record-groups.ts';

/** How far records without a time are read before the first event is delivered. */
const MAX_LOOKAHEAD = 4 * 1024 * 1024;

export const openPerfData: OpenReader = async (source) => {
  try {
    const { head, pieces } = await openPieces(source);
    const { session } = head;
    const progress: TraceProgress = {
      lostEvents: 0,
      lostBuffers: 0,
      processNames: new Map(),
      bytesRead: head.start,
    };
    const onPiece = (end: number) => {
      progress.bytesRead = end;
    };
    const ahead = await readAhead(recordGroups(pieces, session, onPiece), head, progress);
    const info = infoOf(session, ahead.startTime);
    const groups = withFault(ahead.groups, head.fault);
    return new PerfDataReader(info, progress, session, groups, () => source.close());
  } catch (error) {
    throw asTraceError(error);
  }
};

interface PerfDataPieces {
  readonly head: PerfDataHead;
  readonly pieces: AsyncIterable<Piece>;
}

/** A pipe is read as it arrives: it may have no end. */
async function openPieces(source: OpenedSource): Promise<PerfDataPieces> {
  const reading = readHead();
  let step = reading.next();
  if (isPipeMode(source.head)) {
    while (!step.done) step = reading.next(source.head.subarray(step.value.start, step.value.end));
    return { head: step.value, pieces: piecesOfPipe(source.chunks(), step.value.start) };
  }
  const bytes = await source.seekable();
  while (!step.done) {
    const { start, end } = step.value;
    step = reading.next(await bytes.read(start, end - start));
  }
  return { head: step.value, pieces: piecesOfFile(bytes, step.value.start, step.value.end ?? bytes.size) };
}

/** What is missing from the file's head is reported after all records. */
async function* withFault(
  groups: AsyncGenerator<RecordGroup>,
  fault: PerfDataError | undefined,
): AsyncGenerator<RecordGroup> {
  yield* groups;
  if (fault !== undefined) throw asTraceError(fault);
}

interface Ahead {
  readonly startTime: bigint;
  /** All of them, including those that were read ahead. */
  readonly groups: AsyncGenerator<RecordGroup>;
}

/**
 * Reads everything that precedes the events: in a pipe, perf's description of the recording comes in records before
 * those of the kernel; and if nothing else says when the recording started, the times of the first records do.
 */
async function readAhead(
  groups: AsyncGenerator<RecordGroup>,
  { session, end }: PerfDataHead,
  progress: TraceProgress,
): Promise<Ahead> {
  const read: RecordGroup[] = [];
  let fault: unknown;
  const isKnown = () =>
    startOf(session) !== undefined || endsRound(read) || progress.bytesRead >= MAX_LOOKAHEAD;
  while ((end === undefined && read.length === 0) || !isKnown()) {
    try {
      const next = await groups.next();
      if (next.done === true) break;
      if (next.value.some(isOfKernel)) read.push(next.value);
    } catch (error) {
      if (session.attrs.length === 0) throw error;
      fault = error;
      break;
    }
  }
  async function* all(): AsyncGenerator<RecordGroup> {
    try {
      yield* read;
      if (fault !== undefined) throw fault;
      yield* groups;
    } finally {
      await groups.return(undefined);
    }
  }
  return { startTime: startOf(session) ?? earliestOf(read), groups: all() };
}

function isOfKernel(record: PerfRecord): boolean {
  return record.kind === 'other' ? record.type < FIRST_TYPE_OF_TOOL : record.kind !== 'header';
}

/** When the recording started, on its own clock, if known. */
function startOf({ clock, sampleTime }: PerfSession): bigint | undefined {
  return clock?.clockNs ?? sampleTime?.first;
}

/** Later rounds mostly contain later records than the first. */
function endsRound(read: readonly RecordGroup[]): boolean {
  return read.at(-1)?.some((record) => record.kind === 'finishedRound') ?? false;
}

function earliestOf(read: readonly RecordGroup[]): bigint {
  const times = read.flat().map((record) => timeOf(record) ?? 0n);
  return times.reduce((first, time) => (time !== 0n && (first === 0n || time < first) ? time : first), 0n);
}

function infoOf(session: PerfSession, startTime: bigint): TraceInfo {
  const { sampleTime, processors, wallTimeOffsetNs } = session;
  const offset = wallTimeOffsetNs ?? 0n;
  return {
    format: 'perf.data',
    startTime: startTime + offset,
    ...(sampleTime === undefined ? {} : { endTime: sampleTime.last + offset }),
    hasWallTime: wallTimeOffsetNs !== undefined,
    pointerSize: session.pointerSize ?? 8,
    ...(processors === undefined ? {} : { processors }),
    properties: session.properties,
    ...(session.problems.length === 0 ? {} : { problems: session.problems }),
  };
}
