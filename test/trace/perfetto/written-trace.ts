/** Perfetto traces, written packet by packet for tests. */
import { deflateSync } from 'node:zlib';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import {
  type Annotation,
  PACKET_FIELD,
  READ_PACKET,
  type ReadPacket,
  TRACK_EVENT,
  TRACK_EVENT_ANNOTATIONS,
  type TrackEvent,
} from '../../../lib/wire/perfetto/messages.ts';
import { MessageWriter } from '../../../lib/wire/protobuf/message-writer.ts';

/** As the reader has it, with the event as an object; of sequence 1 if there is no other. */
export type WrittenPacket = Omit<ReadPacket, 'trackEvent'> & {
  readonly event?: (TrackEvent & { readonly debugAnnotations?: readonly Annotation[] }) | Uint8Array;
};

const EVENT = { ...TRACK_EVENT, ...TRACK_EVENT_ANNOTATIONS };

export function perfettoTrace(...packets: readonly WrittenPacket[]): Uint8Array {
  const writer = new MessageWriter();
  for (const { event, ...packet } of packets) {
    const trackEvent = event === undefined ? undefined : eventBytes(event);
    writer.field(PACKET_FIELD, () => READ_PACKET, { sequenceId: 1, ...packet, trackEvent });
  }
  return writer.copy();
}

export function deflatedPackets(...packets: readonly WrittenPacket[]): WrittenPacket {
  return { compressedPackets: deflateSync(perfettoTrace(...packets)) };
}

function eventBytes(event: object): Uint8Array {
  if (event instanceof Uint8Array) return event;
  const writer = new MessageWriter();
  writer.message(event, EVENT);
  return writer.copy();
}

export async function readEvents(bytes: Uint8Array): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  for await (const event of await openTrace(bytes)) events.push(event);
  return events;
}
