import { describe, expect, it } from 'vitest';
import { parseEventMapInfo } from '../../../lib/wire/etw/event-map-info.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';

const GUID = '1c95126e-7eea-49a9-a3fe-a378b03ddb4d';

function mapInfo(flags: number, entries: readonly (readonly [number, string])[], valueType = 0): Uint8Array {
  const bytes = Buffer.alloc(1024);
  bytes.set(guidBytes(GUID), 0);
  let end = 16 + 16 + 8 * entries.length;
  const text = (at: number, value: string) => {
    bytes.writeUInt32LE(end - 16, at);
    end += bytes.write(`${value}\0`, end, 'utf16le');
  };
  text(16, 'KindMap');
  bytes.writeUInt32LE(flags, 20);
  bytes.writeUInt32LE(entries.length, 24);
  bytes.writeUInt32LE(valueType, 28);
  for (const [index, [value, name]] of entries.entries()) {
    text(32 + 8 * index, name);
    bytes.writeUInt32LE(value, 36 + 8 * index);
  }
  return bytes.subarray(0, end);
}

describe('EVENT_MAP_INFO', () => {
  it('names values, without the space that the message compiler appends', () => {
    expect(
      parseEventMapInfo(
        mapInfo(1, [
          [0, 'static '],
          [1, 'dynamic '],
        ]),
      ),
    ).toEqual({
      providerGuid: GUID,
      map: {
        name: 'KindMap',
        kind: 'value',
        names: new Map([
          [0, 'static'],
          [1, 'dynamic'],
        ]),
      },
    });
  });

  it('names bits', () => {
    expect(parseEventMapInfo(mapInfo(2, [[0x80000000, 'Top']]))?.map).toEqual({
      name: 'KindMap',
      kind: 'bits',
      names: new Map([[0x80000000, 'Top']]),
    });
  });

  it('of string patterns names nothing', () => {
    expect(parseEventMapInfo(mapInfo(4, [[0, 'x']], 1))).toBeUndefined();
  });

  it('that is cut off names nothing, or what is there', () => {
    const bytes = mapInfo(1, [
      [0, 'static'],
      [1, 'dynamic'],
    ]);
    for (let size = 0; size < 48; size++) expect(parseEventMapInfo(bytes.subarray(0, size))).toBeUndefined();
    expect(parseEventMapInfo(bytes.subarray(0, 64))?.map.names.size).toBe(0);
  });
});
