/**
 * The descriptions of the events of an .etl: manifests, passed in or from the trace; TRACE_EVENT_INFO records in the
 * trace; and what is known about .NET's runtime.
 */

import type { EtlRecord } from '../../wire/etl/buffer.ts';
import { guidAt, processIdOf, threadIdOf } from '../../wire/etl/record.ts';
import { parseEventMapInfo } from '../../wire/etw/event-map-info.ts';
import { parseTraceEventInfo } from '../../wire/etw/trace-event-info.ts';
import {
  type DescribeOptions,
  describeManifest,
  type ProviderDescription,
} from '../../wire/manifest/describe.ts';
import { ManifestError } from '../../wire/manifest/error.ts';
import { ManifestAssembly } from '../../wire/manifest/in-band.ts';
import type { ManifestFinder } from '../trace-reader.ts';
import { DescribedProvider, keyOf } from './described-provider.ts';

/** GUIDs are random; only a trace designed to be slow has more. */
const MAX_SAME_FIRST_WORD = 16;

/** Parts of manifests that are retained until they are complete: in bytes, more than real traces have. */
const MAX_CHUNK_BYTES = 1 << 26;
/** Manifests retained per provider: for its definitions in one process, and its versions in several. */
const MAX_MANIFESTS = 64;

/** A GUID with its first word known, by the others: comparing words is faster than creating text. */
interface KnownGuid {
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
  readonly provider: DescribedProvider;
}

export class EventDescriptions {
  readonly #providers = new Map<string, DescribedProvider>();
  readonly #byFirstWord = new Map<number, KnownGuid[]>();
  #chunks: { ticks: number; writer: string; payload: Uint8Array }[] = [];
  #chunkBytes = 0;
  #assembledBytes = 0;
  readonly #seen = new Set<string>();

  readonly #findManifests: ManifestFinder | undefined;

  /**
   * @param manifests XML texts, or what finds them
   * @throws ManifestError if a given one cannot be read
   */
  constructor(manifests: readonly string[] | ManifestFinder) {
    if (typeof manifests === 'function') {
      this.#findManifests = manifests;
      return;
    }
    for (const described of manifests.flatMap((xml) => describeManifest(xml))) {
      const provider = this.#provider(described.guid);
      provider.given = better(provider.given, described);
    }
  }

  /** The provider whose GUID is at `offset` in the record's buffer. */
  providerAt(record: EtlRecord, offset: number): DescribedProvider {
    const { view } = record.buffer;
    const w1 = view.getInt32(offset + 4, true);
    const w2 = view.getInt32(offset + 8, true);
    const w3 = view.getInt32(offset + 12, true);
    const w0 = view.getInt32(offset, true);
    const same = this.#byFirstWord.get(w0) ?? [];
    for (const known of same)
      if (known.w1 === w1 && known.w2 === w2 && known.w3 === w3) return known.provider;
    const provider = this.#provider(guidAt(record, offset));
    if (same.length < MAX_SAME_FIRST_WORD) this.#byFirstWord.set(w0, [...same, { w1, w2, w3, provider }]);
    return provider;
  }

  /**
   * Takes the payload of an event with id 0xFFFE: a part of a manifest. The parts may be out of order in the file if
   * their thread moved between processors.
   */
  addManifestChunk(record: EtlRecord, ticks: number, guid: string, payload: Uint8Array): void {
    const writer = `${guid}/${processIdOf(record)}/${threadIdOf(record)}`;
    this.#chunkBytes += payload.length;
    if (this.#chunkBytes > MAX_CHUNK_BYTES) this.finishManifests();
    this.#chunks.push({ ticks, writer, payload: payload.slice() });
  }

  /**
   * Call this when all parts have been added, or all so far.
   *
   * @param assemblies of manifests whose other parts come later
   * @returns whether there was another manifest
   */
  finishManifests(assemblies: Map<string, ManifestAssembly> = new Map()): boolean {
    const before = this.#seen.size;
    for (const { writer, payload } of this.#chunks.sort((a, b) => a.ticks - b.ticks)) {
      const assembly = assemblies.get(writer) ?? new ManifestAssembly();
      assemblies.set(writer, assembly);
      this.#assembledBytes += payload.length;
      // What is incomplete by then never ends.
      if (this.#assembledBytes > MAX_CHUNK_BYTES) {
        assemblies.clear();
        this.#assembledBytes = 0;
      }
      const xml = assembly.add(payload);
      if (xml !== undefined) this.#addInBand(xml);
    }
    this.#chunks = [];
    this.#chunkBytes = 0;
    return this.#seen.size > before;
  }

  /** Takes the payload of a TRACE_EVENT_INFO record. */
  addTraceEventInfo(payload: Uint8Array): void {
    const info = parseTraceEventInfo(payload);
    if (info === undefined) return;
    this.#provider(info.providerGuid).infos.set(keyOf(info.id, info.version), info.description);
  }

  /** Takes the payload of an EVENT_MAP_INFO record. */
  addEventMapInfo(payload: Uint8Array): void {
    const info = parseEventMapInfo(payload);
    if (info !== undefined) this.#provider(info.providerGuid).maps.set(info.map.name, info.map);
  }

  /** Sessions make a provider write its manifest repeatedly: it is read once. */
  #addInBand(xml: string): void {
    if (this.#seen.has(xml)) return;
    this.#seen.add(xml);
    for (const described of tryDescribe(xml)) {
      const { inBand } = this.#provider(described.guid);
      inBand.push(described);
      inBand.sort((a, b) => b.score - a.score);
      inBand.splice(MAX_MANIFESTS);
    }
  }

  #provider(guid: string): DescribedProvider {
    let provider = this.#providers.get(guid);
    if (provider === undefined) {
      provider = new DescribedProvider(guid);
      this.#providers.set(guid, provider);
      for (const xml of this.#findManifests?.(guid) ?? []) {
        for (const described of tryDescribe(xml, { skipsBadEvents: true }))
          if (described.guid === guid) provider.given = better(provider.given, described);
      }
    }
    return provider;
  }
}

/** A manifest that cannot be read describes nothing, but the trace remains valid. */
function tryDescribe(xml: string, options?: DescribeOptions): readonly ProviderDescription[] {
  try {
    return describeManifest(xml, options);
  } catch (error) {
    if (error instanceof ManifestError) return [];
    throw error;
  }
}

/** Returns the version of a provider's manifest that describes more. */
function better(old: ProviderDescription | undefined, found: ProviderDescription): ProviderDescription {
  return old !== undefined && old.score >= found.score ? old : found;
}
