import { describe, expect, it } from 'vitest';
import { parseTraceEventInfo, withMaps } from '../../../lib/wire/etw/trace-event-info.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { decodePacked } from '../../../lib/wire/packed/decode.ts';

const GUID = '1c95126e-7eea-49a9-a3fe-a378b03ddb4d';
const HEAD = 112;
const PROPERTY = 24;

interface Property {
  readonly name: string;
  readonly flags?: number;
  readonly inType?: number;
  readonly outType?: number;
  readonly map?: string;
  /** Of a struct. */
  readonly first?: number;
  readonly members?: number;
  readonly count?: number;
  readonly length?: number;
}

interface Parts {
  readonly id?: number;
  readonly version?: number;
  readonly opcode?: number;
  readonly source?: number;
  readonly provider?: string;
  readonly task?: string;
  readonly opcodeName?: string;
  readonly message?: string;
  readonly eventName?: string;
  readonly top?: number;
  readonly properties?: readonly Property[];
}

/** A TRACE_EVENT_INFO: head, properties, texts. */
function info(parts: Parts): Uint8Array {
  const properties = parts.properties ?? [];
  const bytes = Buffer.alloc(8192);
  let end = HEAD + PROPERTY * properties.length;
  const text = (at: number, value: string | undefined) => {
    if (value === undefined) return;
    bytes.writeUInt32LE(end, at);
    end += bytes.write(`${value}\0`, end, 'utf16le');
  };
  bytes.set(guidBytes(GUID), 0);
  bytes.writeUInt16LE(parts.id ?? 1001, 32);
  bytes[34] = parts.version ?? 0;
  bytes[37] = parts.opcode ?? 0;
  bytes.writeUInt32LE(parts.source ?? 0, 48);
  text(52, parts.provider);
  text(68, parts.task);
  text(72, parts.opcodeName);
  text(76, parts.message);
  text(92, parts.eventName);
  bytes.writeUInt32LE(properties.length, 100);
  bytes.writeUInt32LE(parts.top ?? properties.length, 104);
  for (const [index, property] of properties.entries()) {
    const at = HEAD + PROPERTY * index;
    bytes.writeUInt32LE(property.flags ?? 0, at);
    text(at + 4, property.name);
    bytes.writeUInt16LE(property.first ?? property.inType ?? 8, at + 8);
    bytes.writeUInt16LE(property.members ?? property.outType ?? 0, at + 10);
    text(at + 12, property.map);
    bytes.writeUInt16LE(property.count ?? 1, at + 16);
    bytes.writeUInt16LE(property.length ?? 0, at + 18);
  }
  return bytes.subarray(0, end);
}

const fieldsOf = (...properties: Property[]) => parseTraceEventInfo(info({ properties }))?.description.fields;

