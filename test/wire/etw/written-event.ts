/** Encodes events for ETW in tests, and takes their parts out of the scratch buffer as the addon does. */
import type { EventEncoder } from '../../../lib/wire/event-encoder.ts';
import type { GuidWords } from '../../../lib/wire/guid.ts';
import { scratch } from '../../../lib/wire/scratch.ts';
import type { Payload } from '../../../lib/wire/values/faults.ts';

export interface WrittenEvent {
  readonly idFlags: number;
  readonly activityId: Uint8Array;
  readonly relatedActivityId: Uint8Array;
  readonly metadata: Uint8Array;
  readonly payload: Uint8Array;
}

export function write(
  encoder: EventEncoder,
  payload: Payload,
  activityId?: GuidWords,
  relatedActivityId?: GuidWords,
): WrittenEvent {
  return partsOf(encoder.encode(payload, activityId, relatedActivityId));
}

/** @param size of the event that stands at the start of the scratch buffer */
export function partsOf(size: number): WrittenEvent {
  const part = (start: number, end: number) => Uint8Array.from(scratch.subarray(start, end));
  const payloadOffset = 36 + scratch.readUInt16LE(0);
  if (scratch[3] !== 0) throw new Error(`Byte 3 is ${scratch[3]}, not 0.`);
  return {
    idFlags: scratch[2] as number,
    activityId: part(4, 20),
    relatedActivityId: part(20, 36),
    metadata: part(36, payloadOffset),
    payload: part(payloadOffset, size),
  };
}
