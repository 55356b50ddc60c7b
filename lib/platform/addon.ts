/** The native addon: its interface, and how it is loaded. See native/addon.cc. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { binaryFolders } from '../base/package-files.ts';
import { thrownMessage } from '../base/value-text.ts';

/** The tracer of the operating system that events go to. */
export type Backend = 'user_events' | 'etw' | 'none';

/** A session's request to a provider of this process; ETW only. */
export interface AddonCommand {
  /** The provider's GUID, 16 bytes in struct order. */
  readonly provider: Uint8Array;
  /** 0 disable, 1 enable, 2 write state. */
  readonly code: number;
  /** 0 requests all levels. */
  readonly level: number;
  /** 64 bits; 0 requests all keywords. */
  readonly anyKeyword: bigint;
  /** 64 bits. */
  readonly allKeyword: bigint;
  /** The session's arguments, unparsed. */
  readonly filter: Uint8Array;
  /** Numbers the commands to this process. */
  readonly order: number;
}

export interface Addon {
  readonly platform: Backend;
  /** The results of `open`, `register` and `write`, besides 0 and system errors. */
  readonly codes: {
    readonly unsupported: number;
    readonly fileClosed: number;
    readonly notRegistered: number;
    readonly nobodyListens: number;
  };
  /**
   * Opens the kernel's tracer.
   *
   * @param path of a tracefs mount or its user_events_data file, or empty
   * @param recorder the socket of a recorder that passes on the tracer if it cannot be opened directly, or empty
   */
  open(path: string, recorder: string): { readonly error: number; readonly path: string };
  /** The enabled words of this process. */
  words(): Uint32Array;
  /** The index of an unused word, or `NO_WORD`. */
  allocate(): number;
  /** Undoes `register` and `allocate`. */
  release(index: number): void;
  /** Binds bit 0 of the word to an event, which will be encoded into `scratch`. */
  register(index: number, definition: Uint8Array, scratch: Uint8Array): number;
  /** Calls the handler on this thread for each command; the first handler stays. */
  onCommand(handler: (command: AddonCommand) => void): void;
  /** The last command with code 0 or 1 that was sent to the provider with this GUID. */
  lastCommand(provider: Uint8Array): AddonCommand | undefined;
  /** EventActivityIdControl with this code; `id` is 16 bytes in struct order, in and out. */
  threadActivityId(code: number, id: Uint8Array): number;
  /**
   * How long the thread with this id of the system, or with 0 this thread, has been on a processor, in milliseconds; 0 if
   * the system does not tell.
   */
  threadCpuMSec(osThreadId: number): number;
  /** Sends the first `size` bytes of the scratch buffer as one event; undefined on success. */
  write(index: number, size: number): number | undefined;
  /**
   * Announces a tracepoint to the recorder at this socket, and waits for its answer.
   * @returns a system error, or 0
   */
  awaitRecorder(address: string, tracepoint: string, milliseconds: number): number;
}

export const NO_WORD = 0xffffffff;

/**
 * The addon as built here or shipped for this platform, or the reason why it cannot be loaded. Uses `process.dlopen`
 * rather than `require`, which bundlers would resolve at build time.
 */
export function loadAddon(): Addon | { readonly reason: string } {
  const folders = binaryFolders();
  let problem = `there is no ${BUILT} and no ${join(SHIPPED, '*.node')} in ${folders.join(' or ')}`;
  for (const file of folders.flatMap(addonFiles)) {
    const module = { exports: {} };
    try {
      process.dlopen(module, file);
      return module.exports as Addon;
    } catch (error) {
      problem = `${file}: ${thrownMessage(error).split('\n', 1)[0]}`;
    }
  }
  return {
    reason: `The native addon could not be loaded (${problem}), so no event reaches the kernel: ${REMEDY}.`,
  };
}

const BUILT = 'build/Release/tracewright.node';
const SHIPPED = join('prebuilds', `${process.platform}-${process.arch}`);
/** Installing the package runs none of its code, so rebuilding it by npm does nothing. */
const REMEDY =
  'install the package again on this machine, copy its prebuilds folder beside a bundle, give --allow-addons with ' +
  '--permission, or run "npm run build:native" in a checkout';

/**
 * The addon's files in a folder: the one built there, then those shipped for the platform, named as by prebuildify.
 * There is one per C library; the dynamic linker refuses the wrong one.
 */
function addonFiles(folder: string): string[] {
  return [
    ...filesIn(join(folder, dirname(BUILT))).filter((file) => file.endsWith(basename(BUILT))),
    ...filesIn(join(folder, SHIPPED)).filter((file) => file.endsWith('.node')),
  ];
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
