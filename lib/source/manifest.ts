/**
 * Manifest-based ETW events, as .NET's EventSource writes them by default: the manifest is written into the trace
 * itself, so that tools that support EventSource show the events by task and opcode.
 *
 * Source: .NET's EventSource.
 */
import { doAtExit } from '../listen/at-exit.ts';
import { eventSources } from '../listen/sources.ts';
import { TRACER_BIT, type Tracer } from '../platform/tracer.ts';
import { METADATA_OFFSET } from '../wire/etw/prefix.ts';
import type { EventEncoder } from '../wire/event-encoder.ts';
import { ManifestEncoder, manifestDescriptor } from '../wire/manifest/encode.ts';
import { MANIFEST_CHECKS } from '../wire/manifest/field-layouts.ts';
import { type ManifestSource, generateManifest as manifestOf } from '../wire/manifest/generate.ts';
import {
  encodeManifestChunk,
  MANIFEST_DESCRIPTOR,
  MAX_CHUNK_SIZE,
  MIN_CHUNK_SIZE,
  manifestChunks,
} from '../wire/manifest/in-band.ts';
import { manifestNamesProblem, manifestProblem } from '../wire/manifest/problem.ts';
import type { EventSchema } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { DefinitionError } from './definition-error.ts';
import { onEtwCommand } from './etw-commands.ts';
import type { Provider, SourceContext } from './source-context.ts';
import { ETW_SIZES, etwDefinition, type SizeLimits, type TracerFormat } from './tracer-format.ts';

/** Of a source for which `checkForManifest` did not throw. */
export class ManifestFormat implements TracerFormat {
  readonly #provider: Provider;
  readonly checks = MANIFEST_CHECKS;
  readonly headSize = METADATA_OFFSET;
  readonly sizes: SizeLimits = ETW_SIZES;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  problemOf(): undefined {}

  encoderOf(schema: EventSchema): EventEncoder {
    return new ManifestEncoder(schema);
  }

  nameOf(): string {
    return this.#provider.name;
  }

  definitionOf(schema: EventSchema): Uint8Array {
    return etwDefinition(this.#provider, manifestDescriptor(schema));
  }
}

/** @throws DefinitionError if a manifest cannot describe the source */
export function checkForManifest({ name, events, keywordNames }: ManifestSource): void {
  const namesProblem = manifestNamesProblem(name, keywordNames);
  if (namesProblem !== undefined) throw new DefinitionError(name, namesProblem);
  for (const schema of events) {
    const problem = manifestProblem(schema);
    if (problem !== undefined) throw new DefinitionError(`${name}.${schema.name}`, problem);
  }
}

/** Of every source defined in this thread. */
const manifestSources = new WeakMap<object, ManifestSource>();

export function rememberForManifest(source: object, described: ManifestSource): void {
  manifestSources.set(source, described);
}

export function definedSources(): readonly object[] {
  return eventSources().filter((source) => manifestSources.has(source));
}

/**
 * The manifest of an event source, an XML document for `wevtutil im` and other tools: for sources that are, or could
 * be, defined with `etwFormat: 'manifest'`.
 *
 * @param source the result of `defineEventSource`
 * @throws DefinitionError if a manifest cannot describe it
 */
export function generateManifest(source: object): string {
  const described = manifestSources.get(source);
  if (described === undefined) {
    throw new DefinitionError(
      'generateManifest',
      'expected an event source, as returned by defineEventSource.',
    );
  }
  checkForManifest(described);
  return manifestOf(described);
}

/**
 * Writes the manifest into sessions: when one enables the provider, on request, and when the source is closed or the
 * process exits.
 *
 * @returns closes it
 */
export function writeManifestInBand(context: SourceContext, xml: string): () => void {
  const { tracer, provider, account, subscriptions } = context;
  const word = tracer.allocate();
  const definition = etwDefinition(provider, MANIFEST_DESCRIPTOR);
  const problem = tracer.register(word, provider.name, definition, scratch);
  if (problem !== undefined) {
    tracer.release(word);
    account.tell('manifest', () => problem);
    return () => {};
  }
  const write = () => {
    if (((word.words[word.index] as number) & TRACER_BIT) === 0) return;
    const reason = writeChunks(tracer, word, xml);
    if (reason !== undefined) account.drop(reason);
  };
  const stopHearing = onEtwCommand(tracer, provider, ({ kind }) => {
    if (kind === 'enable') write();
  });
  subscriptions.onCommand(({ kind }) => {
    if (kind === 'sendManifest') write();
  });
  const forgetExit = doAtExit(write);
  return () => {
    write();
    stopHearing();
    forgetExit();
    tracer.release(word);
  };
}

/** Tries smaller and smaller chunks until the session has room; returns why it has none even for the smallest. */
function writeChunks(tracer: Tracer, word: ReturnType<Tracer['allocate']>, xml: string): string | undefined {
  let reason: string | undefined;
  for (let size = MAX_CHUNK_SIZE; size >= MIN_CHUNK_SIZE; size = Math.floor(size / 2)) {
    reason = undefined;
    for (const chunk of manifestChunks(xml, size)) {
      const error = tracer.write(word, encodeManifestChunk(chunk));
      if (error === undefined) continue;
      reason = tracer.writeReason(error);
      break;
    }
    if (reason !== 'tooLarge' && reason !== 'tooLargeForSession') return reason;
  }
  return reason;
}
