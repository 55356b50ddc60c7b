/**
 * Opens traces of Perfetto (.pftrace), which Chromium writes as well: the events of tracks, counters and CPU samples.
 *
 * Sequences follow each other in any order in the file, so events wait until enough later ones have been read.
 */
import { inflateSync } from 'node:zlib';
import { Heap, type HeapItem } from '../../base/heap.ts';
import { READ_PACKET, type ReadPacket, TRACK_EVENT, type TrackEvent } from '../../wire/perfetto/messages.ts';
import { PacketSplitter } from '../../wire/perfetto/packet-splitter.ts';
import { MessageReader } from '../../wire/protobuf/message-reader.ts';
import { CodeMappings } from '../code-mappings.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import { RecordUnpacker } from '../perf-data/zstd.ts';
import { asTraceError, TraceError } from '../trace-error.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { OpenReader, TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import { Clocks } from './clocks.ts';
import { EventFactory, type TimedRecord } from './event-factory.ts';
import { type SequenceState, Sequences } from './sequences.ts';
import { Tracks } from './tracks.ts';

const BATCH_SIZE = 1024;
/** Events that wait for earlier ones: with more, the first is delivered. */
const MAX_WAITING = 1 << 18;
/** Their bytes. */
const MAX_WAITING_SIZE = 256 << 20;
/** Read before the trace is opened, to find its start. */
const FIRST_EVENTS = 1 << 14;
/** Of one compressed packet. Perfetto's own are below 512 KB. */
const MAX_INFLATED = 64 << 20;
const CLOCK_MONOTONIC = 3;

export const openPerfetto: OpenReader = async (source) => {
  const intake = new Intake(source.chunks());
  try {
    await intake.fill(FIRST_EVENTS);
  } catch (error) {
    // The events before the damage can be read.
    if (intake.waiting.size === 0) {
      await intake.close();
      throw asTraceError(error);
    }
    intake.problem = error;
  }
  return new PerfettoReader(intake);
};

/** Unpacked bytes. */
type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Something that happens, and waits for its turn. */
interface Waiting extends HeapItem {
  readonly record: TimedRecord;
  /** Nanoseconds since the first event in the file. */
  readonly at: number;
  /** The order in the file. */
  readonly order: number;
}

