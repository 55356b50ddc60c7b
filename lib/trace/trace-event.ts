/**
 * The common shape of the events of all trace formats.
 *
 * An event is a view of the bytes from which it was read: what is expensive to decode (the payload, the text of GUIDs,
 * the stack) is decoded on first access. So a retained event keeps a part of the file in memory; if you retain many
 * events, copy what you need.
 */
import { Guid } from '../activity/guid.ts';
import { formatActivityPath, isActivityPath } from '../activity/path.ts';
import { hexText } from '../base/bytes.ts';
import type { Payload, Value } from '../wire/decoded-field.ts';

/** Nanoseconds between two instants, or since 1970-01-01 UTC. */
export type Nanoseconds = bigint;

export abstract class TraceEvent {
  /** The provider's name, or its GUID if the trace does not contain the name. */
  abstract readonly provider: string;
  /** The GUID is in lower case; absent if the provider has none. */
  abstract readonly providerGuid: string | undefined;
  /** The event's own name (`RequestStart`); for events without one, task and opcode (`GC/Start`). */
  abstract readonly name: string;
  /** 0 if the provider gives its events no ids. */
  abstract readonly id: number;
  abstract readonly version: number;
  /** 0 to 255; see `Level`. */
  abstract readonly level: number;
  /** 0 to 255; see `Opcode`. */
  abstract readonly opcode: number;
  abstract readonly opcodeName: string | undefined;
  abstract readonly task: number;
  abstract readonly taskName: string | undefined;
  /** 64 bits, unsigned. */
  abstract readonly keywords: bigint;
  abstract readonly channel: number;
  /** The ids and the processor are absent if the trace does not contain them. */
  abstract readonly processId: number | undefined;
  /** The operating system's id of the thread. */
  abstract readonly threadId: number | undefined;
  abstract readonly processor: number | undefined;
  /**
   * Nanoseconds since 1970-01-01 UTC; if the trace has no wall-clock time (perf.data recorded without
   * `-k CLOCK_MONOTONIC`), nanoseconds on the recording's clock.
   */
  abstract readonly timestamp: Nanoseconds;
  /** Nanoseconds since the start of the trace (`TraceInfo.startTime`). */
  abstract readonly timeSinceStart: Nanoseconds;
  /** @internal The same as a number, which is exact for the first 104 days. */
  get nsSinceStart(): number {
    return Number(this.timeSinceStart);
  }

  /** The event's activity, as lower-case GUID text. */
  abstract readonly activityId: string | undefined;
  /** The activity that started the event's own. */
  abstract readonly relatedActivityId: string | undefined;
  /** The fields by name, in order; see `Value`. Empty if the fields are unknown. */
  abstract readonly payload: Payload;
  /** Names of fields, including members of structs, whose numbers are shown in hex: addresses, handles, bits. */
  get hexFields(): ReadonlySet<string> | undefined {
    return undefined;
  }

  /**
   * What people read in place of a field's value: the names that a map gives to a number or its bits, a FILETIME as
   * `2024-01-31T12:00:00.1234567Z`. Undefined if the value speaks for itself.
   */
  fieldText(_field: string): string | undefined {
    return undefined;
  }

  /** A sentence on why `payload` lacks some of the event's fields. */
  abstract readonly payloadProblem: string | undefined;
  /** The payload's bytes, as a view of the trace. */
  abstract readonly payloadBytes: Uint8Array;
  /** Addresses, innermost frame first. */
  abstract readonly stack: readonly bigint[] | undefined;
  /**
   * The position of the event in the trace, in bytes from its start; in an archive, from the start of the file in it.
   */
  abstract readonly position: number;

  /** What the trace attaches to the event besides its fields, by name: W3C's `TraceId` and `SpanId`, and others. */
  get labels(): Readonly<Record<string, string | bigint>> | undefined {
    return undefined;
  }

  /** The event's formatted message, if a manifest or a TMF provides one. */
  get message(): string | undefined {
    return undefined;
  }

  /** @internal Whether `message` says all that the event says (WPP). */
  get isMessage(): boolean {
    return false;
  }

  /** The path encoded in `activityId`, such as `//1/1/6`; absent if it is not a path. */
  get activityPath(): string | undefined {
    return pathOf(this.activityId, this.processId);
  }

