/** Opens the output of `perf record`, from a file or a pipe. */
import { isPipeMode, type PerfDataHead, readHead } from '../../wire/perf-data/head.ts';
import type { Piece } from '../../wire/perf-data/piece.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import type { OpenedSource } from '../byte-source.ts';
import { CodeMappings } from '../code-mappings.ts';
import type { OpenReader, TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import { PerfDataReader } from './perf-data-reader.ts';
import { piecesOfFile, piecesOfPipe, RecordIntake } from './record-intake.ts';

/** How far records without a time are read before the first event is delivered. */
const MAX_LOOKAHEAD = 4 * 1024 * 1024;

export const openPerfData: OpenReader = async (source) => {
  return await openRecords(await openPieces(source), { format: 'perf.data' }, () => source.close());
};

interface PerfDataPieces {
  readonly head: PerfDataHead;
  readonly pieces: AsyncGenerator<Piece>;
}

/**
 * Opens records from any source.
 * @throws TraceError
 */
export async function openRecords(
  { head, pieces }: PerfDataPieces,
  format: Pick<TraceInfo, 'format' | 'formatVersion'>,
  closeSource: () => Promise<void>,
): Promise<TraceReader> {
  const { session, fault } = head;
  const progress: TraceProgress = {
    lostEvents: 0,
    lostBuffers: 0,
    processNames: new Map(),
    kernelProcesses: new Set(),
    mappings: new CodeMappings(session.buildIds, () => session.wallTimeOffsetNs ?? 0n),
    bytesRead: head.start,
  };
  const intake = new RecordIntake(pieces, session, progress);
  const startTime = await readAhead(intake, head, progress);
  const info = { ...format, ...infoOf(session, startTime) };
  const close = async () => {
    await intake.close();
    await closeSource();
  };
  return new PerfDataReader(info, progress, session, intake, fault, close);
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

/**
 * Reads everything that precedes the events: in a pipe, perf's description of the recording comes in records before
 * those of the kernel; and if nothing else says when the recording started, the times of the first records do.
 *
 * @returns when the recording started, on its own clock
 */
async function readAhead(
  intake: RecordIntake,
  { session, end }: PerfDataHead,
  progress: TraceProgress,
): Promise<bigint> {
  // Later rounds mostly contain later records than the first.
  const isKnown = () =>
    startOf(session) !== undefined || intake.endsRound || progress.bytesRead >= MAX_LOOKAHEAD;
  while ((end === undefined && !intake.hasRecords) || !isKnown()) {
    try {
      if (!(await intake.step())) break;
    } catch (error) {
      if (session.attrs.length === 0) throw error;
      intake.fail(error);
      break;
    }
  }
  const startTime = startOf(session) ?? intake.earliest;
  intake.begin(startTime);
  return startTime;
}

/** The time at which the recording started, on its own clock, if known. */
function startOf({ clock, sampleTime }: PerfSession): bigint | undefined {
  return clock?.clockNs ?? sampleTime?.first;
}

function infoOf(session: PerfSession, startTime: bigint): Omit<TraceInfo, 'format'> {
  const { sampleTime, processors, wallTimeOffsetNs } = session;
  const offset = wallTimeOffsetNs ?? 0n;
  return {
    startTime: startTime + offset,
    ...(sampleTime === undefined ? {} : { endTime: sampleTime.last + offset }),
    hasWallTime: wallTimeOffsetNs !== undefined,
    pointerSize: session.pointerSize ?? 8,
    ...(processors === undefined ? {} : { processors }),
    properties: session.properties,
    ...(session.problems.length === 0 ? {} : { problems: session.problems }),
  };
}
