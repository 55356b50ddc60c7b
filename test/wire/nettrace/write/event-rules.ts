/** The rules of events: what they refer to, their order, their numbers. */
import type { ByteWalker } from './byte-walker.ts';

interface ThreadState {
  lastTime: bigint;
  sequence: number;
}

/** What a compressed header leaves out is as in the one before; at the start of a block it is zero. */
interface Header {
  metadataId: number;
  sequence: number;
  captureThread: bigint;
  thread: bigint;
  stackId: number;
  time: bigint;
  labelList: number;
  payloadSize: number;
}

export class EventRules {
  events = 0;
  dropped = 0;
  readonly threads = new Map<bigint, ThreadState>();
  /** Threads that the trace says have ended. */
  readonly removed = new Set<bigint>();
  readonly #version: 4 | 6;
  readonly #stacks = new Set<number>();
  readonly #labelLists = new Set<number>();
  /** No event to come may be older: because of a sequence point, or of a sorted event. */
  #noneOlderThan = -(2n ** 63n);
  #newest = -(2n ** 63n);

  constructor(version: 4 | 6) {
    this.#version = version;
  }

  thread(at: ByteWalker, index: bigint): void {
    at.demand(!this.threads.has(index), `Thread ${index} is given twice.`);
    this.threads.set(index, { lastTime: -(2n ** 63n), sequence: 0 });
  }

  removeThread(at: ByteWalker, index: bigint, sequence: number): void {
    const state = this.#stateOf(at, index);
    at.demand(sequence === state.sequence, `Thread ${index} ends with ${state.sequence}, not ${sequence}.`);
    this.removed.add(index);
  }

  stack(at: ByteWalker, id: number): void {
    at.demand(id >= 1 && !this.#stacks.has(id), `Stack ${id} is given once, and from 1 on.`);
    this.#stacks.add(id);
  }

  labelList(at: ByteWalker, id: number): void {
    at.demand(!this.#labelLists.has(id), `Label list ${id} is given twice.`);
    this.#labelLists.add(id);
  }

  eventBlock(body: ByteWalker, metadata: ReadonlySet<number>): void {
    body.demand(body.u16() === 20 && body.u16() === 1, 'An event block has 20 bytes of head, and flag 1.');
    const [min, max] = [body.i64(), body.i64()];
    const header: Header = {
      metadataId: 0,
      sequence: 0,
      captureThread: 0n,
      thread: 0n,
      stackId: 0,
      time: 0n,
      labelList: 0,
      payloadSize: 0,
    };
    let seenMin: bigint | undefined;
    let seenMax = min;
    for (let isFirst = true; body.left > 0; isFirst = false) {
      const captureBefore = header.captureThread;
      const flags = this.#header(body, header);
      const { time } = header;
      const isSorted = (flags & 0x40) !== 0;
      if (seenMin === undefined || time < seenMin) seenMin = time;
      if (time > seenMax) seenMax = time;
      body.demand(!isFirst || (flags & 2) !== 0, 'The first event of a block tells its thread.');
      body.demand(
        isFirst || isSorted || header.captureThread === captureBefore,
        'Only a sorted event changes the thread within a block.',
      );
      body.demand(metadata.has(header.metadataId), `Metadata ${header.metadataId} stands before its events.`);
      body.demand(
        header.stackId === 0 || this.#stacks.has(header.stackId),
        'A stack stands before its events.',
      );
      body.demand(
        header.labelList === 0 || this.#labelLists.has(header.labelList),
        'A label list stands before its events.',
      );
      this.#inOrder(body, header, isSorted);
      body.take(header.payloadSize);
      this.events++;
    }
    body.demand(seenMin === min && seenMax === max, 'A block tells its first and its last time.');
  }

  sequencePoint(body: ByteWalker): void {
    const time = body.i64();
    body.demand(time >= this.#newest, 'No event before a sequence point is newer than it.');
    this.#noneOlderThan = time;
    this.#newest = time;
    this.#stacks.clear();
    this.#labelLists.clear();
    if (this.#version === 6) body.demand(body.u32() === 0, 'Nothing is flushed.');
    for (let left = body.u32(); left > 0; left--) {
      const id = this.#version === 6 ? body.varuint(64) : body.i64();
      const sequence = this.#version === 6 ? Number(body.varuint(32)) : body.u32();
      const state = this.#stateOf(body, id);
      const dropped = (sequence - state.sequence) >>> 0;
      body.demand(dropped < 2 ** 31, `Thread ${id} cannot have had ${sequence} events.`);
      this.#countDropped(state, dropped);
      state.sequence = sequence;
    }
  }

  #header(body: ByteWalker, header: Header): number {
    const flags = body.u8();
    if ((flags & 1) !== 0) header.metadataId = Number(body.varuint(32));
    if ((flags & 2) !== 0) {
      header.sequence = (header.sequence + Number(body.varuint(32)) + 1) >>> 0;
      header.captureThread = body.varuint(64);
      body.varuint(32);
    } else header.sequence = (header.sequence + 1) >>> 0;
    if ((flags & 4) !== 0) header.thread = body.varuint(64);
    if ((flags & 8) !== 0) header.stackId = Number(body.varuint(32));
    header.time = BigInt.asIntN(64, header.time + body.varuint(64));
    if (this.#version === 6) {
      if ((flags & 0x10) !== 0) header.labelList = Number(body.varuint(32));
      body.demand((flags & 0x20) === 0, 'Version 6 has no flag 0x20.');
    } else {
      if ((flags & 0x10) !== 0) body.take(16);
      if ((flags & 0x20) !== 0) body.take(16);
    }
    if ((flags & 0x80) !== 0) header.payloadSize = Number(body.varuint(32));
    return flags;
  }

  #inOrder(body: ByteWalker, { captureThread, thread, time, sequence }: Header, isSorted: boolean): void {
    const state = this.#stateOf(body, captureThread);
    this.#stateOf(body, thread);
    body.demand(time >= state.lastTime, `The events of thread ${captureThread} go back in time.`);
    state.lastTime = time;
    body.demand(time >= this.#noneOlderThan, 'An event is older than one that nothing older follows.');
    if (isSorted) this.#noneOlderThan = time;
    if (time > this.#newest) this.#newest = time;
    const dropped = (sequence - state.sequence - 1) >>> 0;
    body.demand(
      dropped < 2 ** 31,
      `Event ${sequence} of thread ${captureThread} comes after ${state.sequence}.`,
    );
    this.#countDropped(state, dropped);
    state.sequence = sequence;
  }

  /** A thread of version 4 whose last number was 0 is taken for another one, whose id has come back. */
  #countDropped(state: ThreadState, dropped: number): void {
    if (this.#version === 6 || state.sequence !== 0) this.dropped += dropped;
  }

  #stateOf(at: ByteWalker, id: bigint): ThreadState {
    at.demand(!this.removed.has(id), `Thread ${id} has ended.`);
    let state = this.threads.get(id);
    if (state === undefined) {
      at.demand(this.#version === 4, `Thread ${id} stands before its events.`);
      state = { lastTime: -(2n ** 63n), sequence: 0 };
      this.threads.set(id, state);
    }
    return state;
  }
}
