/** Reads the records of a whole .etl file, for tests of their descriptions. */
import { readFileSync } from 'node:fs';
import { classicEvent, kernelEvent } from '../../lib/known/kernel.ts';
import { openBuffer } from '../../lib/wire/etl/buffer.ts';
import { extendedItemsOf } from '../../lib/wire/etl/extended-items.ts';
import {
  groupOf,
  guidAt,
  idNumberOf,
  layoutKind,
  opcodeOf,
  pointerSizeOf,
  providerGuidOffset,
  rawTimeOf,
  versionOf,
} from '../../lib/wire/etl/record.ts';
import { RecordCursor } from '../../lib/wire/etl/record-cursor.ts';
import { Layout } from '../../lib/wire/etl/record-type.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import type { EventDescription } from '../../lib/wire/packed/field.ts';

export interface DataRecord {
  readonly layout: Layout;
  /** Of kernel records. */
  readonly group: number | undefined;
  /** Of all others: of the class or the provider. */
  readonly guid: string | undefined;
  readonly id: number;
  readonly opcode: number;
  readonly version: number;
  readonly pointerSize: 4 | 8;
  readonly time: bigint;
  readonly payload: Uint8Array;
}

/** In the order of the file. */
export function* recordsOf(path: string): Generator<DataRecord> {
  const file = readFileSync(path);
  for (let at = 0; at < file.length; ) {
    const buffer = openBuffer(file.subarray(at), at);
    const record = new RecordCursor(buffer, { high: 0, low: 0 });
    while (record.next()) {
      const layout = layoutKind(record);
      const isKernel = layout === Layout.System || layout === Layout.PerfInfo;
      yield {
        layout,
        group: isKernel ? groupOf(record) : undefined,
        guid: isKernel ? undefined : guidAt(record, providerGuidOffset(record)),
        id: idNumberOf(record),
        opcode: opcodeOf(record),
        version: versionOf(record),
        pointerSize: pointerSizeOf(record),
        time: rawTimeOf(record) ?? 0n,
        payload: buffer.bytes.subarray(extendedItemsOf(record).payload, record.end),
      };
    }
    at += buffer.header.size;
  }
}

/** What is known of a kernel record, or of one with a class GUID. */
export function describe({ group, guid = '', opcode, version }: DataRecord): EventDescription | undefined {
  return group === undefined ? classicEvent(guid, opcode, version) : kernelEvent(group, opcode, version);
}

const REST = 'bytes behind the fields';
const withRest = new Map<EventDescription, EventDescription['fields']>();

/** A sentence on what does not fit where the record's payload is decoded as described; undefined if all does. */
export function misfit(description: EventDescription, record: DataRecord): string | undefined {
  let fields = withRest.get(description);
  if (fields === undefined) {
    fields = [...description.fields, { name: REST, type: 'uint8', count: '*' }];
    withRest.set(description, fields);
  }
  const { payload, problem } = decodePacked(fields, record.payload, record.pointerSize);
  if (problem !== undefined) return problem;
  const missing = fields.find((field) => !field.hidden && !(field.name in payload));
  if (missing !== undefined) return `There is no ${missing.name}.`;
  const rest = payload[REST];
  return Array.isArray(rest) && rest.length > 0 ? `${rest.length} ${REST}.` : undefined;
}
