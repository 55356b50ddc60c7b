/**
 * The kernel's tracer through a user_events_data descriptor, passed by a program with the right to open that file. All
 * threads of the process write to its tracepoints. See native/passed_tracer.h.
 */
import { linuxAddon } from './addon.ts';
import type { LinuxAddon, PassedTracerCounts, PassedTracerPart } from './addon-functions.ts';
import type { OwnedDescriptor } from './owned-descriptor.ts';
import { registerReason, writeReason } from './user-events-reasons.ts';

/**
 * - `not-there`: this platform has no tracer that can be passed, or the addon is missing
 * - `descriptor`: it is invalid, or events cannot be written through it
 * - `refused`: the kernel refuses a tracepoint
 */
type PassedTracerErrorCode = 'not-there' | 'descriptor' | 'refused';

export class PassedTracerError extends Error {
  override readonly name = 'PassedTracerError';
  readonly code: PassedTracerErrorCode;

  constructor(code: PassedTracerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returned by `kindOf` if there are too many kinds of events. */
export const NO_KIND = 0xffffffff;

export class PassedTracer {
  readonly #addon: LinuxAddon;
  readonly #handle: unknown;
  /** Each tracepoint has an index. */
  readonly #indexes: Uint32Array;
  /** The memory of all enabled words; undefined where JavaScript cannot access it. */
  readonly #words: Uint32Array | undefined;

  private constructor(addon: LinuxAddon, { handle, words }: PassedTracerPart) {
    this.#addon = addon;
    this.#handle = handle;
    this.#indexes = words;
    this.#words = addon.passedTracerWords();
  }

  /**
   * Registers tracepoints, which are identified by their index in `definitions` from then on.
   *
   * @param id for `join` in other threads; must be new
   * @param descriptor owned by the tracer from here on: closed at the end, or if this throws
   * @param definitions see `tracepointV1Definition`
   * @param scratch where this thread encodes its events
   * @throws PassedTracerError
   */
  static start(
    id: string,
    descriptor: OwnedDescriptor,
    definitions: readonly string[],
    scratch: Uint8Array,
  ): PassedTracer {
    const addon = linuxAddon();
    if ('reason' in addon) {
      descriptor.close();
      throw new PassedTracerError('not-there', addon.reason);
    }
    const number = descriptor.release();
    const started = addon.passedTracerStart(id, number, definitions, scratch);
    if (started.error === 0) return new PassedTracer(addon, started);
    const definition = definitions[started.failedAt];
    if (definition === undefined) throw descriptorError(started.error, number);
    throw new PassedTracerError('refused', registerReason(started.error, definition.split(' ', 1)[0] ?? ''));
  }

  /** The one that another thread started under this id; undefined if it has ended. */
  static join(id: string, scratch: Uint8Array): PassedTracer | undefined {
    const addon = linuxAddon();
    if ('reason' in addon) return undefined;
    const part = addon.passedTracerJoin(id, scratch);
    return part && new PassedTracer(addon, part);
  }

  /** Whether the tracepoint is being recorded; also true where only a write can tell. */
  isRecorded(tracepoint: number): boolean {
    return this.#words === undefined || this.#words[this.#indexes[tracepoint] as number] !== 0;
  }

  /** The number of a kind of events that is described to readers once, or `NO_KIND`. */
  kindOf(text: string): number {
    return this.#addon.passedTracerKind(this.#handle, text);
  }

  /** Whether any thread has written an event with the kind's description. */
  isDescribed(kind: number): boolean {
    return this.#addon.passedTracerIsDescribed(this.#handle, kind);
  }

  /**
   * Sends the first `size` bytes of the scratch buffer as one event; the first four are for the write index.
   *
   * @param describes the kind whose description it contains, or `NO_KIND`
   * @returns whether a tracer accepted it; failures are counted
   */
  write(tracepoint: number, size: number, describes: number): boolean {
    return this.#addon.passedTracerWrite(this.#handle, tracepoint, size, describes) === undefined;
  }

  /** Counts an event that could not be encoded. */
  drop(): void {
    this.#addon.passedTracerDrop(this.#handle);
  }

  get counts(): PassedTracerCounts {
    return this.#addon.passedTracerCounts(this.#handle);
  }

  /** Unregisters the tracepoints and closes the descriptor, after waiting for writes of other threads. */
  end(): void {
    this.#addon.passedTracerEnd(this.#handle);
  }
}

function descriptorError(error: number, descriptor: number): PassedTracerError {
  const name = writeReason(error);
  const message =
    name === 'EACCES'
      ? `The descriptor ${descriptor} is read-only, but events must be written through it.`
      : `The descriptor ${descriptor} cannot be used (${name}).`;
  return new PassedTracerError('descriptor', message);
}
