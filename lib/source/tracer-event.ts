/**
 * An event of a definition as the operating system's tracer accepts it: for Linux user_events in EventHeader format,
 * one tracepoint for each combination of level and keywords; for ETW as self-describing TraceLogging.
 */
import type { EnabledWord } from '../platform/tracer.ts';
import { METADATA_OFFSET } from '../wire/etw/prefix.ts';
import type { EventEncoder } from '../wire/event-encoder.ts';
import { EventHeaderEncoder } from '../wire/eventheader/encode.ts';
import {
  tracepointDefinition,
  tracepointName,
  tracepointProviderName,
} from '../wire/eventheader/tracepoint-name.ts';
import { guidBytes } from '../wire/guid.ts';
import type { EventSchema } from '../wire/schema.ts';
import { SCRATCH_LIMIT, scratch } from '../wire/scratch.ts';
import {
  TraceLoggingEncoder,
  traceLoggingDescriptor,
  traceLoggingProblem,
} from '../wire/tracelogging/encode.ts';
import { encodeProviderTraits } from '../wire/tracelogging/provider-traits.ts';
import { FTRACE_LIMIT, PERF_LIMIT, WRITE_INDEX_SIZE } from '../wire/user-events.ts';
import { DefinitionError } from './definition-error.ts';
import type { Provider, SourceContext } from './source-context.ts';

export interface TracerEvent {
  readonly encoder: EventEncoder;
  /** Bytes at the start of the encoded data that are for the addon, and not part of the event. */
  readonly headSize: number;
  /** The tracer's name for the event, for messages: a tracepoint, or a provider. */
  readonly name: string;
  /** The description with which it is registered. */
  readonly definition: Uint8Array;
  readonly sizes: SizeLimits;
}

/** The size of an event, from its header to the end of its payload. */
export interface SizeLimits {
  /** Larger events are dropped. */
  readonly most: number;
  /** Larger events are accepted by only one of the recorders. */
  readonly mostForAll: number;
  /** Who sets the limits, for messages: the rest of a sentence about an event that was too large. */
  readonly said: string;
}

/** Registers the event with the tracer, which then sets bit 0 of the word while it is being recorded. */
export function registerEvent(
  { tracer, account }: SourceContext,
  word: EnabledWord,
  event: TracerEvent,
): void {
  const problem = tracer.register(word, event.name, event.definition, scratch);
  if (problem !== undefined && problem !== tracer.reason) account.tell(event.name, () => problem);
}

/** Events for Linux user_events: EventHeader events, one tracepoint for each combination of level and keywords. */
const SIZES: SizeLimits = {
  most: PERF_LIMIT,
  mostForAll: FTRACE_LIMIT,
  said: `perf accepts ${PERF_LIMIT}, ftrace ${FTRACE_LIMIT}`,
};

/** The tracepoint for the event. */
export function tracepointOf(provider: string, schema: EventSchema): string {
  return tracepointName(tracepointProviderName(provider), schema.level, schema.keywords);
}

export function userEventsEvent(provider: string, schema: EventSchema): TracerEvent {
  const tracepoint = tracepointOf(provider, schema);
  return {
    encoder: new EventHeaderEncoder(schema),
    headSize: WRITE_INDEX_SIZE,
    name: tracepoint,
    definition: Buffer.from(tracepointDefinition(tracepoint)),
    sizes: SIZES,
  };
}

/** ETW itself reports if an event with everything that belongs to it is larger than 64 KiB. */
export const ETW_SIZES: SizeLimits = {
  most: SCRATCH_LIMIT,
  mostForAll: SCRATCH_LIMIT,
  said: 'ETW accepts 64 KiB',
};

/** @throws DefinitionError */
export function traceLoggingEvent(provider: Provider, schema: EventSchema): TracerEvent {
  const problem = traceLoggingProblem(schema);
  if (problem !== undefined) throw new DefinitionError(`${provider.name}.${schema.name}`, problem);
  const definition = [
    traceLoggingDescriptor(schema),
    guidBytes(provider.guid),
    encodeProviderTraits(provider),
  ];
  return {
    encoder: new TraceLoggingEncoder(schema),
    headSize: METADATA_OFFSET,
    name: provider.name,
    definition: Buffer.concat(definition),
    sizes: ETW_SIZES,
  };
}

/** For this system's tracer; if there is none, payloads are checked as on Linux. */
export function selfDescribingEvent({ tracer, provider }: SourceContext, schema: EventSchema): TracerEvent {
  return tracer.backend === 'etw'
    ? traceLoggingEvent(provider, schema)
    : userEventsEvent(provider.name, schema);
}
