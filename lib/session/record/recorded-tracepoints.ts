/** The tracepoints that a recording has found and records. */
import { theKernel } from '../../platform/kernel.ts';
import { RecorderError } from '../../platform/recorder-error.ts';
import { tracepointDefinition } from '../../wire/eventheader/tracepoint-name.ts';
import { parseTracepointName } from '../../wire/eventheader/tracepoint-name-parse.ts';
import type { RecordedEvent } from '../../wire/perf-data/write/features.ts';
import type { EventRecorder } from './event-recorder.ts';
import { type Selection, type Tracepoint, USER_EVENTS } from './selection.ts';
import type { Tracefs } from './tracefs.ts';

export interface RecordedTracepoint extends Tracepoint {
  readonly event: RecordedEvent;
  readonly format: Uint8Array;
}

export class RecordedTracepoints {
  /** Why some are not recorded, in sentences. */
  readonly problems: string[] = [];
  readonly #recorder: Pick<EventRecorder, 'add'>;
  readonly #tracefs: Tracefs;
  readonly #selection: Selection;
  /** By name with the system; `undefined`: it cannot be recorded. */
  readonly #known = new Map<string, RecordedTracepoint | undefined>();

  constructor(recorder: Pick<EventRecorder, 'add'>, tracefs: Tracefs, selection: Selection) {
    this.#recorder = recorder;
    this.#tracefs = tracefs;
    this.#selection = selection;
  }

  get all(): readonly RecordedTracepoint[] {
    return [...this.#known.values()].filter((tracepoint) => tracepoint !== undefined);
  }

  /**
   * Records the tracepoints that are selected by name, and makes those among them whose fields are known and which
   * no program has registered yet.
   *
   * @throws RecorderError
   */
  addNamed(): void {
    for (const tracepoint of this.#selection.tracepoints) {
      const { system, name } = tracepoint;
      const isToCome = system === USER_EVENTS;
      const definition = isToCome ? definitionOf(tracepoint) : undefined;
      if (definition !== undefined) register(name, definition);
      if (!this.look(tracepoint) && !isToCome) {
        throw new RecorderError(this.problems[0] ?? `There is no tracepoint ${system}:${name}.`);
      }
    }
  }

  /** Records what programs have registered since the last time, as far as it is selected. */
  scan(): void {
    for (const name of this.#tracefs.names(USER_EVENTS)) this.look({ system: USER_EVENTS, name });
  }

  /** Records the tracepoint if it is selected and there. @returns whether it is recorded */
  look(tracepoint: Tracepoint): boolean {
    const fullName = `${tracepoint.system}:${tracepoint.name}`;
    if (this.#known.has(fullName)) return this.#known.get(fullName) !== undefined;
    if (!this.#selection.has(tracepoint)) return false;
    const files = this.#tracefs.files(tracepoint);
    if (files === undefined) return false;
    try {
      const event = this.#recorder.add(fullName, files.id);
      this.#known.set(fullName, { ...tracepoint, event, format: files.format });
      return true;
    } catch (error) {
      if (!(error instanceof RecorderError)) throw error;
      this.#known.set(fullName, undefined);
      this.problems.push(error.message);
      return false;
    }
  }
}

function definitionOf({ name, definition }: Tracepoint): string | undefined {
  return definition ?? (parseTracepointName(name) && tracepointDefinition(name));
}

/** Makes the tracepoint, for as long as this process lives. @throws RecorderError */
function register(name: string, definition: string): void {
  const kernel = theKernel();
  kernel.open();
  const reason =
    kernel.reason ??
    kernel.register(
      kernel.allocate(),
      name,
      Buffer.from(definition),
      // Nothing is ever written to it here.
      new Uint8Array(0),
    );
  if (reason !== undefined) throw new RecorderError(reason);
}
