/** Events for Linux user_events: EventHeader events, one tracepoint for each level and keyword. */
import { EventHeaderEncoder, WRITE_INDEX_SIZE } from '../wire/eventheader/encode.ts';
import {
  tracepointDefinition,
  tracepointName,
  tracepointProviderName,
} from '../wire/eventheader/tracepoint-name.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { KernelEvent, SizeLimits } from './kernel-event.ts';

/** perf and ftrace both lose a larger event and report success. Tried on 6.12 and 7.3. */
const SIZES: SizeLimits = { most: 8184, mostForAll: 4064, said: 'perf carries 8184, ftrace 4064' };

/** The tracepoint that serves the event. */
export function tracepointOf(provider: string, schema: EventSchema): string {
  return tracepointName(tracepointProviderName(provider), schema.level, schema.keywords);
}

export function userEventsEvent(provider: string, schema: EventSchema): KernelEvent {
  const tracepoint = tracepointOf(provider, schema);
  return {
    encoder: new EventHeaderEncoder(schema),
    headSize: WRITE_INDEX_SIZE,
    name: tracepoint,
    definition: Buffer.from(tracepointDefinition(tracepoint)),
    sizes: SIZES,
  };
}
