/** Events for ETW on Windows: TraceLogging events, which describe themselves. */
import { METADATA_OFFSET } from '../wire/etw/prefix.ts';
import { guidBytes } from '../wire/guid.ts';
import type { EventSchema } from '../wire/schema.ts';
import { SCRATCH_LIMIT } from '../wire/scratch.ts';
import {
  TraceLoggingEncoder,
  traceLoggingDescriptor,
  traceLoggingProblem,
} from '../wire/tracelogging/encode.ts';
import { encodeProviderTraits } from '../wire/tracelogging/provider-traits.ts';
import { DefinitionError } from './definition-error.ts';
import type { KernelEvent, SizeLimits } from './kernel-event.ts';
import type { Provider } from './provider.ts';

/** ETW itself tells when an event with all that belongs to it is larger than 64 KiB. */
export const ETW_SIZES: SizeLimits = {
  most: SCRATCH_LIMIT,
  mostForAll: SCRATCH_LIMIT,
  said: 'ETW carries 64 KiB',
};

/** @throws DefinitionError */
export function traceLoggingEvent(provider: Provider, schema: EventSchema): KernelEvent {
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
