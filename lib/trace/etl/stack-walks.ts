/**
 * Stacks that the kernel records separately from their events (StackWalk): the kernel part right after the event, the
 * user-mode part when the thread leaves the kernel, which then applies to all events since it entered it. Events are
 * held back for a while so that their stacks can be attached.
 *
 * Layout: the event's raw time u64, process u32, thread u32, then addresses (Stack), innermost frame first, or the key
 * of addresses recorded elsewhere (StackKeyKernel, StackKeyUser).
 *
 * These are TraceEvent's rules (`TraceLog.cs`), so that a trace has the same stacks as in PerfView.
 */
import { viewOf } from '../../base/bytes.ts';
import { KernelGroup } from '../../wire/etl/constants.ts';
import { readAddresses } from '../../wire/etl/extended-items.ts';
import {
  groupOf,
  headerEndOf,
  layoutKind,
  opcodeOf,
  pointerSizeOf,
  threadIdOf,
} from '../../wire/etl/record.ts';
import { type RawTime, ticksAt } from '../../wire/etl/record-cursor.ts';
import type { StackCounts } from '../trace-reader.ts';
import type { EtlEvent } from './etl-event.ts';
import { isKernelRecord } from './kernel-state.ts';
import {
  type AttachedStack,
  isKernelAddress,
  type StackDefinition,
  type StackDefinitions,
  stackKeyAt,
  stackPartOf,
} from './stack-definitions.ts';

const STACK = 32;
const KEY_OF_KERNEL = 37;
const KEY_OF_USER = 38;
const HEAD_SIZE = 16;
/** How many later events are read before an event is delivered, if the trace has stacks to attach. */
const HELD_BACK = 8_192;
/** Idle and System run only in the kernel. */
const MAX_SYSTEM_PROCESS = 4;

/** A record's contents: the event to which a part of a stack belongs. */
interface Walk extends AttachedStack {
  readonly ticks: number;
  readonly processId: number;
  readonly threadId: number;
  /** Whether its first frame is also in the kernel. */
  readonly startsInKernel: boolean;
}

export class StackWalks {
  readonly counts: StackCounts = { events: 0, withoutEvent: 0, withoutFrames: 0, withoutUserPart: 0 };
  readonly #definitions: StackDefinitions;
  /** The key is a thread, the value its events that so far have only the kernel part of their stack. */
  readonly #inKernel = new Map<number, EtlEvent[]>();

  constructor(definitions: StackDefinitions) {
    this.#definitions = definitions;
  }

  get heldBack(): number {
    return this.#definitions.isUsed ? HELD_BACK : 0;
  }

  /**
   * Attaches a stack to its event, if that is among `held`, and to those waiting for it.
   *
   * @param record any event that follows those
   * @param held in time order
   * @param start the raw time from which ticks are counted
   */
  take(record: EtlEvent, held: readonly EtlEvent[], start: RawTime): void {
    if (!this.#definitions.isUsed || !isOfStacks(record)) return;
    const walk = this.#read(record, start);
    if (walk === undefined) return;
    const event = eventOf(walk, held);
    if (event === undefined) this.counts.withoutEvent++;
    if (walk.part === 'kernel') {
      if (event !== undefined && this.#attach(event, walk)) this.#awaitUserPart(event, walk);
      return;
    }
    if (!walk.startsInKernel) this.#leaveKernel(walk);
    if (event !== undefined) this.#attach(event, walk);
  }

  /** Gives up on delivered events. @param first the earliest event not delivered */
  deliveredBefore(first: EtlEvent | undefined): void {
    for (const [thread, events] of this.#inKernel) {
      const kept = first === undefined ? [] : events.filter(({ ticks }) => ticks >= first.ticks);
      this.counts.withoutUserPart += events.length - kept.length;
      if (kept.length === 0) this.#inKernel.delete(thread);
      else this.#inKernel.set(thread, kept);
    }
  }

  #awaitUserPart(event: EtlEvent, { processId, threadId }: Walk): void {
    if (processId === 0 || processId === MAX_SYSTEM_PROCESS) return;
    const events = this.#inKernel.get(threadId);
    if (events === undefined) this.#inKernel.set(threadId, [event]);
    else events.push(event);
  }

  #leaveKernel(walk: Walk): void {
    for (const event of this.#inKernel.get(walk.threadId) ?? []) this.#attach(event, walk);
    this.#inKernel.delete(walk.threadId);
  }

  #forget(thread: number): void {
    this.counts.withoutUserPart += this.#inKernel.get(thread)?.length ?? 0;
    this.#inKernel.delete(thread);
  }

  #attach(event: EtlEvent, walk: Walk): boolean {
    const isFirst = event.hasAttachedStack;
    if (!event.attachStack(walk)) return false;
    if (!isFirst) this.counts.events++;
    return true;
  }

  #read(record: EtlEvent, start: RawTime): Walk | undefined {
    const at = headerEndOf(record);
    const content = at + HEAD_SIZE;
    const size = pointerSizeOf(record);
    if (content + size > record.end) return undefined;
    const { view } = record.buffer;
    const head = {
      ticks: ticksAt(view, at, start),
      processId: view.getUint32(at + 8, true),
      threadId: view.getUint32(at + 12, true),
    };
    const opcode = opcodeOf(record);
    if (opcode === STACK) {
      return {
        ...head,
        part: stackPartOf(record, content),
        startsInKernel: isKernelAddress(record, content),
        frames: () => readAddresses(view, content, record.end, size),
      };
    }
    if (opcode !== KEY_OF_KERNEL && opcode !== KEY_OF_USER) return undefined;
    const part = opcode === KEY_OF_KERNEL ? 'kernel' : 'user';
    const definition = this.#definitions.find(part, stackKeyAt(record, content), record.ticks);
    if (definition === undefined) {
      this.counts.withoutFrames++;
      if (part === 'user') this.#forget(head.threadId);
      return undefined;
    }
    return { ...head, part, startsInKernel: part === 'kernel', frames: () => framesOf(definition) };
  }
}

function framesOf({ chunk, start, end, pointerSize }: StackDefinition): bigint[] {
  return readAddresses(viewOf(chunk), start, end, pointerSize);
}

function isOfStacks(event: EtlEvent): boolean {
  return isKernelRecord(layoutKind(event)) && groupOf(event) === KernelGroup.StackWalk;
}

function eventOf({ ticks, threadId: thread }: Walk, held: readonly EtlEvent[]): EtlEvent | undefined {
  let candidate: EtlEvent | undefined;
  for (let i = firstAt(held, ticks); held[i]?.ticks === ticks; i++) {
    const event = held[i] as EtlEvent;
    if (isOfStacks(event)) continue;
    // A thread's start concerns the new thread, but has the stack of the thread that starts it.
    if (event.threadId === thread || threadIdOf(event) === thread) return event;
    // The kernel does not say to whom a record without ids belongs: then the time has to do.
    if (event.threadId === undefined) candidate ??= event;
  }
  return candidate;
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
