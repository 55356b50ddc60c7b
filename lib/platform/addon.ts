/**
 * The native addon: what it offers, and how it is found. See native/addon.cc.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Which tracer of the operating system events go to. */
export type Backend = 'user_events' | 'etw' | 'none';

/** What a session asked of a provider of this process; ETW only. */
export interface AddonCommand {
  /** The provider's GUID, 16 bytes in struct order. */
  readonly provider: Uint8Array;
  /** 0 disable, 1 enable, 2 write your state. */
  readonly code: number;
  /** 0 asks for all levels. */
  readonly level: number;
  /** 64 bits; 0 asks for all keywords. */
  readonly anyKeyword: bigint;
  /** 64 bits. */
  readonly allKeyword: bigint;
  /** The session's arguments, as it gave them. */
  readonly filter: Uint8Array;
}

export interface Addon {
  readonly platform: Backend;
  /** Results of `open`, `register` and `write` beside 0 and the system's errors. */
  readonly codes: {
    readonly unsupported: number;
    readonly fileClosed: number;
    readonly notRegistered: number;
    readonly nobodyListens: number;
  };
  /** Opens the kernel's tracer; `path` names a tracefs mount or its user_events_data file, or is empty. */
  open(path: string): { readonly error: number; readonly path: string };
  /** The enabled words of this process. */
  words(): Uint32Array;
  /** The index of a fresh word, or `NO_WORD`. */
  allocate(): number;
  /** Undoes `register` and `allocate`. */
  release(index: number): void;
  /** Binds bit 0 of the word to an event, which will be encoded into `scratch`. */
  register(index: number, definition: Uint8Array, scratch: Uint8Array): number;
  /** Has the handler called for each command, on this thread; the first handler stays. */
  onCommand(handler: (command: AddonCommand) => void): void;
  /** EventActivityIdControl with this code; `id` is 16 bytes in struct order, in and out. */
  threadActivityId(code: number, id: Uint8Array): number;
  /** Sends the first `size` bytes of the scratch buffer as one event; undefined: done. */
  write(index: number, size: number): number | undefined;
  /**
   * Tells the recorder at this abstract socket of a tracepoint, and waits until it has answered.
   * @returns an error of the system, or 0
   */
  awaitRecorder(address: string, tracepoint: string, milliseconds: number): number;
}

export const NO_WORD = 0xffffffff;

/**
 * The addon as it was built here, or as the package ships it for this platform; or the reason why it
 * cannot be loaded.
 */
export function loadAddon(): Addon | { readonly reason: string } {
  const require = createRequire(import.meta.url);
  const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
  try {
    const load = require('node-gyp-build') as (folder: string) => Addon;
    return load(packageRoot);
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return { reason: `The native addon could not be loaded (${message}), so no event reaches the kernel.` };
  }
}
