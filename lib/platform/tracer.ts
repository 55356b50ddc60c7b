/**
 * The operating system's tracer (user_events or ETW) as the rest of the library sees it: it always exists, and where it
 * cannot be used it does nothing and says why.
 */
import { isOtherRuntime, loadAddon, NO_WORD } from './addon.ts';
import type { AddonCommand, Backend, TracerAddon } from './addon-functions.ts';
import * as etw from './etw-reasons.ts';
import { announceTracepoint, openTracer } from './recorder-notice.ts';
import * as userEvents from './user-events-reasons.ts';

/** Bit 0 of an enabled word: set by the tracer while the event is being recorded. */
export const TRACER_BIT = 1;

/** The only bit set in a released word. */
export const RELEASED_BIT = 4;

/** The enabled word of one event. While it is 0, the event is disabled. */
export interface EnabledWord {
  /** The array that holds the word: shared with the tracer, read with a plain load. */
  readonly words: Uint32Array;
  readonly index: number;
}

/** Released words point here: a late reader sees neither zero nor the bits of another event. */
const RELEASED: EnabledWord = { words: Uint32Array.of(RELEASED_BIT), index: 0 };

export class Tracer {
  readonly #addon: TracerAddon | undefined;
  readonly #words: Uint32Array | undefined;
  readonly #commandHandlers = new Set<(command: AddonCommand) => void>();
  #hearsCommands = false;
  #reason: string | undefined;

  constructor(loaded: TracerAddon | { readonly reason: string } = loadAddon()) {
    if ('reason' in loaded) {
      this.#reason = loaded.reason;
    } else {
      this.#addon = loaded;
      this.#words = loaded.words();
    }
  }

  /** Which tracer is open, or `'none'`. */
  get backend(): Backend {
    return this.#reason === undefined ? (this.#addon?.platform ?? 'none') : 'none';
  }

