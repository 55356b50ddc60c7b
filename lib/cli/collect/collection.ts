/** The traces that a command collects, one .nettrace file per process, and their progress on a terminal. */
import { statSync } from 'node:fs';
import { parse } from 'node:path';
import { DiagnosticsClientError } from '../../diagnostics/client/client-error.ts';
import type { DiagnosticsClient } from '../../diagnostics/client/diagnostics-client.ts';
import type { TracingSession } from '../../diagnostics/client/tracing-session.ts';
import { openTrace } from '../../trace/open-trace.ts';
import { dataSize } from '../../view/number-text.ts';
import { processName } from '../../wire/diagnostics-ipc/process-info.ts';
import type { StreamingTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { type CommandOutput, withOutput } from '../command-output.ts';
import { say, sentenceOf, showProgress, warn } from '../messages.ts';
import type { StopRequest } from '../stop-request.ts';
import type { OpenedTarget } from './target.ts';
import { readSession, type TargetValues, withTarget } from './target-argument.ts';

const PROGRESS_MS = 200;
/** A limited file keeps this room for what a process still has to send when it is stopped. */
const MAX_ROOM = 64e6;

/** Of a larger file, something has come. */
const MAX_CHECKED = 64e6;

/** Takes the events of processes in place of files. */
export interface CollectionDestination {
  /** Takes the bytes of a process's session while it runs. */
  take(stream: AsyncIterable<Uint8Array>, processName: string): Promise<void>;
  /** Resolves, when everything has been taken, with what went wrong on the way. */
  end(): Promise<Error | undefined>;
}

export interface CollectionOptions {
  readonly target: TargetValues;
  readonly tracing: StreamingTracing;
  /** The file of the first process; by default, each file is named after its process and the time. */
  readonly file: string | undefined;
  /** Writes a process's session into its file; by default, as it comes. */
  readonly write?: ((stream: AsyncIterable<Uint8Array>, output: CommandOutput) => Promise<void>) | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
  /** The size in bytes of all files together; unlimited by default. */
  readonly maxSize?: number | undefined;
  /** The default is a file per process. */
  readonly destination?: CollectionDestination | undefined;
  /** The names of providers that the user has asked for, which are said to be silent if nothing comes from them. */
  readonly asked?: readonly string[];
  /** Whether each process sends the contents of its flight recorder, and then ends the session. */
  readonly isRing?: boolean;
  /** Whether an existing file becomes FILE.old. */
  readonly keepsOld?: boolean;
}

/** @returns the exit status @throws UsageError, DiagnosticsClientError, OutputError */
export async function collect(options: CollectionOptions): Promise<number> {
  const { file, destination, keepsOld } = options;
  if (file === undefined || destination !== undefined) return collectAll(options);
  // A file that cannot be written is known before the command starts.
  return withOutput(file, (output) => collectAll(options, output), { keepsOld });
}

async function collectAll(options: CollectionOptions, output?: CommandOutput): Promise<number> {
  const collection = new Collection(options, output);
  let status: number;
  try {
    status = await withTarget(
      options.target,
      (target, stop) => collection.take(target, stop, options.duration),
      (later, stop) => collection.takeLater(later, stop),
    );
  } finally {
    await collection.end();
  }
  collection.saySilent();
  collection.check(status);
  return status;
}

class Collection {
  readonly #options: CollectionOptions;
  #output: CommandOutput | undefined;
  readonly #progress: NodeJS.Timeout;
  /** Names already in use. */
  readonly #files = new Set<string>();
  /** These problems are of processes after the first. */
  readonly #problems: unknown[] = [];
  /** Asked for, while nothing has come from them. */
  readonly #silent: Set<string>;
  #bytes = 0;
  #isLimited = false;
  #isCut = false;

  /** @param output for the first process */
  constructor(options: CollectionOptions, output: CommandOutput | undefined) {
    this.#options = options;
    this.#output = output;
    const { destination, write, asked } = options;
    // Otherwise, the files have no events.
    this.#silent = new Set(destination === undefined && write === undefined ? asked : []);
    this.#progress = setInterval(() => {
      if (this.#bytes > 0) showProgress(`Collecting: ${dataSize(this.#bytes)}`);
    }, PROGRESS_MS);
  }

  /**
   * Collects the events of a process until it ends.
   *
   * @param duration in ms
   * @throws DiagnosticsClientError
   */
  async take(target: OpenedTarget, stop: StopRequest, duration?: number): Promise<void> {
    const { destination, write = writeAll } = this.#options;
    const file = destination === undefined ? await this.#fileOf(target) : '';
    const given = this.#output;
    this.#output = undefined;
    const session = await this.#start(target);
    let bytes = 0;
    const onBytes = (size: number) => {
      bytes += size;
      this.#bytes += size;
    };
    await readSession(session, target, stop, duration, async () => {
      const stream = this.#limited(session, stop, onBytes);
      if (destination !== undefined) {
        return destination.take(stream, await processNameOf(target.client, target.name));
      }
      if (given !== undefined) return write(stream, given);
      await withOutput(file, (output) => write(stream, output), { keepsOld: this.#options.keepsOld });
    });
    if (destination === undefined) {
      say(`Collected ${dataSize(bytes)} into ${file}.${this.#endOf(session, target)}`);
      await this.#lookFor(file, bytes);
    }
  }

  /** Like `take`, but `check` reports failures, and the process continues. */
  async takeLater(target: OpenedTarget, stop: StopRequest): Promise<void> {
    try {
      await this.take(target, stop);
    } catch (error) {
      this.#problems.push(error);
      // The process may have ended, and that may be the failure.
      await target.resume().catch(() => {});
    }
  }

  /** @throws the failure of a process after the first */
  check(status: number): void {
    const [problem] = this.#problems;
    if (problem === undefined) return;
    if (status === 0) throw problem;
    warn(sentenceOf(problem));
  }

  /** A name in the wrong case is as good as any other for a process, which may define that provider later. */
  saySilent(): void {
    for (const name of this.#silent) {
      say(`Nothing has come from ${name}: it was silent, or has another name; names are case-sensitive.`);
    }
  }

  async end(): Promise<void> {
    clearInterval(this.#progress);
    const problem = await this.#options.destination?.end();
    if (problem !== undefined) this.#problems.push(problem);
  }

  /** The session's bytes up to the limit. */
  async *#limited(
    session: TracingSession,
    stop: StopRequest,
    onBytes: (size: number) => void,
  ): AsyncGenerator<Uint8Array> {
    const { maxSize = Number.POSITIVE_INFINITY } = this.#options;
    // Leaves room for what a process still has to send when it is stopped.
    const stopsAt = maxSize - Math.min(maxSize / 4, MAX_ROOM);
    for await (const chunk of session.stream) {
      const size = Math.min(chunk.length, maxSize - this.#bytes);
      onBytes(size);
      if (size > 0) yield chunk.subarray(0, size);
      if (this.#bytes >= stopsAt) {
        this.#isLimited = true;
        stop.stop();
      }
      if (size < chunk.length) {
        this.#isCut = true;
        return;
      }
    }
  }

  /** @throws DiagnosticsClientError */
  async #start({ client, name }: OpenedTarget): Promise<TracingSession> {
    try {
      return await client.collectTracing(this.#options.tracing);
    } catch (error) {
      if (!(this.#options.isRing && error instanceof DiagnosticsClientError && error.code === 'refused'))
        throw error;
      const remedy = 'start it with TRACEWRIGHT_FLIGHT_RECORDER=1, or call startFlightRecorder() in it';
      throw new DiagnosticsClientError('refused', `${name} has no flight recorder: ${remedy}.`);
    }
  }

  /** Looks for events of the providers of which nothing has come so far. */
  async #lookFor(file: string, bytes: number): Promise<void> {
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    if (!isFile || bytes > MAX_CHECKED) this.#silent.clear();
    if (this.#silent.size === 0) return;
    for await (const batch of (await openTrace(file, { onDamage: 'warning' })).batches()) {
      for (const { provider } of batch) this.#silent.delete(provider);
      if (this.#silent.size === 0) return;
    }
  }

  #endOf(session: TracingSession, { name }: OpenedTarget): string {
    if (this.#isCut) return ' The file was cut off at --max-size.';
    if (session.isCutOff)
      return ` ${name} did not end its session in time; the file has what had arrived by then.`;
    if (!session.isComplete && !this.#options.isRing) return ` ${name} has ended.`;
    return this.#isLimited ? ' It is close to --max-size.' : '';
  }

  async #fileOf(target: OpenedTarget): Promise<string> {
    const wanted = this.#options.file ?? (await fileNameOf(target));
    const { name, ext } = parse(wanted);
    const stem = wanted.slice(0, wanted.length - (name + ext).length) + name;
    const file = this.#files.has(wanted) ? `${stem}.${target.processId}${ext}` : wanted;
    this.#files.add(file);
    return file;
  }
}

async function writeAll(stream: AsyncIterable<Uint8Array>, output: CommandOutput): Promise<void> {
  for await (const chunk of stream) await output.write(chunk);
}

/** `app_20240328_004512.nettrace`, like dotnet-trace, in local time. */
async function fileNameOf({ client, name }: OpenedTarget): Promise<string> {
  const process = (await processNameOf(client, name)).replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
  const now = new Date();
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()];
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  const [day, clock] = [date, time].map((parts) =>
    parts.map((part) => String(part).padStart(2, '0')).join(''),
  );
  return `${process}_${day}_${clock}.nettrace`;
}

/** The oldest runtimes do not report it. */
async function processNameOf(client: DiagnosticsClient, fallback: string): Promise<string> {
  try {
    const name = processName(await client.processInfo());
    return /^\.*$/.test(name) ? 'trace' : name;
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError && error.code === 'unsupported')) throw error;
    return fallback.replace(' ', '_');
  }
}
