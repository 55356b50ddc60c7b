/** The manifests of the event sources of this thread: XML documents for `wevtutil im` and other tools. */
import { eventSources } from '../listen/sources.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { ManifestSource } from '../wire/manifest/generate.ts';
import { DefinitionError } from './definition-error.ts';
import { manifestOf } from './manifest-format.ts';

/** Holds every source defined in this thread. */
const manifestSources = new WeakMap<object, ManifestSource>();

export function rememberForManifest(source: object, described: ManifestSource): void {
  manifestSources.set(source, described);
}

export function definedSources(): readonly Listenable[] {
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
  return manifestOf(described);
}
