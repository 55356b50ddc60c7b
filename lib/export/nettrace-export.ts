/**
 * A trace of any format as a nettrace. The contents of a nettrace are copied unchanged; payloads of other formats get
 * new descriptions, derived from their values.
 */
import { NetTraceEvent } from '../trace/nettrace/nettrace-event.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { type GuidWords, guidWords } from '../wire/guid.ts';
import { FormatVersion } from '../wire/nettrace/constants.ts';
import type { NetTraceThread } from '../wire/nettrace/event.ts';
import type { LabelList } from '../wire/nettrace/labels.ts';
import { NetTraceWriter } from '../wire/nettrace/write/nettrace-writer.ts';
import type {
  ThreadHandle,
  WrittenLabels,
  WrittenTrace,
  WrittenVersion,
} from '../wire/nettrace/write/trace-parts.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { NetTraceKinds } from './nettrace-kinds.ts';

/** Bytes of events between two sequence points, after which readers forget stacks and labels. */
const FLUSH_SIZE = 1 << 18;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

export class NetTraceExport implements Exporter {
  readonly notices: string[] = [];
  readonly #writer: NetTraceWriter;
  readonly #version: WrittenVersion;
  readonly #kinds: NetTraceKinds;
  readonly #threads = new Map<string, ThreadHandle>();
  readonly #wireThreads = new WeakMap<NetTraceThread, ThreadHandle>();
  readonly #processIds = new Set<number | undefined>();
  readonly #activityIds = new LastGuid();
  readonly #relatedIds = new LastGuid();
  #lastThread: ThreadHandle | undefined;

  constructor(version: WrittenVersion, trace: ExportedTrace) {
    this.#version = version;
    this.#writer = new NetTraceWriter(version, writtenTrace(trace));
    this.#kinds = new NetTraceKinds(this.#writer, version);
  }

  add(event: TraceEvent): void {
    const { metadataId, payload } = this.#kinds.of(event);
    const thread = this.#threadOf(event);
    this.#lastThread = thread;
    this.#processIds.add(event.processId);
    this.#writer.write({
      metadataId,
      thread,
      ticks: event.timestamp,
      processor: event.processor,
      activityId: this.#activityIds.of(event.activityId),
      relatedActivityId: this.#relatedIds.of(event.relatedActivityId),
      labels: labelsOf(event),
      stack: event.stack,
      payload,
    });
  }

  get isFull(): boolean {
    return this.#writer.pendingBytes >= FLUSH_SIZE;
  }

  take(): Uint8Array {
    return this.#writer.flush();
  }

  end({ lostEvents }: ExportedEnd): readonly Uint8Array[] {
    // Readers notice lost events as a gap in the numbers of some thread; any thread will do.
    if (lostEvents > 0) this.#writer.drop(this.#lastThread ?? this.#writer.thread({}), lostEvents);
    if (this.#version === FormatVersion.V4 && this.#processIds.size > 1) {
      const count = this.#processIds.size;
      this.notices.push(
        `The events are from ${count} processes, which version 4 cannot distinguish: use version 6.`,
      );
    }
    if (this.#kinds.partlyKept > 0) {
      this.notices.push(
        `The payloads of ${this.#kinds.partlyKept} events could be read only in part: the rest is omitted.`,
      );
    }
    return [this.#writer.end()];
  }

  #threadOf(event: TraceEvent): ThreadHandle {
    if (event instanceof NetTraceEvent) {
      const { thread } = event.wire;
      let handle = this.#wireThreads.get(thread);
      if (handle === undefined) {
        handle = this.#writer.thread(thread);
        this.#wireThreads.set(thread, handle);
      }
      return handle;
    }
    const { processId, threadId } = event;
    const key = `${processId} ${threadId}`;
    let handle = this.#threads.get(key);
    if (handle === undefined) {
      handle = this.#writer.thread({ processId, threadId });
      this.#threads.set(key, handle);
    }
    return handle;
  }
}

/** Parses GUID text to words; the same GUID often repeats. */
class LastGuid {
  #text: string | undefined;
  #words: GuidWords | undefined;

  of(text: string | undefined): GuidWords | undefined {
    if (text !== this.#text) {
      this.#text = text;
      this.#words = text === undefined ? undefined : guidWords(text);
    }
    return this.#words;
  }
}

/** The clock counts the events' times, in nanoseconds since 1970. The trace's start has only milliseconds. */
function writtenTrace({ info }: ExportedTrace): WrittenTrace {
  const { startTime, pointerSize, processId, processors } = info;
  const startTimeMs = startTime > 0n ? startTime / NS_PER_MS : 0n;
  const { ProcessId: _, HardwareThreadCount: __, ExpectedCPUSamplingRate, ...properties } = info.properties;
  const interval = Number(ExpectedCPUSamplingRate);
  return {
    startTimeMs: Number(startTimeMs),
    syncTicks: startTimeMs * NS_PER_MS,
    ticksPerSecond: NS_PER_SECOND,
    pointerSize: pointerSize === 4 ? 4 : 8,
    processId,
    processors,
    samplingInterval: interval > 0 ? interval : undefined,
    properties: Object.entries(properties),
  };
}

function labelsOf(event: TraceEvent): WrittenLabels | undefined {
  if (event instanceof NetTraceEvent) return event.wire.labels && furtherLabels(event.wire.labels);
  const { labels } = event;
  return labels && { pairs: Object.entries(labels) };
}

/** Omits level, keywords and the like, which the written metadata contains. */
function furtherLabels({ traceId, spanId, pairs }: LabelList): WrittenLabels | undefined {
  const isEmpty = traceId === undefined && spanId === undefined && pairs.size === 0;
  return isEmpty ? undefined : { traceId, spanId, pairs };
}
