/**
 * The formats in which the operating system's tracers accept events: for Linux user_events EventHeader, with one
 * tracepoint for each combination of level and keywords; for ETW self-describing TraceLogging.
 */
import type { EnabledWord } from '../platform/tracer.ts';
import { METADATA_OFFSET } from '../wire/etw/prefix.ts';
import { ETW_CHECKS } from '../wire/etw/values.ts';
import type { EventEncoder } from '../wire/event-encoder.ts';
import { EventHeaderEncoder, eventHeaderSize } from '../wire/eventheader/encode.ts';
import {
  tracepointDefinition,
  tracepointName,
  tracepointProviderName,
} from '../wire/eventheader/tracepoint-name.ts';
import { guidBytes } from '../wire/guid.ts';
import { type EventSchema, mostDescriptionBytes } from '../wire/schema.ts';
import { SCRATCH_LIMIT, scratch } from '../wire/scratch.ts';
import {
  TraceLoggingEncoder,
  traceLoggingDescriptor,
  traceLoggingProblem,
} from '../wire/tracelogging/encode.ts';
import { encodeProviderTraits } from '../wire/tracelogging/provider-traits.ts';
import { FTRACE_LIMIT, PERF_LIMIT, WRITE_INDEX_SIZE } from '../wire/user-events.ts';
import { CHECKS, type Checks } from '../wire/values/checks.ts';
import type { Provider, SourceContext } from './source-context.ts';

/** A tracer's format for one provider. What it knows of an event is computed when needed: most events never need it. */
export interface TracerFormat {
  /** What values of each type fit. */
  readonly checks: Checks;
  /** The bytes before each event that are for the addon, not part of the event. */
  readonly headSize: number;
  readonly sizes: SizeLimits;
  /** Why the format cannot carry the event, as the rest of a sentence about it. */
  problemOf(schema: EventSchema): string | undefined;
  encoderOf(schema: EventSchema): EventEncoder;
  /** The name by which the tracer knows the event, for error messages: of a tracepoint, or a provider. */
  nameOf(schema: EventSchema): string;
  /** The event as described to the tracer. */
  definitionOf(schema: EventSchema): Uint8Array;
}

/** Sizes of events, from the header to the end of the payload. */
export interface SizeLimits {
  /** Larger events are dropped. */
  readonly most: number;
  /** Larger events are accepted by some recorders only. */
  readonly mostForAll: number;
  /** The limits and who sets them, as the rest of an error message. */
  readonly said: string;
}

/** Registers the event with the tracer, so that bit 0 of the word says whether it is being recorded. */
export function registerEvent(
  { tracer, account }: SourceContext,
  word: EnabledWord,
  format: TracerFormat,
  schema: EventSchema,
): void {
  if (tracer.backend === 'none') return;
  const name = format.nameOf(schema);
  const problem = tracer.register(word, name, format.definitionOf(schema), scratch);
  if (problem !== undefined) account.tell(name, () => problem);
}

/** The tracepoint for the event. */
export function tracepointOf({ name, groupName }: TracepointGroup, schema: EventSchema): string {
  return tracepointName(tracepointProviderName(name), schema.level, schema.keywords, groupName);
}

type TracepointGroup = Pick<Provider, 'name' | 'groupName'>;

const USER_EVENTS_SIZES: SizeLimits = {
  most: PERF_LIMIT,
  mostForAll: FTRACE_LIMIT,
  said: `perf accepts ${PERF_LIMIT}, ftrace ${FTRACE_LIMIT}`,
};

/** What all events of user_events have in common. */
export abstract class TracepointFormat {
  protected readonly provider: TracepointGroup;
  readonly checks = CHECKS;
  readonly headSize = WRITE_INDEX_SIZE;
  readonly sizes = USER_EVENTS_SIZES;

  constructor(provider: TracepointGroup) {
    this.provider = provider;
  }
}

/** Linux user_events: EventHeader events, one tracepoint for each combination of level and keywords. */
export class UserEventsFormat extends TracepointFormat implements TracerFormat {
  problemOf(schema: EventSchema): string | undefined {
    // Header and ids take far less than the other half.
    if (2 * mostDescriptionBytes(schema) <= this.sizes.most) return undefined;
    const size = eventHeaderSize(schema);
    if (size <= this.sizes.most) return undefined;
    return `its names alone take ${size} bytes of each event; ${this.sizes.said}.`;
  }

  encoderOf(schema: EventSchema): EventEncoder {
    return new EventHeaderEncoder(schema);
  }

  nameOf(schema: EventSchema): string {
    return tracepointOf(this.provider, schema);
  }

  definitionOf(schema: EventSchema): Uint8Array {
    return Buffer.from(tracepointDefinition(this.nameOf(schema)));
  }
}

/** ETW itself reports if an event with everything that belongs to it is larger than 64 KiB. */
export const ETW_SIZES: SizeLimits = {
  most: SCRATCH_LIMIT,
  mostForAll: SCRATCH_LIMIT,
  said: 'ETW accepts 64 KiB',
};

export class TraceLoggingFormat implements TracerFormat {
  readonly #provider: Provider;
  readonly checks = ETW_CHECKS;
  readonly headSize = METADATA_OFFSET;
  readonly sizes = ETW_SIZES;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  problemOf(schema: EventSchema): string | undefined {
    return traceLoggingProblem(schema);
  }

  encoderOf(schema: EventSchema): EventEncoder {
    return new TraceLoggingEncoder(schema);
  }

  nameOf(): string {
    return this.#provider.name;
  }

  definitionOf(schema: EventSchema): Uint8Array {
    return etwDefinition(this.#provider, traceLoggingDescriptor(schema));
  }
}

/** Returns the definition with the traits, from which sessions learn the provider's group. */
export function etwDefinition(provider: Provider, descriptor: Uint8Array): Uint8Array {
  return Buffer.concat([descriptor, guidBytes(provider.guid), encodeProviderTraits(provider)]);
}

/** The format of this system's tracer; without one, payloads are checked as on Linux. */
export function selfDescribingFormat({ tracer, provider }: SourceContext): TracerFormat {
  return tracer.backend === 'etw' ? new TraceLoggingFormat(provider) : new UserEventsFormat(provider);
}
