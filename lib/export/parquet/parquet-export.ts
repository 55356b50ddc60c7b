/** A trace as tables in a folder of Parquet files, which DuckDB, ClickHouse, Spark and others read as one. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageVersion } from '../../base/package-files.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { isCpuSample } from '../../view/cpu/cpu-profile.ts';
import { FrameNames } from '../../view/cpu/frame-names.ts';
import { PayloadJson } from '../../view/payload-json.ts';
import { KERNEL_SERVICE, serviceOf, UNKNOWN_SERVICE } from '../../view/process-service.ts';
import type { ExportedEnd, ExportedTrace } from '../exporter.ts';
import { ActivityRows } from './activity-rows.ts';
import { putEvent } from './event-rows.ts';
import { hiveName, ParquetClock } from './partitions.ts';
import { SampleRows } from './sample-rows.ts';
import { SeenThreads } from './seen-threads.ts';
import { type KeptStack, StackIds } from './stack-ids.ts';
import { PARTIAL_FOLDER, TableFiles, type TableFolder } from './table-files.ts';
import * as tables from './tables.ts';

/** This stands before the number of a process whose service is not final; no folder has it in its name. */
const WAITING = '\0';
/** Each has files of its own. */
const MAX_WAITING = 64;

export interface ParquetExportOptions {
  readonly folder: string;
  readonly trace: ExportedTrace;
  /** The service of all rows; by default, the names of their processes. */
  readonly service?: string | undefined;
  /** What rows say about where they come from, beside their trace. */
  readonly source?: Omit<tables.RowSource, 'trace'> | undefined;
  /** The frames of stacks have these names. */
  readonly names?: FrameNames;
  /** The approximate size of a file in bytes. */
  readonly maxFileSize?: number | undefined;
}

const MAX_FILE_SIZE = 128e6;

/** What is known after the events. */
interface ParquetEnd extends ExportedEnd {
  readonly lostBuffers: number;
  readonly lateEvents: number;
  readonly problem?: Error | undefined;
}

export class ParquetExport {
  /** The files that are complete. */
  readonly files: string[] = [];
  events = 0;
  readonly #options: ParquetExportOptions;
  readonly #target: TableFolder;
  #source: ExportedTrace;
  readonly #clock: ParquetClock;
  readonly #names: FrameNames;
  readonly #payloads = new PayloadJson();
  readonly #activities: ActivityRows;
  readonly #samples: SampleRows;
  readonly #stacks = new StackIds();
  #threads = new SeenThreads();
  /** The key is the process, the value a name as folders have it, or what stands for one that is not final. */
  readonly #services = new Map<number | undefined, string>();
  readonly #folders = new Map<string, string>();
  /** The processes that have a row. */
  readonly #processes = new Set<number>();
  readonly #ofTables;

