/** The events of an .etl, or of the files of one recording, in time order. */

import { EtlClock, nanosecondsOf } from '../../wire/etl/clock.ts';
import { ClockType } from '../../wire/etl/constants.ts';
import { isLogFileHeader } from '../../wire/etl/log-file-header.ts';
import { processIdOf, threadIdOf } from '../../wire/etl/record.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import { timeText } from '../time-text.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import { BufferFile } from './buffer-file.ts';
import type { EventDescriptions } from './descriptions.ts';
import { EtlEvent, type EtlTrace } from './etl-event.ts';
import { EventDescriber } from './event-describer.ts';
import { type EtlFile, type EtlIndex, readIndex } from './index-pass.ts';
import { isKernelRecord, KernelState } from './kernel-state.ts';
import type { MessageDescriptions } from './message-descriptions.ts';
import { StackDefinitions } from './stack-definitions.ts';
import { StackWalks } from './stack-walks.ts';
import { BufferRun, TimeMerge } from './time-merge.ts';

const BATCH_SIZE = 2048;
/**
 * The maximum size of the buffers in memory, in bytes. Real traces have a few per processor; only a crafted file has
 * more.
 */
const MAX_OVERLAP = 1 << 30;

export class EtlReader implements TraceReader {
  readonly info: TraceInfo;
  readonly progress: TraceProgress;
  readonly #files: readonly EtlFile[];
  readonly #clock: EtlClock;
  readonly #descriptions: EventDescriptions;
  readonly #messages: MessageDescriptions;
  readonly #kernel: KernelState;

