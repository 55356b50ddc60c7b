import { describe, expect, it } from 'vitest';
import { parseTracepointFormat } from '../../../lib/wire/perf-data/tracepoint-format.ts';
import { readTracepointValue } from '../../../lib/wire/perf-data/tracepoint-value.ts';
import { EVENT_HEADER_FIELDS, formatText } from './file-bytes.ts';

const field = (declaration: string, offset: number, size: number, signed = 0) =>
  `\tfield:${declaration};\toffset:${offset};\tsize:${size};\tsigned:${signed};`;

describe("a tracepoint's format", () => {
  it('has common fields and its own', () => {
    const format = parseTracepointFormat(
      'sched',
      formatText('sched_switch', field('char prev_comm[16]', 8, 16)),
    );
    expect(format).toMatchObject({ system: 'sched', name: 'sched_switch', id: 1234 });
    expect(format?.commonFields.map(({ name }) => name)).toEqual([
      'common_type',
      'common_flags',
      'common_preempt_count',
      'common_pid',
    ]);
    expect(format?.fields).toMatchObject([{ name: 'prev_comm', type: 'char[16]', offset: 8, size: 16 }]);
    expect(format).not.toHaveProperty('eventHeaderOffset');
  });

  it('belongs to EventHeader events if its first own field has that name', () => {
    expect(
      parseTracepointFormat('user_events', formatText('P_L5K1', EVENT_HEADER_FIELDS))?.eventHeaderOffset,
    ).toBe(8);
  });

  it('without name or id is invalid', () => {
    expect(parseTracepointFormat('s', 'format:\n')).toBeUndefined();
    expect(parseTracepointFormat('s', 'name: n\n')).toBeUndefined();
  });
});

describe("a tracepoint's value", () => {
  const raw = new Uint8Array(40);
  raw.set([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 8);
  raw.set(new TextEncoder().encode('node\0junk'), 16);
  raw.set([16, 0, 4, 0], 28); // 4 bytes at 16
  raw.set([0, 0, 4, 0], 32); // 4 bytes right behind
  raw.set([1, 2, 3, 4], 36);

  it.each([
    ['int a', 8, 4, 1, -1],
    ['u32 a', 8, 4, 0, 0xffffffff],
    ['long a', 8, 8, 1, -1n],
    ['void * a', 8, 8, 0, 2n ** 64n - 1n],
    ['unsigned char a', 8, 1, 0, 255],
    ['char comm[12]', 16, 12, 1, 'node'],
    ['u8 bytes[4]', 36, 4, 0, Uint8Array.of(1, 2, 3, 4)],
    ['unsigned long args[1]', 8, 8, 0, [2n ** 64n - 1n]],
    ['u16 pair[2]', 36, 4, 0, [0x0201, 0x0403]],
    ['struct three a', 36, 3, 0, Uint8Array.of(1, 2, 3)],
    ['__data_loc char[] text', 28, 4, 1, 'node'],
    ['__rel_loc u8[] data', 32, 4, 0, Uint8Array.of(1, 2, 3, 4)],
    ['int beyond', 38, 4, 1, undefined],
    ['__data_loc char[] beyond', 8, 4, 1, undefined],
  ])('of "%s" is read', (declaration, offset, size, signed, expected) => {
    const format = parseTracepointFormat('s', formatText('n', field(declaration, offset, size, signed)));
    const [parsed] = format?.fields ?? [];
    if (parsed === undefined) throw new Error('the field was not parsed');
    expect(readTracepointValue(parsed, raw, true)).toEqual(expected);
  });
});