describe('TRACE_EVENT_INFO', () => {
  it('names the event as PerfView does: task and opcode', () => {
    const parts = { id: 7, version: 2, provider: 'DNS', task: 'Server', opcode: 1, opcodeName: 'win:Start' };
    expect(parseTraceEventInfo(info({ ...parts, message: 'Started %1 ' }))).toEqual({
      providerGuid: GUID,
      id: 7,
      version: 2,
      description: {
        provider: 'DNS',
        name: 'Server/Start',
        taskName: 'Server',
        opcodeName: 'Start',
        fields: [],
        message: 'Started %1',
      },
    });
  });

  it.each([
    [{ task: 'Server', opcodeName: 'win:Info' }, 'Server'],
    [{ task: 'Server', opcode: 77 }, 'Server/Opcode(77)'],
    [{ opcode: 77, id: 5 }, 'EventID(5)'],
    [{ task: 'Server', eventName: 'ServerFound' }, 'ServerFound'],
  ])('of %o is named %s', (parts, name) => {
    expect(parseTraceEventInfo(info(parts))?.description.name).toBe(name);
  });

  it('supports the types of manifests, and those that outTypes turn them into', () => {
    const fields = fieldsOf(
      { name: 'text', inType: 1 },
      { name: 'on', inType: 13 },
      { name: 'code', inType: 8, outType: 18 },
      { name: 'port', inType: 6, outType: 22 },
      { name: 'from', inType: 8, outType: 23 },
      { name: 'to', inType: 14, outType: 24 },
      { name: 'size', inType: 308 },
    );
    expect(fields?.map(({ type }) => type)).toEqual([
      'utf16',
      'bool32',
      'hex32',
      'port',
      'ipv4',
      'ipv6',
      'pointer',
    ]);
  });

  it('names an unknown type', () => {
    expect(fieldsOf({ name: 'odd', inType: 99 })).toEqual([
      { name: 'odd', type: 'unknown', typeName: 'TDH in type 99' },
    ]);
  });

  it('uses other properties, which are then hidden, as lengths and counts', () => {
    const fields = fieldsOf(
      { name: 'size', inType: 6 },
      { name: 'data', inType: 14, flags: 2, length: 0 },
      { name: 'count', inType: 4 },
      { name: 'values', inType: 8, flags: 4, count: 2, length: 4 },
      { name: 'key', inType: 14, length: 6 },
    );
    expect(fields).toEqual([
      { name: 'size', type: 'uint16', hidden: true },
      { name: 'data', type: 'binary', length: 'size' },
      { name: 'count', type: 'uint8' },
      { name: 'values', type: 'uint32', count: 'count' },
      { name: 'key', type: 'binary', length: 6 },
    ]);
  });

  it('supports structs, whose members follow the top-level properties', () => {
    const properties: Property[] = [
      { name: 'count', inType: 6 },
      { name: 'points', flags: 1 | 4, first: 2, members: 2, count: 0 },
      { name: 'x', inType: 4 },
      { name: 'y', inType: 4 },
    ];
    const fields = parseTraceEventInfo(info({ top: 2, properties }))?.description.fields ?? [];
    const { payload } = decodePacked(fields, Uint8Array.of(2, 0, 1, 2, 3, 4), 8);
    expect(payload).toEqual({
      count: 2,
      points: [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ],
    });
  });

  it('supports maps, whose names are elsewhere', () => {
    const found = parseTraceEventInfo(info({ properties: [{ name: 'kind', inType: 4, map: 'Kinds' }] }));
    const map = { name: 'Kinds', kind: 'value', names: new Map([[1, 'dynamic']]) } as const;
    expect(found && withMaps(found.description, new Map([['Kinds', map]])).fields[0]?.map).toBe(map);
  });

  it('of a classic event cannot be found by an id', () => {
    expect(parseTraceEventInfo(info({ source: 1 }))).toBeUndefined();
  });

  it.each<[string, Uint8Array]>([
    ['too short', info({}).subarray(0, 100)],
    ['without its properties', info({ properties: [{ name: 'a' }, { name: 'b' }] }).subarray(0, HEAD + 40)],
    ['with more properties at the top than there are', info({ top: 3, properties: [{ name: 'a' }] })],
    ['with a struct in itself', info({ properties: [{ name: 'a', flags: 1, first: 0, members: 1 }] })],
    [
      'with a struct of members that are not there',
      info({ properties: [{ name: 'a', flags: 1, first: 1, members: 9 }] }),
    ],
    [
      'with a length that no property says',
      info({ properties: [{ name: 'a', inType: 14, flags: 2, length: 7 }] }),
    ],
    ['with a count that no property says', info({ properties: [{ name: 'a', flags: 4, count: 7 }] })],
    ['with structs without end', deep(100)],
  ])('%s describes nothing', (_, bytes) => {
    expect(parseTraceEventInfo(bytes)).toBeUndefined();
  });

  it('survives every cut, and any changed byte', () => {
    const bytes = info({
      provider: 'p',
      task: 't',
      properties: [
        { name: 'a', map: 'm' },
        { name: 'b', inType: 14, flags: 2, length: 0 },
        { name: 'c', flags: 4 },
      ],
    });
    for (let size = 0; size < bytes.length; size++) parseTraceEventInfo(bytes.subarray(0, size));
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] = 0xff;
      parseTraceEventInfo(changed);
    }
  });
});

/** Each property a struct of the next. */
function deep(depth: number): Uint8Array {
  const properties = Array.from({ length: depth }, (_, index) => ({
    name: `s${index}`,
    flags: 1,
    first: index + 1,
    members: 1,
  }));
  return info({ top: 1, properties: [...properties, { name: 'last' }] });
}