  /** @param files the time of the first one is that of the events */
  constructor(
    files: readonly [EtlFile, ...EtlFile[]],
    descriptions: EventDescriptions,
    messages: MessageDescriptions,
  ) {
    this.#files = files;
    this.#clock = new EtlClock(files[0].header);
    this.info = traceInfoOf(files, this.#clock);
    this.progress = {
      lostEvents: files.reduce((sum, { header }) => sum + header.eventsLost, 0),
      lostBuffers: files.reduce((sum, { header }) => sum + header.buffersLost, 0),
      processNames: new Map(),
      bytesRead: 0,
    };
    this.#descriptions = descriptions;
    this.#messages = messages;
    this.#kernel = new KernelState(this.progress.processNames);
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    try {
      const stacks = new StackDefinitions();
      const learned = { descriptions: this.#descriptions, kernel: this.#kernel, stacks };
      const index = await readIndex(this.#files, this.#clock, learned);
      this.#countLosses(index);
      const walks = new StackWalks(stacks);
      if (stacks.isUsed) this.progress.stacks = walks.counts;
      yield* this.#merged(index, walks);
      this.progress.bytesRead = this.#files.reduce((sum, { bytes }) => sum + bytes.size, 0);
      if (index.problem !== undefined) throw index.problem;
    } finally {
      await Promise.all(this.#files.map(({ bytes }) => bytes.close()));
    }
  }

  /** The header of an unclosed file counts nothing, but buffers say that something is missing. */
  #countLosses({ withLostEvents, withLostBuffers }: EtlIndex): void {
    this.progress.lostEvents = Math.max(this.progress.lostEvents, withLostEvents);
    this.progress.lostBuffers = Math.max(this.progress.lostBuffers, withLostBuffers);
  }

  async *#merged(
    { buffers, kept }: EtlIndex,
    walks: StackWalks,
  ): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    const trace: EtlTrace = {
      clock: this.#clock,
      startTime: this.info.startTime,
      describer: new EventDescriber(this.#descriptions, this.#messages),
      decoded: new DecodedPayloads(),
    };
    const files = this.#files.map(({ bytes, header }) => new BufferFile(bytes, header));
    const merge = new TimeMerge(buffers);
    let overlap = 0;
    const full = walks.heldBack + BATCH_SIZE;
    let held: EtlEvent[] = [];
    for (;;) {
      for (let due = merge.due; due !== undefined; due = merge.due) {
        const file = files[due.file] as BufferFile;
        const buffer = kept.take(due.index) ?? (await file.read(due.position, due.size));
        overlap += buffer.bytes.length;
        if (overlap > MAX_OVERLAP) throw tooMuchOverlap(due.position);
        this.progress.bytesRead += due.size;
        merge.add(new BufferRun(buffer, due));
      }
      const run = merge.current;
      if (run === undefined) break;
      const { cursor } = run;
      if (!isLogFileHeader(cursor.buffer, cursor.offset)) {
        const event = this.#eventAt(trace, cursor);
        walks.take(event, held, run.start);
        held.push(event);
      }
      const drained = merge.advance();
      if (drained !== undefined) overlap -= drained.cursor.buffer.bytes.length;
      if (held.length === full) {
        trace.decoded.startBatch();
        walks.deliveredBefore(held[BATCH_SIZE]);
        yield held.slice(0, BATCH_SIZE);
        held = held.slice(BATCH_SIZE);
      }
    }
    walks.deliveredBefore(undefined);
    while (held.length > 0) {
      trace.decoded.startBatch();
      yield held.splice(0, BATCH_SIZE);
    }
  }

  #eventAt(trace: EtlTrace, cursor: BufferRun['cursor']): EtlEvent {
    if (!isKernelRecord(cursor.layout)) {
      if (cursor.layout === Layout.Message && this.#messages.at(cursor) === undefined)
        this.progress.undescribedMessages = (this.progress.undescribedMessages ?? 0) + 1;
      return new EtlEvent(trace, cursor, cursor.ticks, threadIdOf(cursor), processIdOf(cursor));
    }
    this.#kernel.observe(cursor);
    return new EtlEvent(trace, cursor, cursor.ticks, this.#kernel.threadId, this.#kernel.processId);
  }
}

function tooMuchOverlap(position: number): TraceError {
  const message = `More than ${MAX_OVERLAP >> 20} MB of buffers overlap in time, which is not supported.`;
  return new TraceError('unsupported', position, message);
}

const CLOCK_NAMES: ReadonlyMap<number, string> = new Map([
  [ClockType.PerformanceCounter, 'performance counter'],
  [ClockType.SystemTime, 'system time'],
  [ClockType.CpuCycles, 'CPU cycles'],
]);

/** What the files say about themselves in their headers. */
function traceInfoOf(files: readonly [EtlFile, ...EtlFile[]], clock: EtlClock): TraceInfo {
  const headers = files.map(({ header }) => header);
  const [{ header }] = files;
  const [endTime = 0n] = headers.map((each) => each.endTime).sort((a, b) => (a > b ? -1 : 1));
  const [startTime = 0n] = headers
    .map((each) => (each === header ? clock.startTime : clock.startTimeOf(each)))
    .sort((a, b) => (a < b ? -1 : 1));
  const namesOf = (key: 'loggerName' | 'logFileName') => headers.map((each) => each[key]).join(', ');
  return {
    format: 'etl',
    startTime,
    ...(endTime > 0n ? { endTime: nanosecondsOf(endTime) } : {}),
    hasWallTime: true,
    pointerSize: header.pointerSize,
    processors: Math.max(...headers.map(({ processors }) => processors)),
    properties: {
      loggerName: namesOf('loggerName'),
      logFileName: namesOf('logFileName'),
      osVersion: `${header.osMajorVersion}.${header.osMinorVersion}.${header.osBuild}`,
      mode: `0x${header.mode.toString(16)}`,
      bufferSize: String(header.bufferSize),
      buffersWritten: String(headers.reduce((sum, each) => sum + each.buffersWritten, 0)),
      cpuMHz: String(header.cpuMHz),
      clock: CLOCK_NAMES.get(header.clockType) ?? String(header.clockType),
      clockFrequency: String(header.performanceFrequency),
      timerResolution: String(header.timerResolution),
      bootTime: timeText(nanosecondsOf(header.bootTime)),
      timeZoneBiasMinutes: String(header.timeZoneBiasMinutes),
    },
  };
}
