/**
 * Manifest-based ETW events, as .NET's EventSource writes them by default: the manifest is written into the trace
 * itself, so that tools that support EventSource show the events by task and opcode.
 *
 * Source: .NET's EventSource.
 */
import { METADATA_OFFSET } from '../wire/etw/prefix.ts';
import type { EventEncoder } from '../wire/event-encoder.ts';
import { type UsedChannel, usedChannels } from '../wire/manifest/channels.ts';
import { ManifestEncoder, manifestDescriptor } from '../wire/manifest/encode.ts';
import { MANIFEST_CHECKS } from '../wire/manifest/field-layouts.ts';
import { generateManifest, type ManifestSource } from '../wire/manifest/generate.ts';
import { manifestProblem, manifestSourceProblem } from '../wire/manifest/problem.ts';
import type { EventSchema } from '../wire/schema.ts';
import { DefinitionError } from './definition-error.ts';
import type { Provider } from './source-context.ts';
import { ETW_SIZES, etwDefinition, type SizeLimits, type TracerFormat } from './tracer-format.ts';

/**
 * The format of a source for which `checkForManifest` did not throw.
 *
 * @param events all, because their channels have keywords by the order in which they are used
 */
export function manifestFormat(provider: Provider, events: readonly EventSchema[]): TracerFormat {
  return new ManifestFormat(provider, events);
}

class ManifestFormat implements TracerFormat {
  readonly #provider: Provider;
  readonly #channels: ReadonlyMap<number, UsedChannel>;
  readonly checks = MANIFEST_CHECKS;
  readonly headSize = METADATA_OFFSET;
  readonly sizes: SizeLimits = ETW_SIZES;

  constructor(provider: Provider, events: readonly EventSchema[]) {
    this.#provider = provider;
    this.#channels = usedChannels(events);
  }

  problemOf(): undefined {}

  encoderOf(schema: EventSchema): EventEncoder {
    return new ManifestEncoder(schema);
  }

  nameOf(): string {
    return this.#provider.name;
  }

  definitionOf(schema: EventSchema): Uint8Array {
    return etwDefinition(
      this.#provider,
      manifestDescriptor(schema, this.#channels.get(schema.channel ?? 0)?.keyword),
    );
  }
}

/** @throws DefinitionError if a manifest cannot describe the source */
export function checkForManifest(source: ManifestSource): void {
  const { name, events } = source;
  for (const schema of events) {
    const problem = manifestProblem(schema);
    if (problem !== undefined) throw new DefinitionError(`${name}.${schema.name}`, problem);
  }
  const problem = manifestSourceProblem(source);
  if (problem !== undefined) throw new DefinitionError(name, problem);
}

/** The manifest as XML. @throws DefinitionError if a manifest cannot describe the source */
export function manifestOf(source: ManifestSource): string {
  checkForManifest(source);
  return generateManifest(source);
}
