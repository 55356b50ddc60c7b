/**
 * What the recorder writes down of each call of ETW's functions, and of what it answers: see recorder/.
 *
 * GUIDs are text without braces, lower-case. Handles, keywords and masks are text in hex ("0x1f", for BigInt).
 * Bytes are hex digits. A status is Windows' error number, 0 for success.
 */
interface Common {
  /** Counts the lines of the process from 1; also the order of the array. */
  readonly seq: number;
  /** Windows' id of the calling thread. */
  readonly thread: number;
}

/** An addon was loaded, and these functions of its import table are the recorder's now. */
export interface HookedCall extends Common {
  readonly op: 'hooked';
  readonly module: string;
  readonly functions: readonly string[];
}

export interface RegisterCall extends Common {
  readonly op: 'register';
  readonly provider: string;
  /** Whether the provider gave one. */
  readonly callback: boolean;
  readonly handle: string;
  readonly status: number;
}

export interface UnregisterCall extends Common {
  readonly op: 'unregister';
  readonly handle: string;
  readonly status: number;
}

export interface SetInformationCall extends Common {
  readonly op: 'setInformation';
  readonly handle: string;
  /** EVENT_INFO_CLASS; 2 sets the provider's traits. */
  readonly class: number;
  readonly data: string;
  readonly status: number;
}

/** An EVENT_DATA_DESCRIPTOR. */
export interface EventData {
  /** The descriptor's Reserved: 0 for payload, 1 for the event's metadata, 2 for the provider's traits. */
  readonly type: number;
  readonly size: number;
  readonly bytes: string;
}

export interface WriteCall extends Common {
  readonly op: 'write';
  readonly function: 'EventWrite' | 'EventWriteTransfer' | 'EventWriteEx' | 'EventWriteString';
  readonly handle: string;
  readonly provider: string;
  /** The 16 bytes of EVENT_DESCRIPTOR. */
  readonly descriptor: string;
  /** null where the caller gave none; ETW takes the thread's then. */
  readonly activityId: string | null;
  readonly relatedActivityId: string | null;
  readonly threadActivityId: string;
  /** How many data descriptors were given; `data` is empty where they are too many to read. */
  readonly count: number;
  readonly data: readonly EventData[];
  /** Whether a session has got the event. */
  readonly delivered: boolean;
  readonly status: number;
}

export interface ActivityIdControlCall extends Common {
  readonly op: 'activityIdControl';
  readonly code: number;
  readonly in: string | null;
  readonly out: string | null;
  readonly status: number;
}

export interface EventEnabledCall extends Common {
  readonly op: 'eventEnabled';
  readonly handle: string;
  readonly descriptor: string;
  readonly enabled: boolean;
}

export interface ProviderEnabledCall extends Common {
  readonly op: 'providerEnabled';
  readonly handle: string;
  readonly level: number;
  readonly keyword: string;
  readonly enabled: boolean;
}

/** The recorder is about to call a registration's callback. */
export interface CallbackCall extends Common {
  readonly op: 'callback';
  readonly handle: string;
  readonly provider: string;
  /** 0 disable, 1 enable, 2 capture state. */
  readonly code: number;
  readonly level: number;
  readonly any: string;
  readonly all: string;
  /** The data of the session's filter. */
  readonly filter: string | null;
}

/** The callback has returned: what follows is after it. */
export interface CallbackDoneCall extends Common {
  readonly op: 'callbackDone';
  readonly handle: string;
}

/** What a session is asked to be; a controlTrace's shows the same members. */
interface SessionProperties {
  /** UTF-16. */
  readonly name: string | null;
  /** Of the properties, with the room for names. */
  readonly size: number;
  readonly flags: number;
  readonly clock: number;
  readonly bufferKib: number;
  readonly minimumBuffers: number;
  readonly maximumBuffers: number;
  readonly maximumFileSize: number;
  readonly mode: number;
  readonly flushTimer: number;
  readonly enableFlags: number;
  readonly nameOffset: number;
  readonly fileOffset: number;
  /** UTF-16; null if the properties have no room for one. */
  readonly file: string | null;
  /** The 120 bytes of EVENT_TRACE_PROPERTIES as they were given. */
  readonly properties: string;
  readonly session: string;
  readonly status: number;
}

export interface StartTraceCall extends Common, SessionProperties {
  readonly op: 'startTrace';
}

