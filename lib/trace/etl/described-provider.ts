/** A provider of an .etl, and everything that describes its events. */

import { dotnetEvent, dotnetProviderName } from '../../known/dotnet.ts';
import { windowsProvider } from '../../known/windows-provider.ts';
import { withMaps } from '../../wire/etw/trace-event-info.ts';
import { MANIFEST_EVENT_ID } from '../../wire/manifest/constants.ts';
import type { ProviderDescription } from '../../wire/manifest/describe.ts';
import type { EventDescription, PackedMap } from '../../wire/packed/field.ts';

/** Describes the events that carry a manifest, if no manifest describes them. */
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

export class DescribedProvider {
  readonly guid: string;
  given: ProviderDescription | undefined = undefined;
  /** The descriptions in the trace, the most detailed first: each definition in a process writes its own. */
  readonly inBand: ProviderDescription[] = [];
  /** Holds TRACE_EVENT_INFO records, by `keyOf`. */
  readonly infos = new Map<number, EventDescription>();
  /** Holds maps from EVENT_MAP_INFO records, by name; other records contain only the name. */
  readonly maps = new Map<string, PackedMap>();
  #name: string | undefined;

  constructor(guid: string) {
    this.guid = guid;
  }

  /** Its name, or its GUID if the name is unknown. */
  get name(): string {
    // Later events may tell an unknown name.
    this.#name ??=
      this.given?.name ??
      this.inBand[0]?.name ??
      dotnetProviderName(this.guid) ??
      [...this.infos.values()].find(({ provider }) => provider !== undefined)?.provider ??
      windowsProvider(this.guid)?.name;
    return this.#name ?? this.guid;
  }

  describe(id: number, version: number): EventDescription | undefined {
    return (
      this.given?.event(id, version) ??
      dotnetEvent(this.guid, id, version) ??
      this.#inBandEvent(id, version) ??
      this.#info(id, version) ??
      windowsProvider(this.guid)?.event(id, version) ??
      (id === MANIFEST_EVENT_ID ? MANIFEST_DATA : undefined)
    );
  }

  #inBandEvent(id: number, version: number): EventDescription | undefined {
    for (const described of this.inBand) {
      const event = described.event(id, version);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  #info(id: number, version: number): EventDescription | undefined {
    const description = this.infos.get(keyOf(id, version));
    return description && withMaps(description, this.maps);
  }
}

/** What distinguishes the events of a provider. */
export function keyOf(id: number, version: number): number {
  return (id << 8) | version;
}
