/**
 * What becomes of files that are whole: spans for a collector, tables in a folder of Parquet files, or profiles. One
 * file at a time, in the order of their completion; a file that fails stays, and is tried again.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nameOfPartial, OutputFile } from '../base/output-file.ts';
import { thrownMessage } from '../base/value-text.ts';
import { type ExportedTrace, exportedTrace } from '../export/exporter.ts';
import { EXPORTERS, wholeExport } from '../export/exporters.ts';
import type { OtlpFeed } from '../export/otlp-feed.ts';
import { ParquetExport } from '../export/parquet/parquet-export.ts';
import { PARTIAL_FOLDER } from '../export/parquet/table-files.ts';
import type { RowSource } from '../export/parquet/tables.ts';
import { openTrace } from '../trace/open-trace.ts';
import type { Trace } from '../trace/trace.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { DiskBudget } from './disk-budget.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { Say } from './notices.ts';
import type { OtlpShipping } from './otlp-shipping.ts';
import type { Resource } from './process-resource.ts';

/** Whose files they are. */
interface FileOrigin {
  readonly service: string;
  /** The name is absent if it is unknown. */
  readonly processName?: string;
  /** What all rows say, beside their trace. */
  readonly source?: Omit<RowSource, 'trace'>;
  readonly resource: Resource;
  /** Where its activities go as spans, if they have not gone there as they came. */
  readonly spans: OtlpShipping | undefined;
  /** Whether its files become profiles. */
  readonly isProfile: boolean;
}

/** Files of one session that follow each other without a gap: an activity may begin in one and stop in another. */
export class FileChain {
  readonly origin: FileOrigin;
  tables: ParquetExport | undefined = undefined;
  /** The session began at this time. */
  startTime = 0n;
  feed: OtlpFeed | undefined = undefined;
  /** Memory for what continues. */
  held = 0;

  constructor(origin: FileOrigin) {
    this.origin = origin;
  }
}

interface ShippedFile {
  readonly path: string;
  readonly size: number;
  readonly chain: FileChain;
  /** Whether the spans have been sent, though something else has failed. */
  readonly isSent?: boolean;
  /** How often it has failed. */
  readonly failures?: number;
}

interface ParquetSettings {
  readonly folder: string;
  readonly keepNettrace: boolean;
}

interface ShippingOptions {
  readonly parquet: ParquetSettings | undefined;
  /** The folder of profiles. */
  readonly profiles: string;
  readonly disk: DiskBudget;
  readonly memory: MemoryBudget;
  readonly counters: AgentCounters;
  readonly say: Say;
}

/** The first pause before a file is tried again; it doubles. */
const RETRY_MS = 30_000;
const MAX_RETRY_MS = 3_600_000;
/** The tables of a small file are larger than it. */
const LEAST_ROOM = 64e3;
/** Memory between two files of a chain: of itself, and of each activity that continues. */
const CHAIN_BYTES = 200e3;
const CARRIED_BYTES = 1000;

export class Shipping {
  readonly #options: ShippingOptions;
  #shipping: Promise<void> = Promise.resolve();
  readonly #retries = new Set<NodeJS.Timeout>();
  #isClosing = false;

  constructor(options: ShippingOptions) {
    this.#options = options;
  }

