/** The tracepoints that a recording has found and is recording. */
import { readdirSync, readFileSync } from 'node:fs';
import { shown } from '../base/value-text.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { theTracer } from '../platform/tracer.ts';
import { tracepointDefinition } from '../wire/eventheader/tracepoint-name.ts';
import { parseTracepointName } from '../wire/eventheader/tracepoint-name-parse.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Tracefs } from './tracefs.ts';
import { type Selection, type Tracepoint, USER_EVENTS } from './tracepoint-selection.ts';

export interface RecordedTracepoint extends Tracepoint {
  readonly event: RecordedEvent;
  readonly format: Uint8Array;
}

/**
 * How many a recording finds by itself. Programs can register as many tracepoints as the kernel has room for, and each
 * takes memory and descriptors of the recorder.
 */
const MAX_FOUND = 4096;
/** Additional ones announced by the recorded command, so that no other program takes its room. */
const MAX_TOLD = 4096;
/** Descriptors for everything else that a recording opens. */
const SPARE_DESCRIPTORS = 64;
/** Nobody reads more sentences. */
const MAX_PROBLEMS = 20;
/** How many names to list of tracepoints that cannot be recorded because of their names. */
const MAX_NAMES = 3;
/**
 * The kernel accepts any name, but a tracepoint with a "/" in its name has no files. Control characters, and bytes that
 * are not UTF-8, break the lines of the files that list tracepoints; no provider's name contains them.
 */
const UNRECORDABLE = /[/\p{Cc}\u2028\u2029\uFFFD]/u;

export class RecordedTracepoints {
  readonly #recorder: Pick<EventRecorder, 'add'>;
  readonly #tracefs: Pick<Tracefs, 'names' | 'files'>;
  readonly #selection: Selection;
  readonly #announce: ((tracepoint: RecordedTracepoint) => void) | undefined;
  /** The key is the name with the system; the value is `undefined` if it cannot be recorded. */
  readonly #known = new Map<string, RecordedTracepoint | undefined>();
  readonly #problems = new Set<string>();
  #untoldProblems = 0;
  readonly #unrecordable: string[] = [];
  #unrecordableCount = 0;
  #maxFound: number;
  #maxTold: number;

  /**
   * @param descriptors that the recorder needs per tracepoint
   * @param announce called with each one before its first event can arrive
   */
  constructor(
    recorder: Pick<EventRecorder, 'add'>,
    tracefs: Pick<Tracefs, 'names' | 'files'>,
    selection: Selection,
    descriptors: number,
    announce?: (tracepoint: RecordedTracepoint) => void,
  ) {
    this.#recorder = recorder;
    this.#tracefs = tracefs;
    this.#selection = selection;
    this.#announce = announce;
    const room = descriptors === 0 ? MAX_FOUND + MAX_TOLD : Math.floor(freeDescriptors() / descriptors);
    this.#maxTold = Math.min(MAX_TOLD, Math.floor(room / 2));
    this.#maxFound = Math.min(MAX_FOUND, room - this.#maxTold);
  }

