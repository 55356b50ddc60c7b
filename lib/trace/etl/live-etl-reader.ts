/**
 * The events of an ETW session that is still running, from a stream of buffers: see wire/etl/live-header.ts. Each is
 * delivered once a mark says that no earlier one follows.
 */

import { viewOf } from '../../base/bytes.ts';
import { type EtlBuffer, openBuffer } from '../../wire/etl/buffer.ts';
import { readBufferHeader } from '../../wire/etl/buffer-header.ts';
import { EtlClock, nanosecondsOf } from '../../wire/etl/clock.ts';
import { BUFFER_HEADER_SIZE } from '../../wire/etl/constants.ts';
import { liveMarkOf } from '../../wire/etl/live-header.ts';
import { type LogFileHeader, readLogFileHeader } from '../../wire/etl/log-file-header.ts';
import { guidAt, opcodeOf, processIdOf, providerGuidOffset, threadIdOf } from '../../wire/etl/record.ts';
import { RecordCursor } from '../../wire/etl/record-cursor.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import type { ManifestAssembly } from '../../wire/manifest/in-band.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { OpenedSource } from '../byte-source.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import type { EventDescriptions } from './descriptions.ts';
import { EtlEvent, type EtlTrace } from './etl-event.ts';
import type { EventDescriber } from './event-describer.ts';
import { gatherDescriptions } from './index-pass.ts';

const BATCH_SIZE = 2048;
/** How many events wait for a mark. A stream without marks must not fill the memory. */
const MAX_WAITING = 1 << 18;

/** RT_LostEvent: what ETW tells a consumer that is too slow. Source: Microsoft's documentation of that class. */
const LOST_EVENT_GUID = '6a399ae0-4bc6-4de9-870b-3657f8947e7e';
const LOST_EVENT_FIRST_WORD = 0x6a399ae0;
const LOST_EVENT = 32;

interface Descriptions {
  readonly descriptions: EventDescriptions;
  readonly describer: EventDescriber;
}

