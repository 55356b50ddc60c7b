/** The events of an opened nettrace, delivered as soon as their bytes arrive. */
import { ENTRY_POINT } from '../../wire/nettrace/constants.ts';
import type { NetTraceEvent as WireEvent } from '../../wire/nettrace/event.ts';
import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import type { NetTraceParser } from '../../wire/nettrace/parser.ts';
import { DecodedPayloads } from '../decoded-payloads.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { TraceInfo, TraceProgress, TraceReader } from '../trace-reader.ts';
import type { Clock } from './clock.ts';
import { EventKind } from './event-kind.ts';
import { NetTraceEvent, type TraceContext } from './nettrace-event.ts';

const BATCH_SIZE = 1024;

/** Kinds that are found without a look-up, by their metadata's id: a power of 2. */
const RECENT_KINDS = 64;

interface Kind {
  readonly metadata: NetTraceMetadata;
  readonly kind: EventKind;
  readonly tellsProcess: boolean;
}

export class NetTraceReader implements TraceReader {
  readonly info: TraceInfo;
  /**
   * A gap in the numbers of a thread's events says how many are lost; a number that goes back says only that some are.
   */
  readonly progress: TraceProgress;
  readonly #chunks: AsyncGenerator<Uint8Array, void>;
  readonly #parser: NetTraceParser;
  readonly #trace: TraceContext;
  /** A metadata id can be redefined: metadata is distinguished by object identity. */
  readonly #kinds = new WeakMap<NetTraceMetadata, Kind>();
  readonly #recent: (Kind | undefined)[] = new Array(RECENT_KINDS).fill(undefined);
  #firstEvents: readonly WireEvent[];

  /**
   * @param parser has read the head, and whatever came with it
   * @param firstEvents what it has returned so far
   */
  constructor(
    chunks: AsyncGenerator<Uint8Array, void>,
    parser: NetTraceParser,
    firstEvents: readonly WireEvent[],
    info: TraceInfo,
    clock: Clock,
  ) {
    this.info = info;
    const { processId, properties } = info;
    const name = properties[ENTRY_POINT];
    const names = processId !== undefined && name ? [[processId, name] as const] : [];
    this.progress = { lostEvents: 0, lostBuffers: 0, processNames: new Map(names), bytesRead: 0 };
    this.#chunks = chunks;
    this.#parser = parser;
    this.#firstEvents = firstEvents;
    this.#trace = { clock, pointerSize: info.pointerSize === 4 ? 4 : 8, decoded: new DecodedPayloads() };
    this.#noteProgress();
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    const parser = this.#parser;
    try {
      yield* this.#batchesOf(this.#firstEvents);
      this.#firstEvents = [];
      while (!parser.isAtEnd) {
        const { done, value } = await this.#chunks.next();
        const events = done ? parser.end() : parser.push(value);
        this.#noteProgress();
        yield* this.#batchesOf(events);
      }
      if (parser.fault !== undefined) throw parser.fault;
    } finally {
      await this.#chunks.return();
    }
  }

  *#batchesOf(events: readonly WireEvent[]): Generator<readonly TraceEvent[]> {
    for (let start = 0; start < events.length; start += BATCH_SIZE) {
      this.#trace.decoded.startBatch();
      yield events.slice(start, start + BATCH_SIZE).map((event) => this.#eventOf(event));
    }
  }

  #eventOf(wireEvent: WireEvent): TraceEvent {
    const { kind, tellsProcess } = this.#kindOf(wireEvent.metadata);
    const event = new NetTraceEvent(wireEvent, kind, this.#trace);
    if (tellsProcess) this.#noteProcess(event);
    return event;
  }

  #kindOf(metadata: NetTraceMetadata): Kind {
    const place = metadata.id & (RECENT_KINDS - 1);
    const recent = this.#recent[place];
    if (recent?.metadata === metadata) return recent;
    let kind = this.#kinds.get(metadata);
    if (kind === undefined) {
      kind = { metadata, kind: new EventKind(metadata), tellsProcess: tellsProcess(metadata) };
      this.#kinds.set(metadata, kind);
    }
    this.#recent[place] = kind;
    return kind;
  }

  #noteProcess(event: TraceEvent): void {
    const name = processNameOf(event);
    if (event.processId !== undefined && name !== undefined) {
      this.progress.processNames.set(event.processId, name);
    }
  }

  #noteProgress(): void {
    this.progress.lostEvents = this.#parser.lostEvents;
    this.progress.waitingEvents = this.#parser.waitingEvents;
    this.progress.bytesRead = this.#parser.bytesRead;
  }
}

/** Whether events with this metadata contain the name of their process. */
function tellsProcess(metadata: NetTraceMetadata): boolean {
  const { provider, name } = metadata;
  return (
    (provider === 'Microsoft-DotNETCore-EventPipe' && name === 'ProcessInfo') ||
    (provider === 'Universal.System' && name === 'ProcessCreate')
  );
}

/** Call this only for an event for which `tellsProcess` is true. */
function processNameOf(event: TraceEvent): string | undefined {
  const { Name: name, CommandLine: commandLine, [ENTRY_POINT]: entryPoint } = event.payload;
  if (typeof name === 'string') return name || undefined;
  if (typeof entryPoint === 'string' && entryPoint !== '') return entryPoint;
  return typeof commandLine === 'string' ? programOf(commandLine) : undefined;
}

/** `dotnet` of `"C:\Program Files\dotnet\dotnet.exe" run`. */
function programOf(commandLine: string): string | undefined {
  const path = /^\s*(?:"([^"]*)"|(\S+))/.exec(commandLine);
  const file = (path?.[1] ?? path?.[2] ?? '').split(/[/\\]/).at(-1) ?? '';
  return file.replace(/\.exe$/i, '') || undefined;
}
