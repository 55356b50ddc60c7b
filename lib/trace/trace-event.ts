/**
 * The one shape that the events of every trace format are read into.
 *
 * An event is a view of the bytes it was read from: what costs something to decode (the payload, the GUIDs'
 * text, the stack) is decoded when it is first asked for. So an event that is kept keeps a part of the file in
 * memory; who keeps many events takes out what is needed.
 */
import { Guid } from '../activity/guid.ts';
import { formatActivityPath, isActivityPath } from '../activity/path.ts';
import { hexText } from '../wire/bytes.ts';
import type { Payload, Value } from '../wire/decoded-field.ts';

/** Nanoseconds between two instants, or since 1970-01-01 UTC. */
export type Nanoseconds = bigint;

export abstract class TraceEvent {
  /** The provider's name; where the trace does not tell it, its GUID. */
  abstract readonly provider: string;
  /** Lower case; absent where the provider has none. */
  abstract readonly providerGuid: string | undefined;
  /** The event's own name (`RequestStart`); of events that have none, task and opcode (`GC/Start`). */
  abstract readonly name: string;
  /** 0 where the provider gives its events no ids. */
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
  /** This and the next two: absent where the trace does not tell. */
  abstract readonly processId: number | undefined;
  /** The operating system's id of the thread. */
  abstract readonly threadId: number | undefined;
  abstract readonly processor: number | undefined;
  /**
   * Nanoseconds since 1970-01-01 UTC. Where the trace does not tell the time of day (perf.data recorded
   * without `-k CLOCK_MONOTONIC`), nanoseconds of the recording's clock.
   */
  abstract readonly timestamp: Nanoseconds;
  /** Nanoseconds since the trace's start (`TraceInfo.startTime`). */
  abstract readonly timeSinceStart: Nanoseconds;
  /** The event's activity, as lower-case GUID text. */
  abstract readonly activityId: string | undefined;
  /** The activity that started the event's own. */
  abstract readonly relatedActivityId: string | undefined;
  /** The fields by name, in their order; see `Value`. Empty where nothing tells what the fields are. */
  abstract readonly payload: Payload;
  /** Names of fields, also of members of structs, whose numbers people read in hex: addresses, handles, bits. */
  get hexFields(): ReadonlySet<string> | undefined {
    return undefined;
  }

  /** A sentence on why `payload` lacks fields that the event has. */
  abstract readonly payloadProblem: string | undefined;
  /** The payload's own bytes, a view of the trace's. */
  abstract readonly payloadBytes: Uint8Array;
  /** Addresses, innermost frame first. */
  abstract readonly stack: readonly bigint[] | undefined;
  /** Where the event stands in the trace: bytes from its start; in an archive, from that of the file in it. */
  abstract readonly position: number;

  /** What the trace attaches to the event beside its fields, by name: `TraceId` and `SpanId` of W3C, and other. */
  get labels(): Readonly<Record<string, string | bigint>> | undefined {
    return undefined;
  }

  /** What the event says in words, where its provider has a message for it, which a manifest tells. */
  get message(): string | undefined {
    return undefined;
  }

  /** The path that `activityId` is, such as `//1/1/6`; absent where it is none. */
  get activityPath(): string | undefined {
    return pathOf(this.activityId, this.processId);
  }

  /** The path that `relatedActivityId` is. */
  get relatedActivityPath(): string | undefined {
    return pathOf(this.relatedActivityId, this.processId);
  }

  /** What `JSON.stringify` and `tracewright dump --json` show: 64-bit integers as text, addresses and bytes in hex. */
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

  /** What `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return this.toJSON();
  }
}

/** A path of the event's own process, or one that looks like that of another (see `isActivityPath`). */
function pathOf(activityId: string | undefined, processId = 0): string | undefined {
  const guid = activityId === undefined ? undefined : Guid.tryParse(activityId);
  if (guid === undefined) return undefined;
  if (isActivityPath(guid, processId)) return formatActivityPath(guid, processId);
  return isActivityPath(guid) ? formatActivityPath(guid) : undefined;
}

type PayloadValue = Value | readonly Value[] | Payload | readonly Payload[];

/**
 * A payload's value as JSON has it: 64-bit integers as text, bytes as hex.
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

/** The same of a field: `0xffff8000` where it is one of `hexFields`. */
export function jsonField(name: string, value: PayloadValue, hexFields?: ReadonlySet<string>): unknown {
  return hexFields?.has(name) ? inHex(value, hexFields) : jsonValue(value, hexFields);
}

function inHex(value: PayloadValue, hexFields: ReadonlySet<string>): unknown {
  if ((typeof value === 'number' || typeof value === 'bigint') && value >= 0)
    return `0x${value.toString(16)}`;
  return Array.isArray(value) ? value.map((item) => inHex(item, hexFields)) : jsonValue(value, hexFields);
}
