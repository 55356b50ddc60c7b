/**
 * Walks through a nettrace byte by byte and enforces every rule of the format. It is based on perfview's
 * NetTraceFormat_v5.md and NetTraceFormat_v6.md, independently of the writer and the reader.
 */
import { ByteWalker } from './byte-walker.ts';
import { EventRules } from './event-rules.ts';
import { checkMetadataV4, checkMetadataV6Row } from './metadata-rules.ts';

export interface CheckedTrace {
  readonly version: 4 | 6;
  readonly events: number;
  readonly metadata: number;
  readonly threads: number;
  readonly removedThreads: number;
  readonly sequencePoints: number;
  readonly stacks: number;
  readonly labelLists: number;
  readonly blocks: number;
  readonly largestBlock: number;
  /** By the gaps in the numbers of events. */
  readonly dropped: number;
}

const KINDS = { EventBlock: 2, MetadataBlock: 3, SPBlock: 4, StackBlock: 5 } as const;

/** @throws Error that names the rule and the place where it is broken */
export function checkNetTrace(bytes: Uint8Array): CheckedTrace {
  const walker = new ByteWalker(bytes);
  walker.demand(walker.ascii(8) === 'Nettrace', 'A nettrace starts with its magic.');
  return walker.u32() === 0 ? new V6Checker(walker).check() : new V4Checker(walker, bytes).check();
}

class BlockRules {
  readonly rules: EventRules;
  readonly metadata = new Set<number>();
  readonly #version: 4 | 6;
  #sequencePoints = 0;
  #stacks = 0;
  #labelLists = 0;
  #blocks = 0;
  #largestBlock = 0;

  constructor(version: 4 | 6) {
    this.#version = version;
    this.rules = new EventRules(version);
  }

  block(kind: number, body: ByteWalker): void {
    this.#blocks++;
    this.#largestBlock = Math.max(this.#largestBlock, body.left);
    this.#kindOfBlock(kind, body);
    body.demand(body.left === 0, `A block of kind ${kind} has ${body.left} bytes too many.`);
  }

  get result(): CheckedTrace {
    const version = this.#version;
    const sequencePoints = this.#sequencePoints;
    const stacks = this.#stacks;
    const labelLists = this.#labelLists;
    const blocks = this.#blocks;
    const largestBlock = this.#largestBlock;
    const { events, threads, removed, dropped } = this.rules;
    const ofThreads = { threads: threads.size, removedThreads: removed.size };
    const counts = { events, ...ofThreads, dropped, metadata: this.metadata.size };
    return { version, ...counts, sequencePoints, stacks, labelLists, blocks, largestBlock };
  }

  #kindOfBlock(kind: number, body: ByteWalker): void {
    switch (kind) {
      case 2:
        this.rules.eventBlock(body, this.metadata);
        break;
      case 3:
        this.#metadataBlock(body);
        break;
      case 4:
        this.#sequencePoints++;
        this.rules.sequencePoint(body);
        break;
      case 5:
        this.#stackBlock(body);
        break;
      case 6:
        while (body.left > 0) this.#threadRow(body.part(body.u16()));
        break;
      case 7:
        while (body.left > 0) this.rules.removeThread(body, body.varuint(64), Number(body.varuint(32)));
        break;
      case 8:
        this.#labelListBlock(body);
        break;
      default:
        body.demand(false, `There is no block of kind ${kind}.`);
    }
  }

  #metadataBlock(body: ByteWalker): void {
    if (this.#version === 6) {
      body.take(body.u16());
      while (body.left > 0) this.#define(body, checkMetadataV6Row(body.part(body.u16())));
      return;
    }
    body.demand(body.u16() === 20 && body.u16() === 1, 'A metadata block has 20 bytes of head, and flag 1.');
    body.take(16);
    let size = 0;
    while (body.left > 0) {
      const flags = body.u8();
      body.demand((flags & ~0xc0) === 0, `Metadata is an event without flags ${flags}.`);
      body.varuint(64);
      if ((flags & 0x80) !== 0) size = Number(body.varuint(32));
      this.#define(body, checkMetadataV4(body.part(size)));
    }
  }

  #define(body: ByteWalker, id: number): void {
    body.demand(id >= 1 && !this.metadata.has(id), `Metadata ${id} is given once, and from 1 on.`);
    this.metadata.add(id);
  }

  #stackBlock(body: ByteWalker): void {
    const first = body.u32();
    const count = body.u32();
    for (let i = 0; i < count; i++) {
      const stack = body.part(body.u32());
      body.demand(stack.left % 8 === 0, 'A stack is of whole addresses.');
      this.rules.stack(body, first + i);
      this.#stacks++;
    }
  }

  #threadRow(row: ByteWalker): void {
    this.rules.thread(row, row.varuint(64));
    while (row.left > 0) {
      const entry = row.u8();
      row.demand(entry >= 1 && entry <= 4, `The entry ${entry} does not exist in a thread description.`);
      if (entry === 1 || entry === 4) row.utf8();
      if (entry === 4) row.utf8();
      if (entry === 2 || entry === 3) row.varuint(64);
    }
  }

  #labelListBlock(body: ByteWalker): void {
    const first = body.u32();
    const count = body.u32();
    body.demand(first >= 1, 'Label list 0 is the empty one.');
    for (let i = 0; i < count; i++) {
      let kind: number;
      do {
        kind = body.u8();
        checkLabel(body, kind & 0x7f);
      } while ((kind & 0x80) === 0);
      this.rules.labelList(body, first + i);
      this.#labelLists++;
    }
  }
}

