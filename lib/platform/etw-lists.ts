/**
 * What the addon lists of ETW: the sessions of the machine, whoever started them, and its providers. See
 * native/windows/trace_list_functions.cc.
 */
import {
  type ProviderInstance,
  type ProviderList,
  parseGuidList,
  parseProviderEnumeration,
  parseProviderInstances,
  type RegisteredProvider,
} from '../wire/etw/provider-lists.ts';
import { guidBytes } from '../wire/guid.ts';
import { windowsAddon } from './addon.ts';
import type { ListedEtwSession, WindowsAddon } from './addon-functions.ts';
import { isAccessDenied, isUnknownProvider, listReason } from './etw-session-reasons.ts';
import { needed, RecorderError } from './recorder-error.ts';

export class EtwLists {
  readonly #addon: WindowsAddon;

  /** @throws RecorderError if there is no addon */
  constructor() {
    this.#addon = needed(windowsAddon());
  }

  /** Lists the sessions that this user may see. @throws RecorderError */
  sessions(): readonly ListedEtwSession[] {
    const { error, sessions } = this.#addon.traceSessions();
    if (error !== 0) throw new RecorderError(listReason(error, 'ETW sessions'));
    return sessions;
  }

  /** Lists the providers whose manifest or MOF class is installed. @throws RecorderError */
  registeredProviders(): ProviderList<RegisteredProvider> {
    const { error, bytes } = this.#addon.registeredProviders();
    if (error !== 0) throw new RecorderError(listReason(error, 'registered providers'));
    return parseProviderEnumeration(bytes);
  }

  /** The GUIDs of those that a process runs, or a session has enabled. @throws RecorderError */
  runningProviders(): ProviderList<string> {
    const { error, bytes } = this.#addon.traceGuids();
    if (error !== 0) throw new RecorderError(listReason(error, 'running providers'));
    return parseGuidList(bytes);
  }

  /**
   * Lists the processes in which a provider runs.
   *
   * @param guid as text
   * @returns undefined if this user may not see it
   * @throws RecorderError
   */
  instances(guid: string): ProviderList<ProviderInstance> | undefined {
    const { error, bytes } = this.#addon.traceGuids(guidBytes(guid));
    if (isAccessDenied(error)) return undefined;
    // It has ended meanwhile.
    if (isUnknownProvider(error)) return { entries: [], isWhole: true };
    if (error !== 0) throw new RecorderError(listReason(error, `users of the provider ${guid}`));
    return parseProviderInstances(bytes);
  }

  /** The file names of all processes' programs. */
  processNames(): ReadonlyMap<number, string> {
    return new Map(this.#addon.processNames());
  }
}

/**
 * The GUID of the provider that is registered under this name; undefined if there is none, or Windows does not tell.
 *
 * @param name in any case of letters
 */
export function registeredProviderGuid(name: string): string | undefined {
  if (process.platform !== 'win32') return undefined;
  const wanted = name.toLowerCase();
  try {
    const { entries } = new EtwLists().registeredProviders();
    return entries.find((one) => one.name?.toLowerCase() === wanted)?.guid;
  } catch (error) {
    if (error instanceof RecorderError) return undefined;
    throw error;
  }
}
