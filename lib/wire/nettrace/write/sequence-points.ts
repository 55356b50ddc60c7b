/** Sequence points: the numbers of the threads' last events, from which readers detect missing ones. */
import { NetTraceBytes } from './byte-writer.ts';

export interface ThreadNumber {
  readonly id: number;
  /** The number of its last event, written or missing, counted from the first round. */
  readonly sequence: number;
}

export interface TouchedThread extends ThreadNumber {
  /** Whether it has had events since the last sequence point. */
  readonly hasEvents: boolean;
}

/** The block with the numbers at that time. */
export function sequencePoint(isV4: boolean, ticks: bigint, numbers: readonly ThreadNumber[]): Uint8Array {
  const bytes = new NetTraceBytes();
  bytes.uint64(ticks);
  if (!isV4) bytes.uint32(0);
  bytes.uint32(numbers.length);
  for (const { id, sequence } of numbers) {
    if (isV4) {
      bytes.uint64(BigInt(id));
      bytes.uint32(sequence);
    } else {
      bytes.varUint(id);
      bytes.varUint(sequence);
    }
  }
  return bytes.current();
}

/** The block of threads that end. It follows the sequence point, which may mention them. */
export function removals(removed: readonly ThreadNumber[]): Uint8Array {
  const bytes = new NetTraceBytes();
  for (const { id, sequence } of removed) {
    bytes.varUint(id);
    bytes.varUint(sequence);
  }
  return bytes.current();
}