class LiveEtlReader implements TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  readonly #source: OpenedSource;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #clock: EtlClock;
  readonly #start: bigint;
  readonly #descriptions: EventDescriptions;
  /** Assembles manifests, whose parts can come in several buffers. */
  readonly #assemblies = new Map<string, ManifestAssembly>();
  readonly #trace: EtlTrace;
  #rest: Uint8Array;
  /** The buffer at the start of the rest: its position in the stream. */
  #position = 0;
  #waiting: EtlEvent[] = [];
  #deliveredUntil = Number.NEGATIVE_INFINITY;
  /** Both count losses as far as events say so. */
  #lostEvents = 0;
  #lostBuffers = 0;

  /**
   * @param rest what has been read of the chunks
   * @param header the first thing in there
   */
  constructor(
    source: OpenedSource,
    chunks: AsyncIterator<Uint8Array>,
    rest: Uint8Array,
    header: LogFileHeader,
    { descriptions, describer }: Descriptions,
  ) {
    this.info = infoOf(header);
    this.progress = { lostEvents: 0, lostBuffers: 0, lateEvents: 0, processNames: new Map(), bytesRead: 0 };
    this.#source = source;
    this.#chunks = chunks;
    this.#rest = rest;
    this.#clock = new EtlClock(header);
    this.#start = header.rawTime;
    this.#descriptions = descriptions;
    this.#trace = {
      clock: this.#clock,
      startTime: this.info.startTime,
      describer,
      decoded: new DecodedPayloads(),
    };
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    try {
      for (;;) {
        for (let buffer = this.#nextBuffer(); buffer !== undefined; buffer = this.#nextBuffer()) {
          const mark = this.#take(buffer);
          if (mark !== undefined) yield* this.#release(mark);
          else if (this.#waiting.length > MAX_WAITING) yield* this.#release(Number.POSITIVE_INFINITY);
        }
        const { done, value } = await this.#chunks.next();
        if (done === true) break;
        this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
      }
      yield* this.#release(Number.POSITIVE_INFINITY);
      if (this.#rest.length > 0) throw endsInside(this.#position, this.#rest);
    } catch (error) {
      yield* this.#release(Number.POSITIVE_INFINITY);
      throw error;
    } finally {
      await this.#chunks.return?.();
      await this.#source.close();
    }
  }

  /** @throws TraceError if there cannot be one */
  #nextBuffer(): EtlBuffer | undefined {
    const bytes = this.#rest;
    if (bytes.length < BUFFER_HEADER_SIZE) return undefined;
    const { size } = readBufferHeader(viewOf(bytes), this.#position);
    if (bytes.length < size) return undefined;
    const buffer = openBuffer(bytes.subarray(0, size), this.#position);
    this.#rest = bytes.subarray(size);
    this.#position += size;
    this.progress.bytesRead = this.#position;
    return buffer;
  }

  /** Takes the events of a buffer. @returns the mark in ticks, if it has one instead */
  #take(buffer: EtlBuffer): number | undefined {
    const mark = liveMarkOf(buffer.bytes);
    const cursor = new RecordCursor(buffer, this.#clock.start);
    if (mark !== undefined) {
      if (cursor.next()) this.#countLosses(readLogFileHeader(cursor));
      return Number(mark - this.#start);
    }
    while (cursor.next()) {
      if (this.#isLoss(cursor)) continue;
      gatherDescriptions(cursor, this.#descriptions);
      this.#waiting.push(
        new EtlEvent(this.#trace, cursor, cursor.ticks, threadIdOf(cursor), processIdOf(cursor)),
      );
    }
    if (cursor.problem !== undefined) throw cursor.problem;
    return undefined;
  }

  *#release(mark: number): Generator<readonly TraceEvent[]> {
    const all = this.#waiting.sort((a, b) => a.ticks - b.ticks);
    const end = endOf(all, mark);
    if (end === 0) return;
    this.#waiting = all.slice(end);
    this.#learn();
    for (let start = 0; start < end; start += BATCH_SIZE) {
      const batch = all.slice(start, Math.min(end, start + BATCH_SIZE));
      for (const event of batch) this.#countLate(event);
      this.#trace.decoded.startBatch();
      yield batch;
    }
  }

  #countLate({ ticks }: EtlEvent): void {
    if (ticks < this.#deliveredUntil) this.progress.lateEvents = (this.progress.lateEvents ?? 0) + 1;
    else this.#deliveredUntil = ticks;
  }

  /** What describes events comes before them, and changes the names of those that follow. */
  #learn(): void {
    if (!this.#descriptions.finishManifests(this.#assemblies)) return;
    this.#trace.describer.forget();
  }

  /** Both count the same losses: the session all of them, events only that there are some. */
  #countLosses({ eventsLost, buffersLost }: Pick<LogFileHeader, 'eventsLost' | 'buffersLost'>): void {
    this.progress.lostEvents = Math.max(this.progress.lostEvents, eventsLost, this.#lostEvents);
    this.progress.lostBuffers = Math.max(this.progress.lostBuffers, buffersLost, this.#lostBuffers);
  }

  #isLoss(record: RecordCursor): boolean {
    if (record.layout !== Layout.Classic) return false;
    const at = providerGuidOffset(record);
    if (record.buffer.view.getUint32(at, true) !== LOST_EVENT_FIRST_WORD) return false;
    if (guidAt(record, at) !== LOST_EVENT_GUID) return false;
    if (opcodeOf(record) === LOST_EVENT) this.#lostEvents++;
    else this.#lostBuffers++;
    this.#countLosses({ eventsLost: 0, buffersLost: 0 });
    return true;
  }
}

/** Opens the stream when its first buffer is there. @throws TraceError */
export async function openLiveEtl(source: OpenedSource, descriptions: Descriptions): Promise<LiveEtlReader> {
  const chunks = source.chunks()[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  for (;;) {
    const size = head.length < BUFFER_HEADER_SIZE ? undefined : readBufferHeader(viewOf(head), 0).size;
    if (size !== undefined && head.length >= size) break;
    const { done, value } = await chunks.next();
    if (done === true) throw endsInside(0, head);
    head = Buffer.concat([head, value]);
  }
  const cursor = new RecordCursor(openBuffer(head, 0), { high: 0, low: 0 });
  if (!cursor.next())
    throw cursor.problem ?? new TraceError('malformed', 0, 'The first buffer has no records.');
  return new LiveEtlReader(source, chunks, head, readLogFileHeader(cursor), descriptions);
}

function infoOf(header: LogFileHeader): TraceInfo {
  return {
    format: 'etl',
    startTime: nanosecondsOf(header.startTime),
    hasWallTime: true,
    pointerSize: header.pointerSize,
    processors: header.processors,
    properties: {
      osVersion: `${header.osMajorVersion}.${header.osMinorVersion}.${header.osBuild}`,
      mode: `0x${header.mode.toString(16)}`,
    },
  };
}

function endsInside(position: number, { length }: Uint8Array): TraceError {
  return new TraceError(
    'truncated',
    position,
    `The stream ends inside a buffer, after ${length} bytes of it.`,
  );
}

/** How many of the events are not after the mark. */
function endOf(events: readonly EtlEvent[], mark: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle] as EtlEvent).ticks <= mark) low = middle + 1;
    else high = middle;
  }
  return low;
}
