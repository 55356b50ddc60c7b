/** Events for Linux user_events: EventHeader events, one tracepoint for each level and keyword. */
import { EventHeaderEncoder } from '../wire/eventheader/encode.ts';
import {
  tracepointDefinition,
  tracepointName,
  tracepointProviderName,
} from '../wire/eventheader/tracepoint-name.ts';
import type { EventSchema } from '../wire/schema.ts';
import { FTRACE_LIMIT, PERF_LIMIT, WRITE_INDEX_SIZE } from '../wire/user-events.ts';
import type { KernelEvent, SizeLimits } from './kernel-event.ts';

const SIZES: SizeLimits = {
  most: PERF_LIMIT,
  mostForAll: FTRACE_LIMIT,
  said: `perf carries ${PERF_LIMIT}, ftrace ${FTRACE_LIMIT}`,
};

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
