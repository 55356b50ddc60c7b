/**
 * Stacks that the kernel records as separate records (StackWalk) after the events they belong to, at the latest when
 * the thread is back in user mode. Events are held back for a while so that their stacks can be attached.
 *
 * Layout: the event's raw time u64, process u32, thread u32, then addresses, innermost frame first.
 */
import { KernelGroup } from '../../wire/etl/constants.ts';
import { groupOf, headerEndOf, layoutKind, opcodeOf } from '../../wire/etl/record.ts';
import { type RawTime, ticksAt } from '../../wire/etl/record-cursor.ts';
import type { EtlEvent } from './etl-event.ts';
import { isKernelRecord } from './kernel-state.ts';

const STACK = 32;
const HEAD_SIZE = 16;

export function isStackWalk(event: EtlEvent): boolean {
  return (
    isKernelRecord(layoutKind(event)) && groupOf(event) === KernelGroup.StackWalk && opcodeOf(event) === STACK
  );
}

/**
 * Attaches a stack to its event, if that is among `events`.
 *
 * @param events in time order
 */
export function attachStackWalk(walk: EtlEvent, events: readonly EtlEvent[], start: RawTime): void {
  const at = headerEndOf(walk);
  if (at + HEAD_SIZE > walk.end) return;
  const { view } = walk.buffer;
  const ticks = ticksAt(view, at, start);
  const thread = view.getUint32(at + 12, true);
  let candidate: EtlEvent | undefined;
  for (let i = firstAt(events, ticks); events[i]?.ticks === ticks; i++) {
    const event = events[i] as EtlEvent;
    if (isStackWalk(event)) continue;
    if (event.threadId === thread) {
      candidate = event;
      break;
    }
    // The kernel does not say to whom a record without ids belongs: then the time has to do.
    if (event.threadId === undefined) candidate ??= event;
  }
  candidate?.addStackWalk(walk);
}

/** The first event that is not earlier. */
function firstAt(events: readonly EtlEvent[], ticks: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle] as EtlEvent).ticks < ticks) low = middle + 1;
    else high = middle;
  }
  return low;
}