  constructor(options: ParquetExportOptions) {
    const { trace, folder } = options;
    const { info, name } = trace;
    this.#options = options;
    this.#clock = new ParquetClock(info.startTime);
    this.#source = trace;
    this.#names = options.names ?? new FrameNames();
    const target: TableFolder = {
      folder,
      stem: stemOf(trace),
      source: { trace: `${name} ${info.startTime}`, ...options.source },
      createdBy: `tracewright version ${packageVersion()}`,
      maxFileSize: options.maxFileSize ?? MAX_FILE_SIZE,
      serviceFolder: (service) => this.#folderOf(service),
      onFile: (path) => this.files.push(path),
    };
    this.#target = target;
    this.#ofTables = {
      events: new TableFiles('events', () => new tables.EventTable(), target),
      activities: new TableFiles('activities', () => new tables.ActivityTable(), target),
      samples: new TableFiles('samples', () => new tables.SampleTable(), target),
      stacks: new TableFiles('stacks', () => new tables.StackTable(), target),
      processes: new TableFiles('processes', () => new tables.ProcessTable(), target),
      threads: new TableFiles('threads', () => new tables.ThreadTable(), target),
      losses: new TableFiles('losses', () => new tables.LossTable(), target),
    };
    this.#activities = new ActivityRows({
      files: this.#ofTables.activities,
      clock: this.#clock,
    });
    const interval = Number(info.properties.ExpectedCPUSamplingRate);
    this.#samples = new SampleRows({
      files: this.#ofTables.samples,
      usualWeight: interval > 0 ? interval : 1,
      activities: this.#activities,
      names: this.#names,
    });
  }

  /**
   * Takes the next event in time order.
   *
   * @throws the system's error
   */
  add(event: TraceEvent): void {
    this.events++;
    const { processId, stack, timestamp } = event;
    const service = this.#serviceOf(processId);
    const payload = this.#payloads.text(event);
    this.#activities.add(event, service, payload);
    const isSample = isCpuSample(event);
    if (!isSample) {
      this.#names.add(event);
      this.#samples.addEvent(event);
    }
    const time = BigInt.asIntN(64, timestamp);
    const parts = {
      time,
      startTime: this.#clock.startTime,
      path: this.#activities.pathOf(event),
      span: labelledSpan(event) ?? this.#activities.spanOf(event),
      payload,
      stackId: stack?.length ? this.#stackIdOf(processId, stack, timestamp) : undefined,
    };
    const day = this.#clock.dayOf(time);
    putEvent(this.#ofTables.events.row(day, service, payload.length), event, parts);
    if (isSample) {
      const row = { day, service, time, stackId: parts.stackId };
      this.#samples.add(event, this.#names.isIdle(event) ? undefined : row);
    }
    this.#threads.add(event, time);
  }

  /**
   * Completes the files so far; what follows goes into new ones. Stacks whose functions have no names yet wait for them.
   *
   * @throws the system's error
   */
  async rotate(): Promise<void> {
    const { events, activities, samples, stacks, processes } = this.#ofTables;
    this.#activities.flush();
    this.#putStacks({}, true);
    this.#putProcesses(this.#source.processNames);
    for (const files of [events, activities, samples, stacks, processes]) await files.end();
  }

  /**
   * Completes the files of a piece of the trace, such as one of the agent's files. What has not stopped in it gets its
   * row in the piece in which it stops.
   *
   * @throws the system's error
   */
  async endPiece(end: ParquetEnd): Promise<void> {
    this.#activities.endPiece();
    await this.#complete(end);
    this.#threads = new SeenThreads();
    this.#stacks.forget();
  }

  /** The next piece, which has the same start, and whose files have its name. */
  beginPiece(trace: ExportedTrace): void {
    this.#source = trace;
    this.#target.stem = stemOf(trace);
  }

  /** How many activities continue in the next piece. */
  get carried(): number {
    return this.#activities.carried;
  }

  /**
   * Completes everything.
   *
   * @throws the system's error
   */
  async end(end: ParquetEnd): Promise<void> {
    this.#activities.end();
    await this.#complete(end);
    await this.#removePartialFolder();
  }

  /** After the last piece, if there are pieces: what has not stopped in any has a row now. */
  async endPieces(): Promise<void> {
    this.#activities.end();
    await this.#ofTables.activities.end();
    await this.#removePartialFolder();
  }

  /**
   * Deletes what is not complete, and the other `files` as well: some tables without the others would be wrong answers.
   *
   * @param keepsFiles whether these stay, because they are complete up to a time
   */
  async abandon(keepsFiles = false): Promise<void> {
    for (const files of Object.values(this.#ofTables)) await files.abandon();
    if (!keepsFiles) for (const path of this.files.splice(0)) rmSync(path, { force: true });
    await this.#removePartialFolder();
  }

  async #complete(end: ParquetEnd): Promise<void> {
    this.#samples.end();
    this.#putStacks(end, false);
    this.#putThreads();
    this.#putProcesses(end.processNames);
    this.#putLosses(end);
    for (const files of Object.values(this.#ofTables)) {
      await files.end();
      await files.ensureTable(this.#clock.dayOf(this.#clock.startTime), this.#serviceOf(undefined));
    }
  }

  /** Which service the rows of a process belong to; its folder gets its name when a file of it is complete. */
  #serviceOf(processId: number | undefined): string {
    let key = this.#services.get(processId);
    if (key === undefined) {
      const { service } = this.#options;
      const known = service ?? serviceOf(this.#source, processId);
      // A name that comes later, or changes, is that of all rows of the process, as far as there are few processes.
      const isFinal = service !== undefined || known === KERNEL_SERVICE || this.#services.size >= MAX_WAITING;
      key = isFinal ? hiveName(known ?? '') || UNKNOWN_SERVICE : `${WAITING}${processId ?? ''}`;
      this.#services.set(processId, key);
    }
    return key;
  }

  /** A complete file gets this folder; later ones of the process have the same. */
  #folderOf(service: string): string {
    if (!service.startsWith(WAITING)) return service;
    const text = service.slice(WAITING.length);
    const name = text === '' ? this.#onlyName : serviceOf(this.#source, Number(text));
    const folder = this.#folders.get(service) ?? (hiveName(name ?? '') || UNKNOWN_SERVICE);
    if (folder !== UNKNOWN_SERVICE) this.#folders.set(service, folder);
    return folder;
  }

  /** What belongs to no process has the service of all processes, if they have the same. */
  get #onlyName(): string | undefined {
    const ids = [...this.#services.keys()].filter((id) => id !== undefined);
    const names = new Set(ids.map((id) => serviceOf(this.#source, id)));
    return names.size === 1 ? [...names][0] : undefined;
  }

  #stackIdOf(processId: number | undefined, stack: readonly bigint[], timestamp: bigint): number {
    if (this.#stacks.isFull) this.#putStacks({}, false);
    return this.#stacks.idOf(processId, stack, timestamp);
  }

  /** @param onlyNamed whether those wait that have frames without a name */
  #putStacks({ mappings }: Pick<ParquetEnd, 'mappings'>, onlyNamed: boolean): void {
    this.#stacks.take((stack) => {
      const frames = stack.addresses.map(
        (address) => this.#names.frameOf(stack.processId, address, stack.timestamp, mappings).name,
      );
      if (onlyNamed && frames.some((frame) => frame.startsWith('0x'))) return false;
      this.#putStack(stack, frames);
      return true;
    });
  }

  #putStack({ id, processId, timestamp }: KeptStack, frames: readonly string[]): void {
    const textLength = frames.reduce((sum, { length }) => sum + length, 0);
    const day = this.#clock.dayOf(BigInt.asIntN(64, timestamp));
    const table = this.#ofTables.stacks.row(day, this.#serviceOf(processId), textLength);
    table.stackId.add(id);
    table.frames.addAll(frames);
  }

  #putThreads(): void {
    for (const { processId, threadId, first, events } of this.#threads) {
      const table = this.#ofTables.threads.row(this.#clock.dayOf(first), this.#serviceOf(processId), 0);
      table.pid.add(processId);
      table.tid.add(threadId);
      table.firstTs.add(first);
      table.firstTsNs.add(first);
      table.events.add(events);
    }
  }

  /** Each process once. */
  #putProcesses(names: ReadonlyMap<number, string> = new Map()): void {
    const firsts = this.#threads.firstOfProcesses;
    for (const pid of new Set([...firsts.keys(), ...names.keys()])) {
      if (this.#processes.has(pid)) continue;
      this.#processes.add(pid);
      const first = firsts.get(pid);
      const day = this.#clock.dayOf(first ?? this.#clock.startTime);
      const table = this.#ofTables.processes.row(day, this.#serviceOf(pid), 0);
      table.pid.add(pid);
      table.name.add(names.get(pid));
      table.firstTs.add(first);
      table.firstTsNs.add(first);
    }
  }

  #putLosses({ lostEvents, lostBuffers, lateEvents, problem }: ParquetEnd): void {
    const { startTime } = this.#clock;
    const table = this.#ofTables.losses.row(this.#clock.dayOf(startTime), this.#serviceOf(undefined), 0);
    table.startTs.add(startTime);
    table.startTsNs.add(startTime);
    table.lostEvents.add(lostEvents);
    table.lostBuffers.add(lostBuffers);
    table.lateEvents.add(lateEvents);
    table.problem.add(problem?.message);
  }

  /** Removes the folder, unless it has files of others. */
  async #removePartialFolder(): Promise<void> {
    await rmdir(join(this.#options.folder, PARTIAL_FOLDER)).catch(() => {});
  }
}

function stemOf({ name, info }: ExportedTrace): string {
  const hash = createHash('sha256').update(`${name} ${info.startTime}`).digest('hex').slice(0, 12);
  return `${hiveName(name)}-${hash}`;
}

/** The ids that the trace attaches to the event, or its Start's own. */
function labelledSpan(event: TraceEvent): { readonly traceId: string; readonly spanId: string } | undefined {
  const { TraceId: traceId, SpanId: spanId } = event.labels ?? {};
  return typeof traceId === 'string' && typeof spanId === 'string' ? { traceId, spanId } : undefined;
}