  /** The path encoded in `relatedActivityId`. */
  get relatedActivityPath(): string | undefined {
    return pathOf(this.relatedActivityId, this.processId);
  }

  /**
   * The form for `JSON.stringify` and `tracewright dump --json`: 64-bit integers as strings, addresses and bytes in
   * hex.
   */
  toJSON(): Record<string, unknown> {
    return {
      provider: this.provider,
      providerGuid: this.providerGuid,
      name: this.name,
      id: this.id,
      version: this.version,
      level: this.level,
      opcode: this.opcode,
      opcodeName: this.opcodeName,
      task: this.task,
      taskName: this.taskName,
      keywords: `0x${this.keywords.toString(16)}`,
      channel: this.channel,
      processId: this.processId,
      threadId: this.threadId,
      processor: this.processor,
      timestamp: String(this.timestamp),
      timeSinceStart: String(this.timeSinceStart),
      activityId: this.activityId,
      activityPath: this.activityPath,
      relatedActivityId: this.relatedActivityId,
      relatedActivityPath: this.relatedActivityPath,
      labels: this.labels && jsonValue(this.labels),
      message: this.message,
      payload: jsonValue(this.payload, this.hexFields),
      payloadProblem: this.payloadProblem,
      stack: this.stack?.map((address) => `0x${address.toString(16)}`),
      position: this.position,
    };
  }

  /** The form for `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return this.toJSON();
  }
}

/** What events of one kind share, in the order of an event's JSON and of its columns. */
export const KIND_PROPERTIES = {
  provider: (event: TraceEvent) => event.provider,
  providerGuid: (event: TraceEvent) => event.providerGuid,
  name: (event: TraceEvent) => event.name,
  id: (event: TraceEvent) => event.id,
  version: (event: TraceEvent) => event.version,
  level: (event: TraceEvent) => event.level,
  opcode: (event: TraceEvent) => event.opcode,
  opcodeName: (event: TraceEvent) => event.opcodeName,
  task: (event: TraceEvent) => event.task,
  taskName: (event: TraceEvent) => event.taskName,
  keywords: (event: TraceEvent) => event.keywords,
  channel: (event: TraceEvent) => event.channel,
};

/** A small number, so that they rarely outlive V8's young generation. */
const MAX_PATHS = 1024;
/** The paths of one process by id: most events have the same id as a recent event of their process. */
let paths = new Map<string, string | undefined>();
let pathsProcessId = 0;

function pathOf(activityId: string | undefined, processId = 0): string | undefined {
  if (activityId === undefined) return undefined;
  if (processId !== pathsProcessId || paths.size >= MAX_PATHS) {
    paths = new Map();
    pathsProcessId = processId;
  }
  let path = paths.get(activityId);
  if (path === undefined && !paths.has(activityId)) {
    path = decodedPath(activityId, processId);
    paths.set(activityId, path);
  }
  return path;
}

/** A path of the event's own process, or one that looks like another's (see `isActivityPath`). */
function decodedPath(activityId: string, processId: number): string | undefined {
  const guid = Guid.tryParse(activityId);
  if (guid === undefined) return undefined;
  if (isActivityPath(guid, processId)) return formatActivityPath(guid, processId);
  return isActivityPath(guid) ? formatActivityPath(guid) : undefined;
}

type PayloadValue = Value | readonly Value[] | Payload | readonly Payload[];

/**
 * A payload's value for JSON: 64-bit integers as strings, bytes as hex.
 * @param hexFields see `TraceEvent.hexFields`
 */
export function jsonValue(value: PayloadValue, hexFields?: ReadonlySet<string>): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return hexText(value);
  if (Array.isArray(value)) return value.map((item) => jsonValue(item, hexFields));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, jsonField(name, member, hexFields)]),
    );
  }
  return value;
}

/** Returns a field's value as JSON: `0xffff8000` if it is one of `hexFields`. */
export function jsonField(name: string, value: PayloadValue, hexFields?: ReadonlySet<string>): unknown {
  return hexFields?.has(name) ? inHex(value, hexFields) : jsonValue(value, hexFields);
}

function inHex(value: PayloadValue, hexFields: ReadonlySet<string>): unknown {
  if ((typeof value === 'number' || typeof value === 'bigint') && value >= 0)
    return `0x${value.toString(16)}`;
  return Array.isArray(value) ? value.map((item) => inHex(item, hexFields)) : jsonValue(value, hexFields);
}
