/** What the packets of a Perfetto trace leave out because earlier ones of their sequence have said it. */

import type { InternedFrame, NamedEntry, ReadPacket, TrackEvent } from '../../wire/perfetto/messages.ts';
import { SequenceFlag } from '../../wire/perfetto/messages.ts';
import type { Integer } from '../../wire/protobuf/message-reader.ts';
import { TraceError } from '../../wire/trace-error.ts';

type Names = Map<Integer, string>;

/** A function and the file that it is in; without symbols, the address in the file. */
export interface NamedFrame {
  readonly name: string;
  readonly module: string;
}

/** Valid until the sequence clears its state; events that wait keep it. */
export class SequenceState {
  readonly sequence: number;
  readonly categories: Names = new Map();
  readonly eventNames: Names = new Map();
  readonly annotationNames: Names = new Map();
  readonly texts: Names = new Map();
  readonly functions: Names = new Map();
  readonly mappingPaths: Names = new Map();
  /** Paths of files by mapping. */
  readonly mappings: Names = new Map();
  /** Functions by frame, and frames by stack, outermost first. */
  readonly frames = new Map<Integer, NamedFrame>();
  readonly stacks = new Map<Integer, readonly Integer[]>();
  defaults: TrackEvent | undefined = undefined;
  clockId: Integer | undefined = undefined;
  thread: ReadPacket['threadDescriptor'];
  /** The time in microseconds, for events with the difference to it. */
  timeUs = 0n;
  /** The approximate size of what is kept, in bytes. */
  size = 0;

  constructor(sequence: number) {
    this.sequence = sequence;
  }
}

/** A few kilobytes can define millions of names without ever using one. */
const MAX_SIZE = 256 << 20;
const ENTRY_SIZE = 100;
const MAX_SEQUENCES = 20_000;
const MAX_PATH_PARTS = 100;
const MAX_PATH = 4096;

export class Sequences {
  /** Packets that cannot be read, because those before them are missing; and gaps. */
  lost = 0;
  readonly #states = new Map<number, SequenceState>();
  #size = 0;

  /**
   * Takes what a packet says about its sequence.
   * @returns undefined if the packet refers to what is missing
   * @throws TraceError
   */
  stateOf(packet: ReadPacket, position: number): SequenceState | undefined {
    const id = Number(packet.sequenceId ?? 0);
    const flags = Number(packet.sequenceFlags ?? 0);
    let state = this.#states.get(id);
    const isCleared = (flags & SequenceFlag.StateCleared) !== 0 || packet.incrementalStateCleared === true;
    // The first packet of a sequence has this as well.
    if (packet.previousPacketDropped && state !== undefined) {
      this.lost++;
      this.#drop(state);
      state = undefined;
    }
    if (state === undefined && !isCleared && (flags & SequenceFlag.NeedsState) !== 0) {
      if (!packet.previousPacketDropped) this.lost++;
      return undefined;
    }
    if (state === undefined || isCleared) {
      if (state !== undefined) this.#drop(state);
      if (this.#states.size >= MAX_SEQUENCES) fail(position, `more than ${MAX_SEQUENCES} sequences`);
      state = new SequenceState(id);
      this.#states.set(id, state);
    }
    this.#define(state, packet, position);
    return state;
  }

  #drop(state: SequenceState): void {
    this.#size -= state.size;
    this.#states.delete(state.sequence);
  }

  #define(state: SequenceState, packet: ReadPacket, position: number): void {
    const { packetDefaults: defaults, internedData: data, threadDescriptor: thread } = packet;
    if (defaults !== undefined) {
      state.clockId = defaults.timestampClockId;
      state.defaults = defaults.trackEventDefaults;
    }
    if (thread !== undefined) {
      state.thread = thread;
      state.timeUs = BigInt(thread.referenceTimestampUs ?? 0);
    }
    if (data === undefined) return;
    const before = state.size;
    addNames(state, state.categories, data.eventCategories);
    addNames(state, state.eventNames, data.eventNames);
    addNames(state, state.annotationNames, data.debugAnnotationNames);
    const textOf = ({ iid, str }: { iid?: Integer; str?: Uint8Array }): NamedEntry => ({
      ...(iid !== undefined && { iid }),
      name: Buffer.from(str ?? []).toString(),
    });
    addNames(state, state.texts, data.debugAnnotationStringValues?.map(textOf));
    addNames(state, state.functions, data.functionNames?.map(textOf));
    addNames(state, state.mappingPaths, data.mappingPaths?.map(textOf));
    for (const { iid, pathStringIds = [] } of data.mappings ?? []) {
      const parts = pathStringIds.slice(0, MAX_PATH_PARTS).map((part) => state.mappingPaths.get(part) ?? '');
      const path = parts.map((part) => `/${part}`).join('');
      addNames(state, state.mappings, [{ ...(iid !== undefined && { iid }), name: path.slice(0, MAX_PATH) }]);
    }
    for (const frame of data.frames ?? []) {
      const named = namedFrame(state, frame);
      if (frame.iid === undefined || named === undefined) continue;
      state.size += ENTRY_SIZE + 2 * named.name.length;
      state.frames.set(frame.iid, named);
    }
    for (const { iid, frameIds = [] } of data.callstacks ?? []) {
      if (iid === undefined) continue;
      state.size += ENTRY_SIZE + 16 * frameIds.length;
      state.stacks.set(iid, frameIds);
    }
    this.#size += state.size - before;
    if (this.#size > MAX_SIZE) fail(position, `names and stacks of more than ${MAX_SIZE >> 20} MB`);
  }
}

function namedFrame(state: SequenceState, frame: InternedFrame): NamedFrame | undefined {
  const { functionNameId = 0, mappingId, relPc } = frame;
  const name = state.functions.get(functionNameId);
  const module = mappingId === undefined ? '' : (state.mappings.get(mappingId) ?? '');
  if (name) return { name, module };
  if (relPc === undefined) return undefined;
  return { name: `${module.slice(module.lastIndexOf('/') + 1)}+0x${relPc.toString(16)}`, module };
}

function addNames(state: SequenceState, names: Names, entries: readonly NamedEntry[] = []): void {
  for (const { iid, name = '' } of entries) {
    if (iid === undefined) continue;
    state.size += ENTRY_SIZE + 2 * name.length;
    names.set(iid, name);
  }
}

function fail(position: number, what: string): never {
  throw new TraceError('unsupported', position, `The trace has ${what}.`);
}
