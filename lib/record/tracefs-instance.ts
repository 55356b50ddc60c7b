/**
 * Our own trace instance: a ring buffer per processor, separate from all other tracing. Source: Linux
 * `Documentation/trace/ftrace.rst` (Instances, per_cpu, stats).
 */

import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf, systemCodeText } from '../base/system-code.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { type PageLayout, parsePageLayout } from '../wire/ftrace/page-layout.ts';
import type { Tracefs } from './tracefs.ts';

/** The folder of all instances. */
export const INSTANCES = 'instances';
const PREFIX = 'tracewright-';
/** The ring has at least two pages, one of which is being read. */
const MIN_KIBIBYTES = 8;

export class TracefsInstance {
  /** The path of its folder. */
  readonly path: string;
  readonly layout: PageLayout;
  readonly #tracefs: Tracefs;
  readonly #folder: string;
  readonly #cpus: readonly number[];
  /** Each processor has a pipe. */
  readonly #pipes: number[] = [];
  readonly #page: Uint8Array;
  /** However we end, it must not be left behind. */
  readonly #onExit = () => this.remove();

  private constructor(tracefs: Tracefs, folder: string, cpus: readonly number[], ringSize: number) {
    this.#tracefs = tracefs;
    this.#folder = folder;
    this.path = tracefs.path(folder);
    this.#cpus = cpus;
    process.once('exit', this.#onExit);
    let step = 'header_page';
    try {
      this.layout = parsePageLayout(tracefs.read('events/header_page').toString());
      this.#page = new Uint8Array(this.layout.size);
      for (const [file, value] of [
        ['tracing_on', '0'],
        ['trace_clock', 'mono'],
        ['buffer_size_kb', String(Math.max(MIN_KIBIBYTES, Math.ceil(ringSize / 1024)))],
      ] as const) {
        step = file;
        this.#write(file, value);
      }
      step = 'trace_pipe_raw';
      for (const cpu of cpus) {
        const pipe = join(this.path, `per_cpu/cpu${cpu}/trace_pipe_raw`);
        this.#pipes.push(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK));
      }
    } catch (error) {
      this.remove();
      const reason = `${step}: ${systemCodeText(error)}`;
      const advice = systemCodeOf(error) === 'ENOMEM' ? ' Use a smaller --buffer-size.' : '';
      throw new RecorderError(`The trace instance ${this.path} could not be set up (${reason}).${advice}`);
    }
    this.#rememberProcesses();
  }

  /**
   * Creates one, which records nothing yet.
   *
   * @returns nothing if this user, or this kernel, cannot have any
   * @throws RecorderError
   */
  static open(tracefs: Tracefs, cpus: readonly number[], ringSize: number): TracefsInstance | undefined {
    removeForsaken(tracefs);
    const folder = join(INSTANCES, `${PREFIX}${process.pid}`);
    try {
      mkdirSync(tracefs.path(folder));
    } catch {
      return undefined;
    }
    return new TracefsInstance(tracefs, folder, cpus, ringSize);
  }

  /** @throws the system's error */
  enable(system: string, name: string): void {
    this.#write(join('events', system, name, 'enable'), '1');
  }

  /** Switches whether enabled events go into the rings. @throws the system's error */
  switchTo(isOn: boolean): void {
    this.#write('tracing_on', isOn ? '1' : '0');
  }

  /**
   * The next page of a processor, which is complete even if the kernel is still writing to it.
   *
   * @param index of the processor among those it was opened for
   * @returns bytes that the next call overwrites; nothing if there are none at present
   * @throws the system's error
   */
  nextPage(index: number): Uint8Array | undefined {
    try {
      const size = readSync(this.#pipes[index] as number, this.#page, 0, this.#page.length, null);
      return size === 0 ? undefined : this.#page.subarray(0, size);
    } catch (error) {
      if (systemCodeOf(error) === 'EAGAIN') return undefined;
      throw error;
    }
  }

  /** Events that found no room so far, on all processors. */
  lost(): number {
    let lost = 0;
    for (const cpu of this.#cpus) {
      lost += lostIn(this.#tracefs.read(join(this.#folder, `per_cpu/cpu${cpu}/stats`)).toString());
    }
    return lost;
  }

  /** Removes the instance with its contents. */
  remove(): void {
    process.removeListener('exit', this.#onExit);
    for (const pipe of this.#pipes.splice(0)) closeSync(pipe);
    removeFolder(this.path);
  }

  /** Makes the kernel record which process a thread belongs to. Not supported before Linux 4.14. */
  #rememberProcesses(): void {
    try {
      this.#write('options/record-tgid', '1');
    } catch {
      // The processes stay unknown.
    }
  }

  #write(file: string, value: string): void {
    writeFileSync(join(this.path, file), value);
  }
}

/** Events that found no room, according to a processor's statistics. */
export function lostIn(stats: string): number {
  const counts = stats.matchAll(/^(?:overrun|commit overrun|dropped events): (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The process that has created an instance of this name; undefined if it is not one of ours. */
export function instanceOwner(name: string): number | undefined {
  const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
  return /^\d+$/.test(id) ? Number(id) : undefined;
}

/** Removes the instances of killed recordings. The kernel keeps those that are being read. */
function removeForsaken(tracefs: Tracefs): void {
  for (const name of namesIn(tracefs.path(INSTANCES))) {
    if (name.startsWith(PREFIX)) removeFolder(tracefs.path(join(INSTANCES, name)));
  }
}

/** What a folder contains; nothing if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It belongs to another recording, or has gone.
  }
}
