/**
 * Cuts a nettrace of version 4, as it arrives, into sections between its sequence points: no event refers to a stack of
 * an earlier section, or is older than one of it. So a trace may begin with any section, if it has the trace's
 * description of itself, the descriptions of events so far, and the last sequence point, by which readers count missing
 * events.
 */

import type { Block, Framing } from '../wire/nettrace/block.ts';
import { ByteQueue } from '../wire/nettrace/byte-queue.ts';
import { BlockKind, FormatVersion } from '../wire/nettrace/constants.ts';
import { readStart } from '../wire/nettrace/framing.ts';
import { TraceError } from '../wire/trace-error.ts';

type SectionBlock = Pick<Block, 'kind' | 'bytes'>;

/** What stands before the first section of a trace. */
export interface SectionStart {
  readonly trace: SectionBlock;
  /** The metadata is that of the whole trace: blocks after the first `metadataCount` belong to later sections. */
  readonly metadata: readonly SectionBlock[];
  readonly metadataCount: number;
  readonly sequencePoint: SectionBlock | undefined;
}

export interface Section {
  readonly start: SectionStart;
  readonly blocks: readonly SectionBlock[];
  /** The size is in bytes. */
  readonly size: number;
}

/** A process cannot make the agent hold more than this: .NET has a sequence point every 10 MB. */
const MAX_SECTION_SIZE = 64 << 20;
const MAX_METADATA_SIZE = 32 << 20;
/** A block's framing in the file, at most. */
export const FRAMING_SIZE = 40;
/** A block in memory takes about this many bytes beside its content. */
const BLOCK_OBJECT = 256;

/** What a section takes in memory. */
export function heldSize({ blocks, size }: Pick<Section, 'blocks' | 'size'>): number {
  return size + blocks.length * BLOCK_OBJECT;
}

interface SectionEnd {
  readonly section: Section;
  readonly end: number;
}

export class TraceSections {
  /** Why there are no more sections. */
  fault: TraceError | undefined = undefined;
  /** The size of the whole blocks so far, with what precedes them. */
  wholeSize = 0;
  readonly #queue = new ByteQueue();
  #framing: Framing | undefined;
  #trace: SectionBlock | undefined;
  readonly #metadata: SectionBlock[] = [];
  #metadataSize = 0;
  #start: SectionStart | undefined;
  #blocks: SectionBlock[] = [];
  #size = 0;

  /** Whether nothing has come that could be a trace, and nothing else. */
  get isEmpty(): boolean {
    return this.#framing === undefined && this.fault === undefined;
  }

  /**
   * What is in memory of the current section: also in the trace's reader, which copies blocks that came in pieces; and
   * the descriptions of events.
   */
  get heldSize(): number {
    const section = { blocks: this.#blocks, size: this.#size + this.#queue.length };
    return 2 * heldSize(section) + this.#metadataSize;
  }

  /** Whether the trace has ended by itself. */
  get isAtEnd(): boolean {
    return this.#framing?.isAtEnd === true;
  }

  /**
   * Takes the next bytes, which must not change.
   *
   * @returns the sections that are now complete, each with the position in the bytes where it ends
   */
  push(bytes: Uint8Array): readonly SectionEnd[] {
    const complete: SectionEnd[] = [];
    if (this.fault !== undefined) return complete;
    const from = this.#queue.position + this.#queue.length;
    this.#queue.push(bytes);
    try {
      this.#framing ??= readStart(this.#queue);
      for (let block = this.#next(); block !== undefined; block = this.#next()) {
        this.#add(block);
        this.wholeSize = this.#queue.position;
        if (block.kind !== BlockKind.SequencePoint) continue;
        complete.push({ section: this.take() as Section, end: this.#queue.position - from });
        this.#begin(block);
      }
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      this.fault = error;
    }
    return complete;
  }

  /** The blocks since the last sequence point, as a section; undefined if there are none. */
  take(): Section | undefined {
    const start = this.#start;
    if (start === undefined || this.#blocks.length === 0) return undefined;
    const section = { start, blocks: this.#blocks, size: this.#size };
    this.#begin(start.sequencePoint);
    return section;
  }

  #next(): Block | undefined {
    if (this.#queue.length + this.#size > MAX_SECTION_SIZE) {
      throw this.#tooLarge('has no sequence point', MAX_SECTION_SIZE);
    }
    return this.#framing?.next(this.#queue);
  }

  #add(block: Block): void {
    if (this.#trace === undefined) {
      if (block.kind !== BlockKind.Trace || this.#framing?.formatVersion !== FormatVersion.V4) {
        throw new TraceError('unsupported', block.position, 'It is not a nettrace of version 4.');
      }
      this.#trace = owned(block);
      this.#begin(undefined);
      return;
    }
    this.#blocks.push(block);
    this.#size += block.bytes.length + FRAMING_SIZE;
    if (block.kind !== BlockKind.Metadata) return;
    this.#metadata.push(owned(block));
    this.#metadataSize += block.bytes.length;
    if (this.#metadataSize > MAX_METADATA_SIZE) {
      throw this.#tooLarge('describes its events', MAX_METADATA_SIZE);
    }
  }

  #begin(sequencePoint: SectionBlock | undefined): void {
    const [trace, metadata] = [this.#trace as SectionBlock, this.#metadata];
    const last = sequencePoint && owned(sequencePoint);
    this.#start = { trace, metadata, metadataCount: metadata.length, sequencePoint: last };
    this.#blocks = [];
    this.#size = 0;
  }

  #tooLarge(what: string, limit: number): TraceError {
    return new TraceError('unsupported', this.#queue.position, `It ${what} in ${limit >> 20} MB.`);
  }
}

/** Copies the block, so that it does not keep the rest of the bytes that arrived with it. */
function owned({ kind, bytes }: SectionBlock): SectionBlock {
  return { kind, bytes: bytes.slice() };
}