const isEarlier = (a: Waiting, b: Waiting) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Reads packets, and keeps their events in time order. */
class Intake {
  readonly progress: TraceProgress = {
    lostEvents: 0,
    lostBuffers: 0,
    lateEvents: 0,
    processNames: new Map(),
    bytesRead: 0,
    mappings: new CodeMappings(new Map(), () => 0n),
  };
  readonly clocks = new Clocks();
  readonly tracks = new Tracks(this.progress.processNames);
  readonly waiting = new Heap<Waiting>(isEarlier);
  waitingSize = 0;
  /** What ended the trace early. */
  problem: unknown;
  isAtEnd = false;
  readonly #sequences = new Sequences();
  readonly #splitter = new PacketSplitter();
  readonly #reading: AsyncGenerator<void, void>;
  #wanted = 0;
  #order = 0;
  #origin: bigint | undefined;
  #lostRecords = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#reading = this.#read(chunks);
  }

  /**
   * Reads on until so many events wait, or the trace ends.
   * @throws Fault
   */
  async fill(count: number): Promise<void> {
    this.#wanted = count;
    if (!this.#isFull) this.isAtEnd = (await this.#reading.next()).done === true;
  }

  get #isFull(): boolean {
    return this.waiting.size >= this.#wanted || this.waitingSize >= MAX_WAITING_SIZE;
  }

  add(record: TimedRecord): void {
    this.waitingSize += sizeOf(record);
    this.#origin ??= record.timeNs;
    const at = Number(record.timeNs - this.#origin);
    this.waiting.add({ record, at, order: this.#order++, heapIndex: -1 });
  }

  takeFirst(): TimedRecord | undefined {
    const { first } = this.waiting;
    if (first === undefined) return undefined;
    this.waiting.remove(first);
    this.waitingSize -= sizeOf(first.record);
    return first.record;
  }

  async close(): Promise<void> {
    await this.#reading.return();
  }

  /** Yields whenever enough events wait: a few compressed bytes can contain millions. */
  async *#read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<void, void> {
    for await (const chunk of chunks) {
      this.progress.bytesRead += chunk.length;
      for (const { bytes, position } of this.#splitter.push(chunk)) {
        const packed = this.#packet(bytes, position);
        if (packed !== undefined) yield* this.#unpack(packed, position);
        if (this.#isFull) yield;
      }
    }
    this.#splitter.end();
  }

  async *#unpack(packed: Pieces, position: number): AsyncGenerator<void, void> {
    const splitter = new PacketSplitter(position);
    for await (const piece of packed) {
      for (const { bytes } of splitter.push(piece)) {
        if (this.#packet(bytes, position) !== undefined) {
          throw new TraceError('malformed', position, 'Compressed packets are compressed again.');
        }
        if (this.#isFull) yield;
      }
    }
    splitter.end();
  }

  /** @returns the packets in it, if it contains compressed ones */
  #packet(bytes: Uint8Array, position: number): Pieces | undefined {
    const packet: ReadPacket = new MessageReader(bytes, position).message(READ_PACKET);
    const { compressedPackets: deflated, zstdCompressedPackets: zstd } = packet;
    if (zstd !== undefined) return unzstd(zstd, position);
    if (deflated !== undefined) return inflated(deflated, position);
    const state = this.#sequences.stateOf(packet, position);
    this.progress.lostEvents = this.#sequences.lost + this.#lostRecords;
    if (state !== undefined) this.#content(packet, state, position);
    return undefined;
  }

  #content(packet: ReadPacket, state: SequenceState, position: number): void {
    const { clockSnapshot, trackDescriptor, processDescriptor, trackEvent, perfSample, streamingProfile } =
      packet;
    if (clockSnapshot !== undefined) {
      this.clocks.snapshot(clockSnapshot.clocks ?? [], clockSnapshot.primaryTraceClock, state.sequence);
    }
    if (trackDescriptor !== undefined) this.tracks.describe(trackDescriptor);
    if (processDescriptor !== undefined) this.tracks.addProcess(processDescriptor);
    if (trackEvent !== undefined) {
      const timeNs = this.#timeOf(packet, state) ?? this.#olderTime(trackEvent, state, position);
      // The packet may be a small part of what is in memory.
      this.add({ timeNs, state, position, content: Buffer.from(trackEvent) });
    } else if (perfSample !== undefined) {
      this.#lostRecords += Number(perfSample.kernelRecordsLost ?? 0);
      const timeNs = this.#timeOf(packet, state);
      if (timeNs === undefined || perfSample.callstackIid === undefined) return;
      this.add({ timeNs, state, position, content: perfSample });
    } else if (streamingProfile !== undefined) this.#samples(packet, state, position);
  }

  /** Samples of the sequence's thread. */
  #samples(packet: ReadPacket, state: SequenceState, position: number): void {
    const { callstackIid: stacks = [], timestampDeltaUs: deltas = [] } = packet.streamingProfile ?? {};
    const track = state.defaults?.trackUuid;
    const place = track === undefined ? undefined : this.tracks.placeOf(this.tracks.of(track));
    const pid = place?.processId ?? state.thread?.pid;
    const tid = place?.threadId ?? state.thread?.tid;
    const start = this.#timeOf(packet, state) ?? this.#monotonic(state.timeUs);
    let timeNs = start;
    for (const [index, callstackIid] of stacks.entries()) {
      timeNs += BigInt(deltas[index] ?? 0) * 1000n;
      const content = { ...(pid !== undefined && { pid }), ...(tid !== undefined && { tid }), callstackIid };
      this.add({ timeNs, state, position, content });
    }
    if (packet.timestamp === undefined) state.timeUs += (timeNs - start) / 1000n;
  }

  #timeOf(
    { timestamp, timestampClockId }: ReadPacket,
    { clockId, sequence }: SequenceState,
  ): bigint | undefined {
    if (timestamp === undefined) return undefined;
    return this.clocks.time(timestamp, timestampClockId ?? clockId, sequence);
  }

  /** Events used to have their times themselves. */
  #olderTime(bytes: Uint8Array, state: SequenceState, position: number): bigint {
    const event: TrackEvent = new MessageReader(bytes, position).message(TRACK_EVENT);
    if (event.timestampAbsoluteUs !== undefined) return this.#monotonic(BigInt(event.timestampAbsoluteUs));
    state.timeUs += BigInt(event.timestampDeltaUs ?? 0);
    return this.#monotonic(state.timeUs);
  }

  #monotonic(us: bigint): bigint {
    return this.clocks.time(us * 1000n, CLOCK_MONOTONIC, 0);
  }
}