const LABEL_SIZES: Readonly<Record<number, number>> = { 1: 16, 2: 16, 3: 16, 4: 8, 7: 1, 8: 8, 9: 1, 10: 1 };

function checkLabel(body: ByteWalker, kind: number): void {
  const size = LABEL_SIZES[kind];
  if (size !== undefined) {
    body.take(size);
    return;
  }
  body.demand(kind === 5 || kind === 6, `The label kind ${kind} does not exist.`);
  body.utf8();
  if (kind === 5) body.utf8();
  else body.varuint(64);
}

/** @returns the size of the addresses */
function checkTrace(body: ByteWalker): void {
  const [year, month, dayOfWeek, day, hour, minute, second, ms] = Array.from({ length: 8 }, body.u16);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second, ms));
  body.demand(date.getUTCMonth() + 1 === month && date.getUTCDate() === day, 'The start is a date.');
  body.demand(date.getUTCDay() === dayOfWeek, 'The day of the week is that of the date.');
  body.i64();
  body.demand(body.i64() > 0n, 'A clock has ticks.');
  body.demand(body.u32() === 8, 'Addresses have 8 bytes in these tests.');
}

class V6Checker {
  readonly #walker: ByteWalker;
  readonly #blocks = new BlockRules(6);

  constructor(walker: ByteWalker) {
    this.#walker = walker;
  }

  check(): CheckedTrace {
    const walker = this.#walker;
    walker.demand(walker.u32() === 6, 'The major version is 6.');
    walker.u32();
    for (let isFirst = true; ; isFirst = false) {
      const head = walker.u32();
      const kind = head >>> 24;
      const body = walker.part(head & 0xff_ffff);
      walker.demand((kind === 1) === isFirst, 'The first block describes the trace, and only that.');
      if (kind === 0) {
        walker.demand(body.left === 0 && walker.left === 0, 'Nothing comes behind the end of the stream.');
        return this.#blocks.result;
      }
      if (kind !== 1) {
        this.#blocks.block(kind, body);
        continue;
      }
      checkTrace(body);
      for (let left = body.u32(); left > 0; left--) {
        body.utf8();
        body.utf8();
      }
      body.demand(body.left === 0, 'Nothing stands behind the trace block.');
    }
  }
}

class V4Checker {
  readonly #walker: ByteWalker;
  readonly #bytes: Uint8Array;
  readonly #blocks = new BlockRules(4);

  constructor(walker: ByteWalker, bytes: Uint8Array) {
    this.#walker = walker;
    this.#bytes = bytes;
  }

  check(): CheckedTrace {
    const walker = this.#walker;
    walker.at -= 4;
    walker.demand(walker.u32() === 20, 'The length of the serialization magic is 20.');
    walker.demand(walker.ascii(20) === '!FastSerialization.1', 'Then comes the serialization magic.');
    for (let isFirst = true; ; isFirst = false) {
      const tag = walker.u8();
      if (tag === 1) {
        walker.demand(walker.left === 0, 'Nothing comes behind the end of the stream.');
        return this.#blocks.result;
      }
      this.#object(tag, isFirst);
    }
  }

  #object(tag: number, isFirst: boolean): void {
    const walker = this.#walker;
    walker.demand(tag === 5 && walker.u8() === 5 && walker.u8() === 1, 'An object starts with 5, 5, 1.');
    const versions = `${walker.u32()} ${walker.u32()}`;
    const name = walker.ascii(walker.u32());
    walker.demand(walker.u8() === 6, 'A type ends with 6.');
    walker.demand((name === 'Trace') === isFirst, 'The first object describes the trace, and only that.');
    walker.demand(versions === (isFirst ? '4 4' : '2 2'), `${name} is not of versions ${versions}.`);
    if (isFirst) {
      const body = walker.part(48);
      checkTrace(body);
      body.take(12);
    } else {
      const size = walker.u32();
      while (walker.at % 4 !== 0) walker.demand(walker.u8() === 0, 'Padding is zero.');
      walker.demand(Object.hasOwn(KINDS, name), `There is no type ${name}.`);
      const end = walker.at + size;
      // What stands in the block, no byte of what follows.
      this.#blocks.block(KINDS[name as keyof typeof KINDS], new ByteWalker(this.#bytes, walker.at, end));
      walker.take(size);
    }
    walker.demand(walker.u8() === 6, 'An object ends with 6.');
  }
}