  add(file: ShippedFile): void {
    const { spans, isProfile } = file.chain.origin;
    if (spans === undefined && this.#options.parquet === undefined && !isProfile) return;
    this.#options.counters.shipping++;
    this.#shipping = this.#shipping.then(() => this.#ship(file));
  }

  /** No file follows in the chain: what has not stopped in it is shipped as it is. */
  end(chain: FileChain): void {
    this.#shipping = this.#shipping.then(() => this.#end(chain));
  }

  /** Resolves when everything so far has been shipped, or has failed, or the time is over: a restart goes on then. */
  async close(timeoutMs: number): Promise<void> {
    for (const timer of this.#retries) clearTimeout(timer);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#isClosing = true;
        resolve();
      }, timeoutMs);
    });
    await Promise.race([this.#shipping, timeout]);
    // The file that is in work is finished, or begun again after a restart.
    clearTimeout(timer);
    this.#isClosing = true;
  }

  async #ship(file: ShippedFile): Promise<void> {
    const { counters, disk, parquet } = this.#options;
    const { chain, path } = file;
    const { spans, resource, isProfile } = chain.origin;
    let isSent = file.isSent === true || spans === undefined;
    try {
      // Removed meanwhile, for newer ones.
      if (this.#isClosing || !disk.has(path)) return;
      if (!isSent) chain.feed = await spans?.send(path, resource, chain.feed);
      isSent = true;
      if (isProfile) await this.#toProfile(file);
      else if (parquet !== undefined) await this.#toParquet(file, parquet);
    } catch (error) {
      if (this.#isClosing) return;
      this.#fail(path, !isSent ? 'otlp' : isProfile ? 'profile' : 'parquet', error);
      this.#retry({ ...file, isSent, failures: (file.failures ?? 0) + 1 });
    } finally {
      counters.shipping--;
    }
  }

  async #end(chain: FileChain): Promise<void> {
    const { tables } = chain;
    chain.feed?.close();
    chain.feed = chain.tables = undefined;
    this.#hold(chain, 0);
    try {
      await tables?.endPieces();
      if (tables !== undefined) this.#addTables(tables);
    } catch (error) {
      await tables?.abandon();
      this.#fail(this.#options.parquet?.folder ?? '', 'parquet', error);
    }
  }

  #fail(path: string, kind: 'parquet' | 'profile' | 'otlp', error: unknown): void {
    this.#options.counters.errors.add(kind);
    this.#options.say(`${path} cannot be shipped: ${thrownMessage(error)}`, 'shipping');
  }

  /** Ships the file by itself, since others have been shipped meanwhile. */
  #retry(file: ShippedFile & { readonly failures: number }): void {
    const pause = Math.min(RETRY_MS * 2 ** (file.failures - 1), MAX_RETRY_MS);
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      const chain = new FileChain(file.chain.origin);
      this.add({ ...file, chain });
      this.end(chain);
    }, pause).unref();
    this.#retries.add(timer);
  }

  /** The CPU samples of a file in its place. */
  async #toProfile({ path, size }: ShippedFile): Promise<void> {
    const { disk, counters, profiles, say } = this.#options;
    const room = Math.max(size, LEAST_ROOM);
    if (!disk.take(path, room)) throw new Error('the disk budget has no room for its profile.');
    try {
      const profile = new OutputFile(join(profiles, `${basename(path, '.nettrace')}.pb.gz`));
      try {
        const trace = await openTrace(path, { onDamage: 'warning' });
        const exporter = await EXPORTERS.pprof(exportedTrace(trace, basename(path)), {});
        for await (const piece of wholeExport(trace, exporter)) profile.write(Buffer.from(piece));
        for (const notice of exporter.notices) say(`${profile.path}: ${notice}`, 'shipping');
      } catch (error) {
        profile.abandon();
        throw error;
      }
      profile.commit();
      disk.add(profile.path, statSync(profile.path).size);
    } finally {
      disk.release(path, room);
    }
    counters.profiles++;
    disk.remove(path);
  }

  async #toParquet({ path, size, chain }: ShippedFile, parquet: ParquetSettings): Promise<void> {
    const { disk } = this.#options;
    const room = Math.max(size, LEAST_ROOM);
    if (!disk.take(path, room)) throw new Error('the disk budget has no room for its tables.');
    try {
      await this.#export(path, chain, parquet.folder);
    } finally {
      disk.release(path, room);
    }
    if (!parquet.keepNettrace) disk.remove(path);
    const carried = CHAIN_BYTES + (chain.tables?.carried ?? 0) * CARRIED_BYTES;
    if (!this.#hold(chain, carried)) await this.#end(chain);
  }

  /** A file has the same tables, however often it is exported. */
  async #export(path: string, chain: FileChain, folder: string): Promise<void> {
    const trace = await openTrace(path, { onDamage: 'warning' });
    if (chain.tables !== undefined && chain.startTime !== trace.info.startTime) await this.#end(chain);
    chain.startTime = trace.info.startTime;
    const piece = pieceOf(trace, basename(path, '.nettrace'), chain.origin);
    const tables = chain.tables ?? tablesOf(piece, chain.origin, folder);
    tables.beginPiece(piece);
    chain.tables = undefined;
    try {
      for await (const batch of trace.batches()) {
        for (const event of batch) tables.add(event);
        // Processes are served meanwhile.
        await new Promise(setImmediate);
        if (this.#isClosing) throw new Error('the agent ends; it is exported after the next start.');
      }
      const { lostEvents, lostBuffers, lateEvents, mappings, problem } = trace;
      const { processNames } = piece;
      await tables.endPiece({ lostEvents, lostBuffers, lateEvents, processNames, mappings, problem });
    } catch (error) {
      await trace.close();
      await tables.abandon();
      throw error;
    }
    chain.tables = tables;
    this.#addTables(tables);
  }

  #addTables(tables: ParquetExport): void {
    for (const file of tables.files.splice(0)) {
      this.#options.disk.add(file, statSync(file).size);
      this.#options.counters.parquetFiles++;
    }
  }

  /** @returns false if there is no memory for what continues */
  #hold(chain: FileChain, bytes: number): boolean {
    const { memory } = this.#options;
    memory.release(chain.held);
    chain.held = 0;
    if (!memory.take(bytes)) return false;
    chain.held = bytes;
    return true;
  }
}

function pieceOf(trace: Trace, name: string, { processName }: FileOrigin) {
  const { info } = trace;
  const { processId } = info;
  const isKnown = processId !== undefined && processName !== undefined;
  const known = isKnown ? new Map([[processId, processName]]) : undefined;
  return {
    name,
    info,
    get processNames() {
      return known ?? trace.processNames;
    },
  };
}

function tablesOf(trace: ExportedTrace, { service, source }: FileOrigin, folder: string): ParquetExport {
  return new ParquetExport({
    folder,
    service,
    source,
    trace,
  });
}

/** Removes what a killed agent has not completed: its files are made again. */
export function removePartialTables(folder: string): void {
  rmSync(join(folder, PARTIAL_FOLDER), { recursive: true, force: true });
}

/** Removes those that a killed agent has not completed: they are made again. */
export function removePartialProfiles(folder: string): void {
  for (const name of readdirSync(folder)) if (nameOfPartial(name) !== undefined) rmSync(join(folder, name));
}