export interface EnableTraceCall extends Common {
  readonly op: 'enableTrace';
  readonly session: string;
  readonly provider: string;
  /** 1 enables. */
  readonly code: number;
  readonly level: number;
  readonly any: string;
  readonly all: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** ENABLE_TRACE_PARAMETERS. */
  readonly parameters: string;
  readonly filters: readonly { readonly type: number; readonly size: number; readonly bytes: string }[];
  readonly status: number;
}

export interface ControlTraceCall extends Common, SessionProperties {
  readonly op: 'controlTrace';
  /** 1 stops. */
  readonly code: number;
  /** UTF-16. */
  readonly givenFile: string;
}

export interface TraceInformationCall extends Common {
  readonly op: 'traceInformation';
  readonly session: string;
  /** TRACE_INFO_CLASS. */
  readonly class: number;
  readonly data: string;
  readonly status: number;
}

/** AdjustTokenPrivileges. */
export interface PrivilegeCall extends Common {
  readonly op: 'privilege';
  readonly disablesAll: boolean;
  readonly count: number;
  /** The low half of its LUID. */
  readonly privilege: number;
  readonly attributes: number;
  readonly status: number;
}

export interface QueryAllTracesCall extends Common {
  readonly op: 'queryAllTraces';
  /** For how many sessions there is room. */
  readonly room: number;
  /** Whether all structures have these sizes. */
  readonly alike: boolean;
  readonly size: number;
  readonly nameOffset: number;
  readonly fileOffset: number;
  readonly count: number;
  readonly status: number;
}

/** What is asked for a list of any size. */
interface ListCall extends Common {
  /** In bytes. */
  readonly size: number;
  readonly needed: number;
  readonly status: number;
}

export interface EnumerateTraceGuidsCall extends ListCall {
  readonly op: 'enumerateTraceGuids';
  /** TRACE_QUERY_INFO_CLASS: 0 for all providers, 1 for the one given. */
  readonly class: number;
  readonly provider: string;
}

export interface TdhEnumerateProvidersCall extends ListCall {
  readonly op: 'tdhEnumerateProviders';
}

/** A consumer in real time. */
export interface OpenTraceCall extends Common {
  readonly op: 'openTrace';
  /** UTF-16. */
  readonly name: string;
  /** PROCESS_TRACE_MODE. */
  readonly mode: number;
  readonly hasFile: boolean;
  readonly hasEventCallback: boolean;
  readonly hasBufferCallback: boolean;
  readonly trace: string;
  readonly status: number;
}

export interface ProcessTraceCall extends Common {
  readonly op: 'processTrace';
  readonly trace: string;
  readonly count: number;
  readonly hasPeriod: boolean;
}

/** The recorder has called the event callback for this many events. */
export interface DeliverCall extends Common {
  readonly op: 'deliver';
  readonly events: number;
}

export interface EndedTraceCall extends Common {
  readonly op: 'processTraceDone' | 'closeTrace';
  readonly trace: string;
  readonly status: number;
}

/** The test program's own line. */
export interface MarkCall extends Common {
  readonly op: 'mark';
  readonly text: string;
}

export type EtwCall =
  | HookedCall
  | RegisterCall
  | UnregisterCall
  | SetInformationCall
  | WriteCall
  | ActivityIdControlCall
  | EventEnabledCall
  | ProviderEnabledCall
  | CallbackCall
  | CallbackDoneCall
  | StartTraceCall
  | EnableTraceCall
  | ControlTraceCall
  | QueryAllTracesCall
  | EnumerateTraceGuidsCall
  | TdhEnumerateProvidersCall
  | TraceInformationCall
  | PrivilegeCall
  | OpenTraceCall
  | ProcessTraceCall
  | DeliverCall
  | EndedTraceCall
  | MarkCall;

/** The calls behind a mark, up to the next. */
export function sectionOf(calls: readonly EtwCall[], text: string): EtwCall[] {
  const start = calls.findIndex((call) => call.op === 'mark' && call.text === text);
  const length = calls.slice(start + 1).findIndex((call) => call.op === 'mark');
  return calls.slice(start + 1, length < 0 ? undefined : start + 1 + length);
}

/** The calls of one kind. */
export function callsOf<Op extends EtwCall['op']>(
  calls: readonly EtwCall[],
  op: Op,
): Extract<EtwCall, { op: Op }>[] {
  return calls.filter((call): call is Extract<EtwCall, { op: Op }> => call.op === op);
}
