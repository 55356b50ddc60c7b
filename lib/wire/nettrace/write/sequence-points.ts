/** Sequence points: the numbers of the threads' last events, by which readers notice that some are missing. */
import { FormatVersion } from '../constants.ts';
import { NetTraceBytes } from './byte-writer.ts';
import type { ThreadHandle, WrittenVersion } from './trace-parts.ts';

/** More than so many missing events, of one thread between two sequence points, readers do not take for such. */
export const MAX_DROPPED = 0x7fff_ffff;
/** Where version 4 has no number of a thread's yet: see `Thread.lostBefore`. */
const FIRST_NUMBER = 1;

export interface Thread extends ThreadHandle {
  sequence: number;
  /** The round in which it had events last, and where they are in it; where events are in the order of threads. */
  round: number;
  blocksAt: number;
  /**
   * Of version 4: events that were dropped before its first one. Readers notice a gap only behind a number that
   * they know, and that is not 0, so these are missing behind the first event; or, when a sequence point comes
   * before one, behind a number that no event has.
   */
  lostBefore: number;
  /** The epoch in which they were dropped: when it is over, the trace has told of them. */
  lostIn: number;
}

/**
 * The sequence points that tell of the threads, each as the bytes of a block. The first of two is of the threads that
 * have lost events and had none: it gives readers a number to miss them behind.
 */
export function sequencePoints(
  version: WrittenVersion,
  ticks: bigint,
  threads: ReadonlySet<Thread>,
): readonly Uint8Array[] {
  const numbers = Array.from(threads, (thread) => [thread, lastNumber(thread)] as const);
  const last = sequencePoint(version, ticks, numbers);
  const silent = [...threads].filter(({ lostBefore }) => lostBefore > 0);
  if (silent.length === 0) return [last];
  const firstNumbers = silent.map((thread) => [thread, FIRST_NUMBER] as const);
  return [sequencePoint(version, ticks, firstNumbers), last];
}

function sequencePoint(
  version: WrittenVersion,
  ticks: bigint,
  numbers: readonly (readonly [thread: Thread, number: number])[],
): Uint8Array {
  const bytes = new NetTraceBytes();
  bytes.uint64(ticks);
  const isV6 = version === FormatVersion.V6;
  if (isV6) bytes.uint32(0);
  bytes.uint32(numbers.length);
  for (const [{ id }, number] of numbers) {
    if (isV6) {
      bytes.varUint(id);
      bytes.varUint(number);
    } else {
      bytes.uint64(BigInt(id));
      bytes.uint32(number);
    }
  }
  return bytes.current();
}

function lastNumber({ sequence, lostBefore }: Thread): number {
  return lostBefore > 0 ? (FIRST_NUMBER + lostBefore) >>> 0 : sequence;
}

/** What the last sequence point said of a thread that had no event. */
export function settleLosses(thread: Thread, epoch: number): void {
  if (thread.lostBefore === 0 || thread.lostIn === epoch) return;
  thread.sequence = lastNumber(thread);
  thread.lostBefore = 0;
}

/** The block of threads that end, behind the sequence point, which may speak of them. */
export function removals(removed: ReadonlySet<Thread>): Uint8Array {
  const bytes = new NetTraceBytes();
  for (const { id, sequence } of removed) {
    bytes.varUint(id);
    bytes.varUint(sequence);
  }
  return bytes.current();
}
