/**
 * How Windows lists the providers of ETW: those that are registered, and for a running one, which processes run it and
 * which sessions have enabled it. Little-endian; damaged lists yield what is whole.
 *
 * Source: PROVIDER_ENUMERATION_INFO of Windows' `tdh.h`; TRACE_GUID_INFO, TRACE_PROVIDER_INSTANCE_INFO and
 * TRACE_ENABLE_INFO of `evntrace.h`, and the documentation of EnumerateTraceGuidsEx.
 */
import { viewOf } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import { readTdhText } from './tdh-text.ts';

const GUID_SIZE = 16;

/** Count u32, padding; then providers: GUID, schema source u32, offset u32 of the name. */
const ENUMERATION_HEADER = 8;
const PROVIDER_SIZE = 24;

/** Count u32 of instances, reserved u32; then instances. */
const GUID_INFO_SIZE = 8;
/** Offset u32 of the next one, or 0 for the last; count u32 of sessions, process id u32, flags u32; then sessions. */
const INSTANCE_SIZE = 16;
/** Is enabled u32, level u8, reserved u8, session u16, property u32, reserved u32, any and all keywords u64. */
const ENABLE_SIZE = 32;

export interface RegisteredProvider {
  /** The GUID is in lower case. */
  readonly guid: string;
  readonly name: string | undefined;
  /** Who describes its events: 0 a manifest, 1 WMI's MOF. */
  readonly schemaSource: number;
}

/** A session that has enabled a provider. */
export interface ProviderEnabling {
  /** The lower half of its handle. */
  readonly sessionId: number;
  /** 0 requests all. */
  readonly level: number;
  /** 64 bits; 0 requests all. */
  readonly anyKeyword: bigint;
  /** 64 bits. */
  readonly allKeyword: bigint;
  /** Bits of EnableProperty. */
  readonly properties: number;
}

/** A provider in one process. */
export interface ProviderInstance {
  readonly processId: number;
  /** 1: registered as before Windows Vista; 2: enabled before it registered. */
  readonly flags: number;
  readonly enabledBy: readonly ProviderEnabling[];
}

export interface ProviderList<Entry> {
  readonly entries: readonly Entry[];
  /** Whether the bytes were as long as their counts say. */
  readonly isWhole: boolean;
}

/** The GUIDs of the running providers, in lower case. */
export function parseGuidList(bytes: Uint8Array): ProviderList<string> {
  const count = Math.floor(bytes.length / GUID_SIZE);
  return {
    entries: Array.from({ length: count }, (_, index) => guidText(bytes, index * GUID_SIZE)),
    isWhole: bytes.length % GUID_SIZE === 0,
  };
}

export function parseProviderEnumeration(bytes: Uint8Array): ProviderList<RegisteredProvider> {
  const view = viewOf(bytes);
  if (view.byteLength < ENUMERATION_HEADER) return { entries: [], isWhole: view.byteLength === 0 };
  const declared = view.getUint32(0, true);
  const count = Math.min(declared, Math.floor((view.byteLength - ENUMERATION_HEADER) / PROVIDER_SIZE));
  const entries = Array.from({ length: count }, (_, index) => {
    const at = ENUMERATION_HEADER + index * PROVIDER_SIZE;
    return {
      guid: guidText(bytes, at),
      schemaSource: view.getUint32(at + GUID_SIZE, true),
      name: readTdhText(view, view.getUint32(at + GUID_SIZE + 4, true)),
    };
  });
  return { entries, isWhole: count === declared };
}

/** TRACE_GUID_INFO: the instances of one provider. */
export function parseProviderInstances(bytes: Uint8Array): ProviderList<ProviderInstance> {
  const view = viewOf(bytes);
  const entries: ProviderInstance[] = [];
  const declared = view.byteLength < GUID_INFO_SIZE ? 0 : view.getUint32(0, true);
  let isWhole = view.byteLength >= GUID_INFO_SIZE;
  for (let at = GUID_INFO_SIZE; isWhole && entries.length < declared; ) {
    if (at + INSTANCE_SIZE > view.byteLength) return { entries, isWhole: false };
    const next = view.getUint32(at, true);
    const sessions = view.getUint32(at + 4, true);
    const end = at + INSTANCE_SIZE + sessions * ENABLE_SIZE;
    const room = Math.floor((view.byteLength - at - INSTANCE_SIZE) / ENABLE_SIZE);
    entries.push({
      processId: view.getUint32(at + 8, true),
      flags: view.getUint32(at + 12, true),
      enabledBy: Array.from({ length: Math.min(sessions, room) }, (_, index) =>
        enablingAt(view, at + INSTANCE_SIZE + index * ENABLE_SIZE),
      ).filter((enabling) => enabling !== undefined),
    });
    const isLast = entries.length === declared;
    isWhole = sessions <= room && (isLast || at + next >= end);
    at += next;
  }
  return { entries, isWhole };
}

function enablingAt(view: DataView, at: number): ProviderEnabling | undefined {
  if (view.getUint32(at, true) === 0) return undefined;
  return {
    level: view.getUint8(at + 4),
    sessionId: view.getUint16(at + 6, true),
    properties: view.getUint32(at + 8, true),
    anyKeyword: view.getBigUint64(at + 16, true),
    allKeyword: view.getBigUint64(at + 24, true),
  };
}