class PerfettoReader implements TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  readonly #intake: Intake;
  readonly #events: EventFactory;
  readonly #decoded = new DecodedPayloads();
  #last: bigint | undefined;

  constructor(intake: Intake) {
    const { clocks, waiting, progress, tracks } = intake;
    const wallOffset = clocks.wallOffset ?? 0n;
    const startTime = (clocks.start ?? waiting.first?.record.timeNs ?? 0n) + wallOffset;
    this.info = {
      format: 'perfetto',
      startTime,
      hasWallTime: clocks.wallOffset !== undefined,
      pointerSize: 8,
      properties: {},
    };
    this.progress = progress;
    this.#intake = intake;
    const trace = { startTime, wallOffset, decoded: this.#decoded };
    this.#events = new EventFactory(trace, tracks, progress.mappings as CodeMappings);
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    const intake = this.#intake;
    try {
      while (!intake.isAtEnd && intake.problem === undefined) {
        await intake.fill(MAX_WAITING).catch((error: unknown) => {
          intake.problem = error;
        });
        if (intake.isAtEnd || intake.problem !== undefined) break;
        // Half of them may still be waiting for earlier ones.
        yield* this.#batches(MAX_WAITING / 2, MAX_WAITING_SIZE / 2);
      }
      yield* this.#batches(0, 0);
      if (intake.problem !== undefined) throw asTraceError(intake.problem);
    } finally {
      await intake.close();
    }
  }

  /** Events, until so many still wait, with so many bytes. */
  *#batches(left: number, leftSize: number): Generator<readonly TraceEvent[]> {
    const intake = this.#intake;
    const hasMore = () => intake.waiting.size > left || intake.waitingSize > leftSize;
    while (hasMore()) {
      this.#decoded.startBatch();
      const batch: TraceEvent[] = [];
      while (batch.length < BATCH_SIZE && hasMore()) {
        const record = intake.takeFirst() as TimedRecord;
        if (this.#last !== undefined && record.timeNs < this.#last) {
          this.progress.lateEvents = (this.progress.lateEvents ?? 0) + 1;
        } else this.#last = record.timeNs;
        const event = this.#eventOf(record);
        if (event !== undefined) batch.push(event);
      }
      if (batch.length > 0) yield batch;
    }
  }

  #eventOf(record: TimedRecord): TraceEvent | undefined {
    try {
      return this.#events.eventOf(record, (end) => this.#intake.add(end));
    } catch (error) {
      // Later events do not depend on a damaged one.
      this.#intake.problem ??= error;
      return undefined;
    }
  }
}

function sizeOf({ content }: TimedRecord): number {
  return content instanceof Uint8Array ? content.length : 0;
}

function* inflated(bytes: Uint8Array, position: number): Generator<Uint8Array, void> {
  try {
    yield inflateSync(bytes, { maxOutputLength: MAX_INFLATED });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TraceError('malformed', position, `The packets cannot be decompressed: ${reason}.`, {
      cause: error,
    });
  }
}

async function* unzstd(bytes: Uint8Array, position: number): AsyncGenerator<Uint8Array> {
  const unpacker = new RecordUnpacker();
  try {
    let size = 0;
    for await (const piece of unpacker.unpack(bytes, position)) {
      size += piece.length;
      if (size > MAX_INFLATED)
        throw new TraceError('unsupported', position, 'Compressed packets are too large.');
      yield piece;
    }
  } finally {
    unpacker.close();
  }
}
