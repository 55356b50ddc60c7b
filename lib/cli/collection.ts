/** The traces that a command collects: a .nettrace file of each process, and on a terminal how much there is. */
import { createWriteStream } from 'node:fs';
import { parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DiagnosticsClientError } from '../session/diagnostics/client/client-error.ts';
import type { DiagnosticsClient } from '../session/diagnostics/client/diagnostics-client.ts';
import type { TracingSession } from '../session/diagnostics/client/tracing-session.ts';
import type { StreamingTracing } from '../wire/diagnostics-ipc/tracing.ts';
import { dataSize } from './data-size.ts';
import type { OpenedTarget } from './opened-target.ts';
import { processName } from './process-name.ts';
import type { StopRequest } from './stop-request.ts';
import { readSession, type TargetValues, withTarget } from './target-argument.ts';

const PROGRESS_MS = 200;

export interface CollectionOptions {
  readonly target: TargetValues;
  readonly tracing: StreamingTracing;
  /** Of the first process; without it, each is named by process and time. */
  readonly file: string | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
  /** Called with each file before it is written. */
  readonly prepareFile?: (file: string) => void;
}

/** @throws UsageError, DiagnosticsClientError */
export async function collect(options: CollectionOptions): Promise<void> {
  const collection = new Collection(options);
  try {
    await withTarget(
      options.target,
      (target, stop) => collection.take(target, stop, options.duration),
      (later, stop) => collection.takeLater(later, stop),
    );
  } finally {
    collection.end();
  }
  collection.check();
}

class Collection {
  readonly #options: CollectionOptions;
  readonly #progress: NodeJS.Timeout;
  readonly #isShown = process.stderr.isTTY === true;
  /** Names that are taken. */
  readonly #files = new Set<string>();
  /** Of processes after the first one. */
  readonly #problems: unknown[] = [];
  #bytes = 0;

  constructor(options: CollectionOptions) {
    this.#options = options;
    this.#progress = setInterval(() => {
      if (this.#isShown && this.#bytes > 0) {
        process.stderr.write(`\r\x1b[KCollecting: ${dataSize(this.#bytes)}`);
      }
    }, PROGRESS_MS);
  }

  /**
   * Collects the events of a process to their end.
   *
   * @param duration in ms
   * @throws DiagnosticsClientError
   */
  async take(target: OpenedTarget, stop: StopRequest, duration?: number): Promise<void> {
    const file = await this.#fileOf(target);
    const session = await target.client.collectTracing(this.#options.tracing);
    let bytes = 0;
    const onBytes = (size: number) => {
      bytes += size;
      this.#bytes += size;
    };
    await readSession(session, target, stop, duration, async () => {
      this.#options.prepareFile?.(file);
      await pipeline(counted(session, onBytes), createWriteStream(file));
    });
    const end = session.isComplete ? '' : ` ${target.name} has ended.`;
    this.#say(`Collected ${dataSize(bytes)} into ${file}.${end}`);
  }

  /** As `take`; what goes wrong is told by `check`, and the process goes on. */
  async takeLater(target: OpenedTarget, stop: StopRequest): Promise<void> {
    try {
      await this.take(target, stop);
    } catch (error) {
      this.#problems.push(error);
      // It may have ended, which may be what is wrong.
      await target.resume().catch(() => {});
    }
  }

  /** @throws what went wrong with a process after the first one */
  check(): void {
    if (this.#problems.length > 0) throw this.#problems[0];
  }

  end(): void {
    clearInterval(this.#progress);
  }

  async #fileOf(target: OpenedTarget): Promise<string> {
    const wanted = this.#options.file ?? (await fileNameOf(target));
    const { name, ext } = parse(wanted);
    const stem = wanted.slice(0, wanted.length - (name + ext).length) + name;
    const file = this.#files.has(wanted) ? `${stem}.${target.processId}${ext}` : wanted;
    this.#files.add(file);
    return file;
  }

  #say(line: string): void {
    process.stderr.write(`${this.#isShown ? '\r\x1b[K' : ''}${line}\n`);
  }
}

async function* counted(
  session: TracingSession,
  onBytes: (size: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of session.stream) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** `app_20240328_004512.nettrace`, as dotnet-trace names it, in local time. */
async function fileNameOf({ client, name }: OpenedTarget): Promise<string> {
  const process = await processNameOf(client, name);
  const now = new Date();
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()];
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  const [day, clock] = [date, time].map((parts) =>
    parts.map((part) => String(part).padStart(2, '0')).join(''),
  );
  return `${process}_${day}_${clock}.nettrace`;
}

/** As it can stand in a file's name. The oldest runtimes do not tell it. */
async function processNameOf(client: DiagnosticsClient, fallback: string): Promise<string> {
  try {
    const name = processName(await client.processInfo()).replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
    return /^\.*$/.test(name) ? 'trace' : name;
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
    return fallback.replace(' ', '_');
  }
}
