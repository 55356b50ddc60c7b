/** The kinds of events of an exported trace, each described once, and payloads encoded by these descriptions. */
import { NetTraceEvent } from '../trace/nettrace/nettrace-event.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { FormatVersion } from '../wire/nettrace/constants.ts';
import type { NetTraceField } from '../wire/nettrace/field-type.ts';
import type { NetTraceMetadata } from '../wire/nettrace/metadata.ts';
import { NetTraceBytes } from '../wire/nettrace/write/byte-writer.ts';
import { isTypeOfV4 } from '../wire/nettrace/write/metadata-v4-row.ts';
import type { NetTraceWriter } from '../wire/nettrace/write/nettrace-writer.ts';
import { writePayload } from '../wire/nettrace/write/payload-bytes.ts';
import type { WrittenMetadata, WrittenVersion } from '../wire/nettrace/write/trace-parts.ts';
import { describePayload } from './nettrace-fields.ts';

interface KindOfEvent {
  readonly metadataId: number;
  /** Valid until the next event. */
  readonly payload: Uint8Array;
}

/** Events that differ only in their fields. */
interface Kind {
  fields: readonly NetTraceField[];
  /** Metadata ids by field layout, as text. */
  readonly ids: Map<string, number>;
  lastId: number;
}

const NOTHING = new Uint8Array();

export class NetTraceKinds {
  /** Events with fields that could not be read. */
  partlyKept = 0;
  readonly #writer: NetTraceWriter;
  readonly #version: WrittenVersion;
  readonly #wireIds = new WeakMap<NetTraceMetadata, Map<string, number>>();
  readonly #kinds = new Map<string, Kind>();
  readonly #bytes = new NetTraceBytes();

  constructor(writer: NetTraceWriter, version: WrittenVersion) {
    this.#writer = writer;
    this.#version = version;
  }

  of(event: TraceEvent): KindOfEvent {
    if (event instanceof NetTraceEvent && this.#canStay(event.wire.metadata)) {
      return { metadataId: this.#wireId(event), payload: event.payloadBytes };
    }
    return this.#described(event);
  }

  #canStay({ fields }: NetTraceMetadata): boolean {
    return this.#version === FormatVersion.V6 || fields.every(({ type }) => isTypeOfV4(type));
  }

  /** The kind gets the event's own level and the like, which labels may have overridden. */
  #wireId({ wire, level, keywords, version }: NetTraceEvent): number {
    const { metadata, labels } = wire;
    const opcode = labels?.opcode ?? metadata.opcode;
    let ids = this.#wireIds.get(metadata);
    if (ids === undefined) {
      ids = new Map();
      this.#wireIds.set(metadata, ids);
    }
    const key = `${level} ${keywords} ${version} ${opcode}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = this.#writer.define({ ...metadata, level, keywords, version, opcode });
      ids.set(key, id);
    }
    return id;
  }

  #described(event: TraceEvent): KindOfEvent {
    const kind = this.#kindOf(event);
    const isUnread = event.payloadProblem !== undefined && Object.keys(event.payload).length === 0;
    if (event.payloadProblem !== undefined && !isUnread) this.partlyKept++;
    const { fields, payload } = isUnread
      ? { fields: [], payload: {} }
      : describePayload(event.payload, kind.fields);
    const metadataId =
      fields === kind.fields && kind.lastId > 0 ? kind.lastId : this.#idOf(event, kind, fields);
    kind.lastId = metadataId;
    kind.fields = fields;
    if (isUnread) return { metadataId, payload: event.payloadBytes };
    if (fields.length === 0) return { metadataId, payload: NOTHING };
    this.#bytes.cut(0);
    writePayload(this.#bytes, fields, payload);
    return { metadataId, payload: this.#bytes.current() };
  }

  #kindOf({ provider, providerGuid, id, name, version, level, opcode, keywords }: TraceEvent): Kind {
    const key = `${provider}\n${providerGuid}\n${name}\n${id} ${version} ${level} ${opcode} ${keywords}`;
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = { fields: [], ids: new Map(), lastId: 0 };
      this.#kinds.set(key, kind);
    }
    return kind;
  }

  #idOf(event: TraceEvent, { ids }: Kind, fields: readonly NetTraceField[]): number {
    const key = JSON.stringify(fields);
    let id = ids.get(key);
    if (id === undefined) {
      id = this.#writer.define(writtenMetadata(event, fields));
      ids.set(key, id);
    }
    return id;
  }
}

function writtenMetadata(event: TraceEvent, fields: readonly NetTraceField[]): WrittenMetadata {
  const { provider, providerGuid, id: eventId, name, keywords, version, level, opcode } = event;
  return { provider, providerGuid, eventId, name, keywords, version, level, opcode, fields };
}
