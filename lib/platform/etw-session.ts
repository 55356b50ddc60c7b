/**
 * The addon's functions for ETW sessions: Windows itself records into an .etl file, or keeps the events in memory, or
 * hands them to consumers. See native/windows/recorder.h. A session outlives this process.
 */
import type { ControlCode, EnableFilter, LevelAndKeywords } from '../wire/etw/enable-filters.ts';
import {
  decodeSessionNumbers,
  encodeSessionNumbers,
  SessionControl,
  type SessionNumbers,
} from '../wire/etw/session-properties.ts';
import { guidBytes } from '../wire/guid.ts';
import { windowsAddon } from './addon.ts';
import { controlReason, enableReason, isGone, privilegeReason, startReason } from './etw-session-reasons.ts';
import { needed, RecorderError } from './recorder-error.ts';

/** What a session is, or is to be. */
export interface SessionProperties {
  /** Unique among sessions. */
  readonly name: string;
  /** An absolute path; empty: none. */
  readonly file: string;
  /** The GUID of the system's session, or of the provider of a private one; as text. */
  readonly guid?: string | undefined;
  readonly numbers: Partial<SessionNumbers>;
}

/** A running session. */
export interface FoundSession {
  /** Its handle. */
  readonly session: bigint;
  readonly name: string;
  /** The file is empty if there is none. */
  readonly file: string;
  readonly numbers: SessionNumbers;
}

/** What a session is to do with a provider. */
export interface ProviderRequest extends LevelAndKeywords {
  /** GUID, as text. */
  readonly provider: string;
  readonly code: ControlCode;
  /** Bits of EnableProperty. */
  readonly properties: number;
  readonly filters: readonly EnableFilter[];
}

const NO_GUID = new Uint8Array(16);

/**
 * Starts a session, with no providers yet.
 *
 * @returns its handle
 * @throws RecorderError
 */
export function startEtwSession(properties: SessionProperties): bigint {
  const { name, file, guid, numbers } = properties;
  const { error, session } = needed(windowsAddon()).sessionStart(
    name,
    encodeSessionNumbers(numbers),
    file,
    guid === undefined ? NO_GUID : guidBytes(guid),
  );
  if (error !== 0) throw new RecorderError(startReason(error, properties));
  return session;
}

/**
 * Queries, stops or changes a session, by its handle or its name, whoever started it.
 *
 * @returns what it is, or was, then; undefined if there is none, or no longer
 * @throws RecorderError
 */
export function controlEtwSession(
  code: SessionControl,
  of: bigint | string,
  { file = '', guid, numbers = {} }: Partial<SessionProperties> = {},
): FoundSession | undefined {
  const { error, ...found } = needed(windowsAddon()).sessionControl(
    code,
    typeof of === 'bigint' ? of : 0n,
    typeof of === 'bigint' ? '' : of,
    encodeSessionNumbers(numbers),
    file,
    guid === undefined ? NO_GUID : guidBytes(guid),
  );
  if (isGone(error)) return undefined;
  if (error !== 0) throw new RecorderError(controlReason(error, code, file));
  return { ...found, numbers: decodeSessionNumbers(found.numbers) };
}

/**
 * Has a session record a provider, in all processes that have it or will have it, or do so no longer; or asks the
 * provider for its state.
 *
 * @throws RecorderError
 */
export function controlEtwProvider(session: bigint, request: ProviderRequest): void {
  const { provider, code, level, anyKeyword, allKeyword, properties, filters } = request;
  const error = needed(windowsAddon()).sessionProvider(
    session,
    guidBytes(provider),
    code,
    level,
    anyKeyword,
    allKeyword,
    properties,
    filters,
  );
  if (error !== 0) throw new RecorderError(enableReason(error, provider));
}

/**
 * Sets what TraceSetInformation can set of a session; 0n: of the system.
 *
 * @throws RecorderError
 */
export function setEtwInformation(session: bigint, informationClass: number, data: Uint8Array): void {
  const error = needed(windowsAddon()).sessionInformation(session, informationClass, data);
  if (error === 0) return;
  throw new RecorderError(
    `Windows does not record stacks and samples of the kernel as asked (Win32 error ${error}).`,
  );
}

/**
 * Turns on a privilege of this user for this process.
 *
 * @throws RecorderError
 */
export function enablePrivilege(name: string): void {
  const error = needed(windowsAddon()).enablePrivilege(name);
  if (error !== 0) throw new RecorderError(privilegeReason(error, name));
}

/**
 * The file that the session of this name is writing, whoever started it; undefined if there is none, or this user may
 * not see it.
 *
 * @throws RecorderError if there is no addon
 */
export function runningEtwSession(name: string): string | undefined {
  needed(windowsAddon());
  try {
    return controlEtwSession(SessionControl.Query, name)?.file;
  } catch {
    return undefined;
  }
}