  /** Why nothing reaches the tracer; undefined while events do. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * Opens the tracer unless it is open. What was missing before (a mount, a permission) may be there now, so every new
   * event source tries again.
   */
  open(): void {
    if (this.#addon === undefined) return;
    const { error, path } = openTracer(this.#addon);
    this.#reason = error === 0 ? undefined : openReason(this.#addon, error, path);
    this.#hearCommands(this.#addon);
  }

  /** A new word: in the page that the tracer writes to or, if it is full, in an array of its own. */
  allocate(): EnabledWord {
    const index = this.#addon?.allocate() ?? NO_WORD;
    if (this.#words === undefined || index === NO_WORD) return { words: new Uint32Array(1), index: 0 };
    return { words: this.#words, index };
  }

  /** Undoes `allocate` and `register`. From now on, late readers see `RELEASED_BIT` as the word. */
  release(word: EnabledWord): void {
    const { words, index } = word;
    // First, because the addon then reuses the word for another event.
    Object.assign(word, RELEASED);
    if (words === this.#words) this.#addon?.release(index);
  }

  /**
   * Registers an event with the tracer, so that bit 0 of the word says whether it is being recorded.
   *
   * @param name of the tracepoint or the provider, for the reason
   * @param definition the event as described to the tracer; see provider.cc of native/linux and native/windows
   * @param scratch where the event will be encoded
   * @returns why it failed, or undefined
   */
  register(word: EnabledWord, name: string, definition: Uint8Array, scratch: Uint8Array): string | undefined {
    if (this.#addon === undefined || this.#reason !== undefined) return this.#reason;
    if (word.words !== this.#words) {
      return `${name} was not registered: all ${this.#words?.length} enabled words are in use.`;
    }
    const error = this.#addon.register(word.index, definition, scratch);
    if (error !== 0) return registerReason(this.#addon, error, name);
    announceTracepoint(this.#addon, name);
    return undefined;
  }

  /** Sends the first `size` bytes of the word's scratch buffer; undefined on success, or a code for `writeReason`. */
  write(word: EnabledWord, size: number): number | undefined {
    return this.#addon === undefined ? NO_WORD : this.#addon.write(word.index, size);
  }

  /**
   * Calls the handler for each command that a session sends to a provider of this process. Commands go through the
   * event loop, so one that arrives while a provider is being registered still finds the handler.
   *
   * @returns removes the handler
   */
  onCommand(handler: (command: AddonCommand) => void): () => void {
    this.#commandHandlers.add(handler);
    return () => void this.#commandHandlers.delete(handler);
  }

  /** The last enable or disable sent to the provider, perhaps before this thread defined it. */
  lastCommand(provider: Uint8Array): AddonCommand | undefined {
    return this.#addon?.lastCommand(provider);
  }

  /** Before the first registration, since a session may send a command immediately. Only ETW has commands. */
  #hearCommands(addon: TracerAddon): void {
    if (this.#hearsCommands || this.backend !== 'etw') return;
    this.#hearsCommands = true;
    addon.onCommand((command) => {
      // A handler may remove another; handlers added here get the command from `lastCommand`.
      for (const each of [...this.#commandHandlers]) if (this.#commandHandlers.has(each)) each(command);
    });
  }

  /** Whether the system keeps activity ids for threads, and has applied the code to this thread's. */
  threadActivityId(code: number, id: Uint8Array): boolean {
    return this.#addon?.threadActivityId(code, id) === 0;
  }

  /** How long a thread has been on a processor: see `TracerAddon`. */
  threadCpuMSec(osThreadId: number): number {
    return this.#addon?.threadCpuMSec(osThreadId) ?? 0;
  }

  /** Whether the addon watches the event loop now: see `TracerAddon`. */
  watchLoop(time: Float64Array): boolean {
    return !isOtherRuntime && this.#addon?.watchLoop(time) === 0;
  }

  unwatchLoop(): void {
    this.#addon?.unwatchLoop();
  }

  /** Whether `probeThreadPool` does anything: that needs the addon. */
  get canProbeThreadPool(): boolean {
    return this.#addon !== undefined;
  }

  /**
   * Measures the delay of the thread pool's queue: see `TracerAddon`.
   *
   * @returns its milliseconds; not a number while it waits
   */
  probeThreadPool(resource: object, done: () => void): Float64Array {
    const delay = Float64Array.of(Number.NaN);
    this.#addon?.probeThreadPool(delay, resource, done);
    return delay;
  }

  /** The name under which a failed write is counted. */
  writeReason(error: number): string {
    return this.#addon === undefined ? 'notRegistered' : writeReason(this.#addon, error);
  }
}

let tracer: Tracer | undefined;

/** Each thread has one, which knows the enabled words of all sources. */
export function theTracer(): Tracer {
  tracer ??= new Tracer();
  return tracer;
}

// The results of the addon's functions as text: sentences for failed registrations, names for events that were not
// written.

function openReason(addon: TracerAddon, error: number, path: string): string {
  if (error === addon.codes.unsupported) {
    return `tracewright writes to no kernel tracer on ${process.platform}; listeners in the process work.`;
  }
  return userEvents.openReason(error, path);
}

/** @param name what was to be registered: a tracepoint, or a provider */
function registerReason(addon: TracerAddon, error: number, name: string): string {
  if (error === addon.codes.notRegistered)
    return `${name} was not registered: the kernel's tracer is not open.`;
  return addon.platform === 'etw' ? etw.registerReason(error, name) : userEvents.registerReason(error, name);
}

/** Why an event was not written: the key under which `stats().dropped` counts it. */
function writeReason(addon: TracerAddon, error: number): string {
  const { codes } = addon;
  if (error === codes.nobodyListens) return 'nobodyListens';
  if (error === codes.fileClosed) return 'fileClosed';
  if (error === codes.notRegistered) return 'notRegistered';
  return addon.platform === 'etw' ? etw.writeReason(error) : userEvents.writeReason(error);
}
