/**
 * Who describes the events of an .etl: manifests, given ones and those in the trace; TRACE_EVENT_INFO
 * records in the trace; and what is known of .NET's runtime.
 */

import { guidAt, processIdOf, threadIdOf } from '../../wire/etl/record.ts';
import type { EtlRecord } from '../../wire/etl/record-cursor.ts';
import { parseTraceEventInfo } from '../../wire/etw/trace-event-info.ts';
import { dotnetEvent, dotnetProviderName } from '../../wire/known/dotnet.ts';
import { MANIFEST_EVENT_ID } from '../../wire/manifest/constants.ts';
import { describeManifest, type ProviderDescription } from '../../wire/manifest/describe.ts';
import { ManifestError } from '../../wire/manifest/error.ts';
import { ManifestAssembly } from '../../wire/manifest/in-band.ts';
import type { EventDescription } from '../../wire/packed/field.ts';

/** Of the events that carry a manifest, where no manifest says so. */
const MANIFEST_DATA: EventDescription = {
  name: 'ManifestData',
  fields: [
    { name: 'Format', type: 'uint8' },
    { name: 'MajorVersion', type: 'uint8' },
    { name: 'MinorVersion', type: 'uint8' },
    { name: 'Magic', type: 'hex8' },
    { name: 'TotalChunks', type: 'uint16' },
    { name: 'ChunkNumber', type: 'uint16' },
    { name: 'Data', type: 'utf8' },
  ],
};

/** GUIDs are random; only a trace made to be slow has more. */
const MAX_SAME_FIRST_WORD = 16;

/** A GUID whose first word is known, by its others: comparing words is faster than making text. */
interface KnownGuid {
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
  readonly provider: DescribedProvider;
}

/** One provider, and what describes its events. */
export class DescribedProvider {
  readonly guid: string;
  given: ProviderDescription | undefined;
  inBand: ProviderDescription | undefined;
  /** Of TRACE_EVENT_INFO records, by `keyOf`. */
  readonly infos = new Map<number, EventDescription>();
  readonly #found = new Map<number, EventDescription | undefined>();
  #name: string | undefined;

  constructor(guid: string) {
    this.guid = guid;
  }

  /** Its name, or its GUID where nobody knows it. */
  get name(): string {
    this.#name ??=
      this.given?.name ??
      this.inBand?.name ??
      dotnetProviderName(this.guid) ??
      [...this.infos.values()].find(({ provider }) => provider !== undefined)?.provider ??
      this.guid;
    return this.#name;
  }

  /** To be asked when the index is complete, since it keeps the answer. */
  describe(id: number, version: number): EventDescription | undefined {
    const key = keyOf(id, version);
    let description = this.#found.get(key);
    if (description === undefined && !this.#found.has(key)) {
      description = this.#search(id, version);
      this.#found.set(key, description);
    }
    return description;
  }

  #search(id: number, version: number): EventDescription | undefined {
    return (
      this.given?.event(id, version) ??
      dotnetEvent(this.guid, id, version) ??
      this.inBand?.event(id, version) ??
      this.infos.get(keyOf(id, version)) ??
      (id === MANIFEST_EVENT_ID ? MANIFEST_DATA : undefined)
    );
  }
}

function keyOf(id: number, version: number): number {
  return (id << 8) | version;
}

export class EventDescriptions {
  readonly #providers = new Map<string, DescribedProvider>();
  readonly #byFirstWord = new Map<number, KnownGuid[]>();
  readonly #assemblies = new Map<string, ManifestAssembly>();
  readonly #seen = new Set<string>();

  /**
   * @param manifests XML texts
   * @throws ManifestError where one cannot be read
   */
  constructor(manifests: readonly string[]) {
    for (const described of manifests.flatMap(describeManifest)) {
      const provider = this.#provider(described.guid);
      provider.given = better(provider.given, described);
    }
  }

  /** The provider whose GUID stands at `offset` in the record's buffer. */
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

  /** Takes the payload of an event of id 0xFFFE: a part of a manifest. */
  addManifestChunk(record: EtlRecord, guid: string, payload: Uint8Array): void {
    const writer = `${guid}/${processIdOf(record)}/${threadIdOf(record)}`;
    let assembly = this.#assemblies.get(writer);
    if (assembly === undefined) {
      assembly = new ManifestAssembly();
      this.#assemblies.set(writer, assembly);
    }
    const xml = assembly.add(payload);
    if (xml !== undefined) this.#addInBand(xml);
  }

  /** Takes the payload of a record that holds a TRACE_EVENT_INFO. */
  addTraceEventInfo(payload: Uint8Array): void {
    const info = parseTraceEventInfo(payload);
    if (info === undefined) return;
    this.#provider(info.providerGuid).infos.set(keyOf(info.id, info.version), info.description);
  }

  /** Sessions have a provider write its manifest again and again: it is read once. */
  #addInBand(xml: string): void {
    if (this.#seen.has(xml)) return;
    this.#seen.add(xml);
    for (const described of tryDescribe(xml)) {
      const provider = this.#provider(described.guid);
      provider.inBand = better(provider.inBand, described);
    }
  }

  #provider(guid: string): DescribedProvider {
    let provider = this.#providers.get(guid);
    if (provider === undefined) {
      provider = new DescribedProvider(guid);
      this.#providers.set(guid, provider);
    }
    return provider;
  }
}

/** A manifest in a trace that cannot be read describes nothing; the trace is not the worse for it. */
function tryDescribe(xml: string): readonly ProviderDescription[] {
  try {
    return describeManifest(xml);
  } catch (error) {
    if (error instanceof ManifestError) return [];
    throw error;
  }
}

/** Of versions of a provider's manifest, the one that describes more. */
function better(old: ProviderDescription | undefined, found: ProviderDescription): ProviderDescription {
  return old !== undefined && old.score >= found.score ? old : found;
}
