/**
 * Takes the packets of a Perfetto trace apart: what they say about clocks, sequences, tracks and processes is kept, what
 * happens goes on with its time. A damaged packet is counted, and the packets after it are read.
 */

import { inflateSync } from 'node:zlib';
import { thrownMessage } from '../../base/value-text.ts';
import {
  PACKETS_WITHOUT_EVENTS,
  READ_PACKET,
  type ReadPacket,
  SampleSkipReason,
  SCANNED_PACKET,
  TRACK_EVENT,
  type TrackEvent,
  UNREAD_PACKETS,
} from '../../wire/perfetto/messages.ts';
import { PacketSplitter } from '../../wire/perfetto/packet-splitter.ts';
import type { Message } from '../../wire/protobuf/message.ts';
import { MessageReader } from '../../wire/protobuf/message-reader.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { RecordUnpacker } from '../source/zstd-records.ts';
import { Clocks } from './clocks.ts';
import type { TimedRecord } from './event-factory.ts';
import { type SequenceState, Sequences } from './sequences.ts';
import { Tracks } from './tracks.ts';

/** Limits the bytes of one compressed packet. Perfetto's own are below 512 KB. */
const MAX_INFLATED = 64 << 20;
const CLOCK_MONOTONIC = 3;

/** Unpacked bytes. */
type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Takes what happens, in the order of the file. */
export interface RecordSink {
  /** Whether to pause. */
  readonly isFull: boolean;
  /** @param record whose bytes may be a small part of what is in memory */
  add(record: TimedRecord): void;
}

export class PacketIntake {
  readonly clocks = new Clocks();
  readonly tracks: Tracks;
  /** What is in the trace, but is none of its events: how many of what. */
  readonly unread = new Map<string, number>();
  bytesRead = 0;
  /** Where the packet is that is being read, in the trace. */
  position = 0;
  readonly #sink: RecordSink;
  readonly #fields: Message;
  readonly #sequences = new Sequences();
  #lostRecords = 0;

  /** @param isScan whether only times matter: names are skipped */
  constructor(sink: RecordSink, processNames: Map<number, string>, isScan = false) {
    this.#sink = sink;
    this.tracks = new Tracks(processNames);
    this.#fields = isScan ? SCANNED_PACKET : READ_PACKET;
  }

  get lostEvents(): number {
    return this.#sequences.lost + this.#lostRecords;
  }

  addUnread(what: string): void {
    this.unread.set(what, (this.unread.get(what) ?? 0) + 1);
  }

  /**
   * Yields after each chunk, and whenever the sink is full: a few compressed bytes can contain millions of events.
   * @throws TraceError
   */
  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<void, void> {
    const splitter = new PacketSplitter();
    for await (const chunk of chunks) {
      this.bytesRead += chunk.length;
      for (const { bytes, position } of splitter.push(chunk)) {
        this.position = position;
        const packed = this.#packet(bytes);
        if (packed !== undefined) yield* this.#unpack(packed);
        if (this.#sink.isFull) yield;
      }
      yield;
    }
    splitter.end();
  }

  async *#unpack(packed: Pieces): AsyncGenerator<void, void> {
    const splitter = new PacketSplitter(this.position);
    try {
      for await (const piece of packed) {
        for (const { bytes } of splitter.push(piece)) {
          if (this.#packet(bytes) !== undefined) {
            throw new TraceError('unsupported', this.position, 'Compressed packets are compressed again.');
          }
          if (this.#sink.isFull) yield;
        }
      }
      splitter.end();
    } catch (error) {
      this.#countDamage(error);
    }
  }

  /** @returns the packets in it, if it contains compressed ones */
  #packet(bytes: Uint8Array): Pieces | undefined {
    try {
      return this.#read(bytes);
    } catch (error) {
      this.#countDamage(error);
      return undefined;
    }
  }

  /** @throws what is no damage of one packet */
  #countDamage(error: unknown): void {
    if (!(error instanceof TraceError) || error.code === 'unsupported') throw error;
    this.addUnread('damaged packet');
  }

  #read(bytes: Uint8Array): Pieces | undefined {
    const reader = new PacketReader(bytes, this.position);
    const packet: ReadPacket = reader.message(this.#fields);
    const { compressedPackets: deflated, zstdCompressedPackets: zstd } = packet;
    if (zstd !== undefined) return unzstd(zstd, this.position);
    if (deflated !== undefined) return inflated(deflated, this.position);
    if (reader.unread !== undefined) this.addUnread(reader.unread);
    const state = this.#sequences.stateOf(packet, this.position);
    if (state !== undefined) this.#content(packet, state);
    return undefined;
  }

  #content(packet: ReadPacket, state: SequenceState): void {
    const { clockSnapshot, trackDescriptor, processDescriptor, processTree } = packet;
    const { trackEvent, perfSample, streamingProfile } = packet;
    const { position } = this;
    if (clockSnapshot !== undefined) {
      this.clocks.snapshot(clockSnapshot.clocks ?? [], clockSnapshot.primaryTraceClock, state.sequence);
    }
    if (trackDescriptor !== undefined) this.tracks.describe(trackDescriptor);
    if (processDescriptor !== undefined) this.tracks.addProcess(processDescriptor);
    for (const process of processTree?.processes ?? []) this.tracks.addProcess(process);
    if (trackEvent !== undefined) {
      const timeNs = this.#timeOf(packet, state) ?? this.#olderTime(trackEvent, state);
      this.#sink.add({ timeNs, state, position, content: trackEvent });
    } else if (perfSample !== undefined) {
      const { kernelRecordsLost = 0, sampleSkippedReason, producerEvent } = perfSample;
      this.#lostRecords += Number(kernelRecordsLost);
      const timeNs = this.#timeOf(packet, state);
      if (sampleSkippedReason !== undefined) {
        const isOther = Number(sampleSkippedReason) === SampleSkipReason.NotInScope;
        this.addUnread(isOther ? 'out-of-scope CPU sample' : 'skipped CPU sample');
      } else if (timeNs !== undefined && producerEvent === undefined && perfSample.pid !== undefined) {
        this.#sink.add({ timeNs, state, position, content: perfSample });
      }
    } else if (streamingProfile !== undefined) this.#samples(packet, state);
  }

  /** Samples of the sequence's thread. */
  #samples(packet: ReadPacket, state: SequenceState): void {
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
      this.#sink.add({ timeNs, state, position: this.position, content });
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
  #olderTime(bytes: Uint8Array, state: SequenceState): bigint {
    const event: TrackEvent = new MessageReader(bytes, this.position).message(TRACK_EVENT);
    if (event.timestampAbsoluteUs !== undefined) return this.#monotonic(BigInt(event.timestampAbsoluteUs));
    state.timeUs += BigInt(event.timestampDeltaUs ?? 0);
    return this.#monotonic(state.timeUs);
  }

  #monotonic(us: bigint): bigint {
    return this.clocks.time(us * 1000n, CLOCK_MONOTONIC, 0);
  }
}

/** Notices what a packet contains that is not read here. */
class PacketReader extends MessageReader {
  unread: string | undefined = undefined;

  protected override unknownField(number: number): void {
    if (!PACKETS_WITHOUT_EVENTS.has(number)) this.unread ??= UNREAD_PACKETS.get(number) ?? 'other packet';
  }
}

function* inflated(bytes: Uint8Array, position: number): Generator<Uint8Array, void> {
  try {
    yield inflateSync(bytes, { maxOutputLength: MAX_INFLATED });
  } catch (error) {
    const reason = thrownMessage(error);
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
