/**
 * A tracepoint with EventHeader events: what many of them share is parsed once, namely the tracepoint name and the
 * metadata in each event.
 */

import { Format } from '../../wire/eventheader/constants.ts';
import { OpenedEvent } from '../../wire/eventheader/open.ts';
import {
  type ParsedField,
  type ParsedMetadata,
  parseMetadata,
} from '../../wire/eventheader/parse-metadata.ts';
import {
  parseTracepointName,
  type TracepointNameParts,
} from '../../wire/eventheader/tracepoint-name-parse.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { DecodeCache } from '../decode-cache.ts';
import { type Labels, tagLabels } from '../tag-labels.ts';

/** What an event's metadata says. */
export interface EventHeaderKind {
  readonly metadata: ParsedMetadata;
  /** The name has no attributes. */
  readonly name: string;
  /** See `TraceEvent.hexFields`. */
  readonly hexFields: ReadonlySet<string>;
  /** The tags of its fields. */
  readonly tags: Labels | undefined;
}

export class EventHeaderTracepoint {
  /** The name is without the system. */
  readonly name: string;
  /** The provider as in the tracepoint's name; the system, if the name has another form. */
  readonly provider: string;
  /** The name of the provider's group. */
  readonly group: string | undefined;
  /** The position of the event in a sample's raw data. */
  readonly offset: number;
  readonly #nameParts: TracepointNameParts | undefined;
  readonly #littleEndian = new DecodeCache((bytes) => kindOf(bytes, true));
  readonly #bigEndian = new DecodeCache((bytes) => kindOf(bytes, false));

  constructor({ system, name, eventHeaderOffset }: TracepointFormat) {
    this.name = name;
    this.#nameParts = parseTracepointName(name);
    this.provider = this.#nameParts?.provider ?? system;
    this.group = /G([a-z0-9]+)/.exec(this.#nameParts?.options ?? '')?.[1];
    this.offset = eventHeaderOffset ?? 0;
  }

  /** @throws EventHeaderError */
  open(bytes: Uint8Array, view: DataView, start: number, end: number): OpenedEvent {
    return new OpenedEvent(this.name, this.#nameParts, bytes, view, start, end);
  }

  kindOf({ bytes, metadataStart, metadataEnd, littleEndian }: OpenedEvent): EventHeaderKind {
    return (littleEndian ? this.#littleEndian : this.#bigEndian).get(bytes, metadataStart, metadataEnd);
  }
}

function kindOf(bytes: Uint8Array, littleEndian: boolean): EventHeaderKind {
  const metadata = parseMetadata(bytes, littleEndian);
  const [name = ''] = metadata.nameAndAttributes.split(';', 1);
  const hexFields = new Set(metadata.fields.flatMap(hexNamesOf));
  return { metadata, name, hexFields, tags: tagLabels(0, metadata.fields) };
}

function hexNamesOf({ name, format, members }: ParsedField): readonly string[] {
  if (members !== undefined) return members.fields.flatMap(hexNamesOf);
  return format === Format.HexInt ? [name] : [];
}
