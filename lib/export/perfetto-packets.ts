/** The packets of a Perfetto trace, with names that are written once and tracks that are described when first used. */
import {
  Clock,
  EXPORTER,
  type NamedEntry,
  PACKET_FIELD,
  type Packet,
  SequenceFlag,
  TRACE_TRACK,
  WRITTEN_PACKET,
} from '../wire/perfetto/messages.ts';
import { MessageWriter } from '../wire/protobuf/message-writer.ts';
import { PIECE_SIZE } from './exporter.ts';

/** Names of one kind; others are written out each time. */
const MAX_NAMES = 10_000;

/** The events of a trace. CPU samples follow at the end, with names of their own. */
const EVENTS = 1;
const SAMPLES = 2;

type TrackDescription = Omit<NonNullable<Packet['trackDescriptor']>, 'uuid'>;

export class PerfettoPackets {
  readonly #writer = new MessageWriter();
  readonly #tracks = new Map<string, number>();
  /** Added to times. */
  readonly #startNs: bigint | undefined;
  readonly #started = new Set<number>();

  /** @param hasWallTime whether times start at 0, and the start is wall-clock time */
  constructor(startTime: bigint, hasWallTime: boolean) {
    this.#startNs = hasWallTime ? undefined : startTime;
    const clocks = [
      { clockId: Clock.BootTime, timestamp: 0 },
      { clockId: Clock.RealTime, timestamp: startTime },
    ];
    this.describe(TRACE_TRACK, { name: EXPORTER });
    if (hasWallTime) this.#write(EVENTS, { clockSnapshot: { clocks } });
  }

  /** @param atNs since the start of the trace */
  event(atNs: number, packet: Packet): void {
    this.#write(EVENTS, packet, this.#time(atNs));
  }

  sample(atNs: number, packet: Packet): void {
    this.#write(SAMPLES, packet, this.#time(atNs));
  }

  /** @returns the number of the track, which is described the first time */
  track(key: string, describe: () => TrackDescription): number {
    const known = this.#tracks.get(key);
    if (known !== undefined) return known;
    const description = describe();
    const uuid = this.#tracks.size + 1;
    this.#tracks.set(key, uuid);
    this.describe(uuid, description);
    return uuid;
  }

  /** Describes it, or describes it again. */
  describe(uuid: number, description: TrackDescription): void {
    this.#write(EVENTS, { trackDescriptor: { uuid, ...description } });
  }

  get isFull(): boolean {
    return this.#writer.length >= PIECE_SIZE;
  }

  take(): Uint8Array {
    const piece = this.#writer.copy();
    this.#writer.length = 0;
    return piece;
  }

  #time(atNs: number): number | bigint {
    const ns = Math.max(0, atNs);
    return this.#startNs === undefined ? ns : this.#startNs + BigInt(ns);
  }

  #write(sequenceId: number, packet: Packet, timestamp?: number | bigint): void {
    const sequenceFlags = this.#started.has(sequenceId) ? SequenceFlag.NeedsState : SequenceFlag.StateCleared;
    this.#started.add(sequenceId);
    const { internedData, trackEvent, perfSample, trackDescriptor, clockSnapshot } = packet;
    // Named instead of spread: that takes twice as long.
    this.#writer.field(PACKET_FIELD, writtenPacket, {
      timestamp,
      internedData,
      trackEvent,
      perfSample,
      trackDescriptor,
      clockSnapshot,
      sequenceId,
      sequenceFlags,
    });
  }
}

const writtenPacket = () => WRITTEN_PACKET;

/** Names of one kind, which get a number when they are first used. */
export class InternedNames {
  readonly #numbers = new Map<string, number>();
  #added: NamedEntry[] = [];

  /** Returns undefined if there are too many. */
  numberOf(name: string): number | undefined {
    const known = this.#numbers.get(name);
    if (known !== undefined || this.#numbers.size >= MAX_NAMES) return known;
    const iid = this.#numbers.size + 1;
    this.#numbers.set(name, iid);
    this.#added.push({ iid, name });
    return iid;
  }

  /** Returns the entries that have not been written yet. */
  takeAdded(): readonly NamedEntry[] | undefined {
    if (this.#added.length === 0) return undefined;
    const added = this.#added;
    this.#added = [];
    return added;
  }
}
