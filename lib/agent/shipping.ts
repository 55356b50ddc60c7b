/**
 * What becomes of files that are whole: spans for a collector, tables in a folder of Parquet files. One file at a time,
 * in the order of their completion; a file that fails stays, and is tried again.
 */
import { rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageVersion } from '../base/package-files.ts';
import { openTrace } from '../trace/open-trace.ts';
import { ParquetExport } from '../view/parquet/parquet-export.ts';
import { PARTIAL_FOLDER } from '../view/parquet/table-files.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { DiskBudget } from './disk-budget.ts';
import type { SpanShipping } from './span-shipping.ts';

export interface ShippedFile {
  readonly path: string;
  readonly size: number;
  readonly service: string;
  /** Where its activities go as spans, if they have not gone there as they came. */
  readonly spans: SpanShipping | undefined;
  /** How often it has failed. */
  readonly failures?: number;
}

export interface ParquetSettings {
  readonly folder: string;
  readonly keepNettrace: boolean;
}

export interface ShippingOptions {
  readonly parquet: ParquetSettings | undefined;
  readonly disk: DiskBudget;
  readonly counters: AgentCounters;
  readonly say: (sentence: string) => void;
}

/** The first pause before a file is tried again; it doubles. */
const RETRY_MS = 30_000;
const MAX_RETRY_MS = 3_600_000;
/** The tables of a small file are larger than it. */
const LEAST_ROOM = 64e3;

export class Shipping {
  readonly #options: ShippingOptions;
  #shipping: Promise<void> = Promise.resolve();
  readonly #retries = new Set<NodeJS.Timeout>();
  #isClosing = false;

  constructor(options: ShippingOptions) {
    this.#options = options;
  }

  add(file: ShippedFile): void {
    if (file.spans === undefined && this.#options.parquet === undefined) return;
    this.#options.counters.shipping++;
    this.#shipping = this.#shipping.then(() => this.#ship(file));
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
    let { spans } = file;
    try {
      // Removed meanwhile, for newer ones.
      if (this.#isClosing || !disk.has(file.path)) return;
      await spans?.send(file.path, file.service);
      spans = undefined;
      if (parquet !== undefined) await this.#toParquet(file, parquet);
    } catch (error) {
      if (this.#isClosing) return;
      counters.errors.add(spans === undefined ? 'parquet' : 'otlp');
      this.#options.say(
        `${file.path} cannot be shipped: ${error instanceof Error ? error.message : String(error)}`,
      );
      this.#retry({ ...file, spans, failures: (file.failures ?? 0) + 1 });
    } finally {
      counters.shipping--;
    }
  }

  #retry(file: ShippedFile & { readonly failures: number }): void {
    const pause = Math.min(RETRY_MS * 2 ** (file.failures - 1), MAX_RETRY_MS);
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.add(file);
    }, pause).unref();
    this.#retries.add(timer);
  }

  async #toParquet({ path, size, service }: ShippedFile, parquet: ParquetSettings): Promise<void> {
    const { disk, counters } = this.#options;
    const room = Math.max(size, LEAST_ROOM);
    if (!disk.take(path, room)) throw new Error('the disk budget has no room for its tables.');
    try {
      const files = await exported(path, service, parquet.folder, () => this.#isClosing);
      for (const [file, bytes] of files) disk.add(file, bytes);
      counters.parquetFiles += files.size;
    } finally {
      disk.release(path, room);
    }
    if (!parquet.keepNettrace) disk.remove(path);
  }
}

/** Removes what a killed agent has not completed: its files are made again. */
export function removePartialTables(folder: string): void {
  rmSync(join(folder, PARTIAL_FOLDER), { recursive: true, force: true });
}

/** @returns the sizes of the tables' files. The same trace has the same files, however often it is exported. */
async function exported(
  path: string,
  service: string,
  folder: string,
  isGivenUp: () => boolean,
): Promise<Map<string, number>> {
  const trace = await openTrace(path, { onDamage: 'warning' });
  const { info } = trace;
  const exporter = new ParquetExport({
    folder,
    service,
    trace: {
      name: basename(path, '.nettrace'),
      info,
      get processNames() {
        return trace.processNames;
      },
    },
    createdBy: `tracewright version ${packageVersion()}`,
  });
  try {
    for await (const batch of trace.batches()) {
      for (const event of batch) exporter.add(event);
      // Processes are served meanwhile.
      await new Promise(setImmediate);
      if (isGivenUp()) throw new Error('the agent ends; it is exported after the next start.');
    }
    const { lostEvents, lostBuffers, lateEvents, processNames, mappings, problem } = trace;
    await exporter.end({ lostEvents, lostBuffers, lateEvents, processNames, mappings, problem });
  } catch (error) {
    await trace.close();
    await exporter.abandon();
    throw error;
  }
  return new Map(exporter.files.map((file) => [file, statSync(file).size]));
}
