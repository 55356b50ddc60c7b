/** An event as passed to ETW, decoded by the project's own decoder. */
import { Guid } from '../../lib/activity/guid.ts';
import { payloadOf } from '../../lib/wire/decoded-field.ts';
import { decodeTraceLogging } from '../wire/tracelogging/decode-event.ts';
import type { WriteCall } from './etw-call.ts';

export interface EtwEvent {
  readonly name: string;
  readonly tag: number;
  readonly id: number;
  readonly version: number;
  readonly channel: number;
  readonly level: number;
  readonly opcode: number;
  readonly task: number;
  readonly keyword: bigint;
  /** Undefined for the empty id. */
  readonly activityId: string | undefined;
  readonly relatedActivityId: string | undefined;
  readonly payload: ReturnType<typeof payloadOf>;
}

export function etwEvent(call: WriteCall): EtwEvent {
  const bytesOf = (type: number) => {
    const parts = call.data
      .filter((data) => data.type === type)
      .map((data) => Buffer.from(data.bytes, 'hex'));
    // No Buffer: the values that are bytes would be Buffers too.
    return new Uint8Array(Buffer.concat(parts));
  };
  const { name, tag, fields } = decodeTraceLogging(bytesOf(1), bytesOf(0));
  const descriptor = Buffer.from(call.descriptor, 'hex');
  return {
    name,
    tag,
    id: descriptor.readUInt16LE(0),
    version: descriptor.readUInt8(2),
    channel: descriptor.readUInt8(3),
    level: descriptor.readUInt8(4),
    opcode: descriptor.readUInt8(5),
    task: descriptor.readUInt16LE(6),
    keyword: descriptor.readBigUInt64LE(8),
    activityId: call.activityId === Guid.empty.toString() ? undefined : (call.activityId ?? undefined),
    relatedActivityId: call.relatedActivityId ?? undefined,
    payload: payloadOf(fields),
  };
}