  get all(): readonly RecordedTracepoint[] {
    return [...this.#known.values()].filter((tracepoint) => tracepoint !== undefined);
  }

  /** Why some are not recorded, in sentences. */
  get problems(): readonly string[] {
    if (this.#untoldProblems === 0) return [...this.#problems];
    return [...this.#problems, `${this.#untoldProblems} more tracepoints are not recorded.`];
  }

  /**
   * Which ones cannot be recorded at all, as a sentence. Any program that may register tracepoints can create such
   * ones.
   */
  get unrecordable(): string | undefined {
    const names = this.#unrecordable.join(', ');
    const count = this.#unrecordableCount;
    if (count === 0) return undefined;
    const subject = count === 1 ? '1 tracepoint was' : `${count} tracepoints were`;
    const rest = count > this.#unrecordable.length ? ', ...' : '';
    return `${subject} not recorded because of a "/" or a control character in the name: ${names}${rest}.`;
  }

  /**
   * Records the tracepoints selected by name, and creates those among them whose fields are known and that no program
   * has registered yet.
   *
   * @throws RecorderError
   */
  addNamed(): void {
    for (const tracepoint of this.#selection.tracepoints) {
      const { system, name } = tracepoint;
      const isToCome = system === USER_EVENTS;
      const definition = isToCome ? definitionOf(tracepoint) : undefined;
      if (definition !== undefined) register(name, definition);
      if (!this.#look(tracepoint, Number.POSITIVE_INFINITY) && !isToCome) {
        throw new RecorderError(this.problems[0] ?? `There is no tracepoint ${system}:${name}.`);
      }
    }
  }

  /** Records what programs have registered since the last time, if it is selected. */
  scan(): void {
    let names: readonly string[];
    try {
      names = this.#tracefs.names(USER_EVENTS);
    } catch (error) {
      if (!(error instanceof RecorderError)) throw error;
      this.#problems.add(error.message);
      return;
    }
    for (const name of names) this.#look({ system: USER_EVENTS, name }, this.#maxFound);
  }

  /** Records a tracepoint that a program has announced, if it is selected and exists. */
  lookFor(name: string): void {
    const before = this.#known.size;
    this.#look({ system: USER_EVENTS, name }, this.#maxFound + this.#maxTold);
    // This does not reduce the number of those found by polling.
    const taken = this.#known.size - before;
    this.#maxTold -= taken;
    this.#maxFound += taken;
  }

  /**
   * Records the tracepoint if it is selected and exists.
   *
   * @param most the maximum number afterwards
   * @returns whether it is recorded
   */
  #look(tracepoint: Tracepoint, most: number): boolean {
    const fullName = `${tracepoint.system}:${tracepoint.name}`;
    if (this.#known.has(fullName)) return this.#known.get(fullName) !== undefined;
    if (!this.#selection.has(tracepoint)) return false;
    if (this.#known.size >= most) {
      this.#problems.add(
        'There are more tracepoints than one recording supports, and the latest ones are not recorded: ' +
          'select some with --provider or --tracepoint, or raise the limit of open files (ulimit -n).',
      );
      return false;
    }
    if (UNRECORDABLE.test(tracepoint.name)) {
      this.#known.set(fullName, undefined);
      if (this.#unrecordable.push(shown(fullName)) > MAX_NAMES) this.#unrecordable.pop();
      this.#unrecordableCount++;
      return false;
    }
    const files = this.#tracefs.files(tracepoint);
    if (files === undefined) return false;
    try {
      const { id, format } = files;
      const announce = (event: RecordedEvent) => this.#announce?.({ ...tracepoint, event, format });
      const event = this.#recorder.add(fullName, id, announce);
      this.#known.set(fullName, { ...tracepoint, event, format });
      return true;
    } catch (error) {
      if (!(error instanceof RecorderError)) throw error;
      // The program that registered it may just have exited, and the tracepoint with it.
      if (this.#tracefs.files(tracepoint)?.id !== files.id) return false;
      return this.#refuse(fullName, error.message);
    }
  }

  /** It is not tried again. */
  #refuse(fullName: string, sentence: string): false {
    this.#known.set(fullName, undefined);
    if (this.#problems.size < MAX_PROBLEMS) this.#problems.add(sentence);
    else this.#untoldProblems++;
    return false;
  }
}

/** Node.js has raised the limit as far as it may. */
function freeDescriptors(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  const taken = readdirSync('/proc/self/fd').length + SPARE_DESCRIPTORS;
  return Math.max(0, Number(limit ?? Number.MAX_SAFE_INTEGER) - taken);
}

function definitionOf({ name, definition }: Tracepoint): string | undefined {
  return definition ?? (parseTracepointName(name) && tracepointDefinition(name));
}

/** Creates the tracepoint for the lifetime of this process. @throws RecorderError */
function register(name: string, definition: string): void {
  const tracer = theTracer();
  tracer.open();
  const reason =
    tracer.reason ??
    tracer.register(
      tracer.allocate(),
      name,
      Buffer.from(definition),
      // Nothing is ever written to it here.
      new Uint8Array(0),
    );
  if (reason !== undefined) throw new RecorderError(reason);
}
