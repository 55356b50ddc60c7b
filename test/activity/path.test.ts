/** Activity paths: writing numbers into GUIDs and reading them back. Ids written by .NET are marked as such. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../lib/activity/guid.ts';
import { formatActivityPath, isActivityPath, parseActivityPath } from '../../lib/activity/path.ts';
import { PATH_NIBBLES } from '../../lib/activity/path-layout.ts';
import {
  appendNumber,
  appendOverflowNumber,
  endAfterNumber,
  endAfterOverflowNumber,
} from '../../lib/activity/path-writer.ts';

function writePath(numbers: readonly number[], processId = 0): { id: Guid; end: number } {
  let path = { id: Guid.empty, end: 0 };
  for (const number of numbers) {
    path = {
      id: appendNumber(path.id, path.end, number, processId),
      end: endAfterNumber(path.end, number),
    };
  }
  return path;
}

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

/** A path of these twelve bytes with the checksum of the 2016 form. */
function pathOfBytes(hex: string): Guid {
  const bytes = Guid.fromBytes(Buffer.from(hex.replaceAll(' ', '').padEnd(32, '0'), 'hex'));
  return new Guid(bytes.w0, bytes.w1, bytes.w2, bytes.w0 + bytes.w1 + bytes.w2 + 0x599d99ad);
}

const writtenByDotNet10: [processId: number, numbers: number[], text: string][] = [
  [0, [1, 1], '00000011-0000-0000-0000-0000be999d59'],
  [1234, [1, 1], '00000011-0000-0000-0000-00006c9d9d59'],
  [1234, [1, 1, 1], '00001011-0000-0000-0000-00006cad9d59'],
  [77, [1, 1, 1, 2, 1, 10], '001a1211-0000-0000-0000-0000f3abb759'],
  [4321, [1, 1, 10], '0000a011-0000-0000-0000-00005f299e59'],
  [4321, [1, 1, 11], '000bc011-0000-0000-0000-00005f49a959'],
  [4321, [1, 1, 11, 1], '100bc011-0000-0000-0000-00005f49a969'],
  [4321, [1, 1, 255], '00ffc011-0000-0000-0000-00005f499d5a'],
  [4321, [1, 1, 256], '0000c111-0000-0000-0000-00005f4a9e59'],
  [4321, [1, 1, 256, 1], '1000c111-0000-0000-0000-00005f4a9e69'],
  [4321, [1, 1, 4096], '1000d011-0000-0000-0000-00005f799e69'],
  [4321, [1, 1, 4096, 1], '1000d011-0010-0000-0000-00002f799e69'],
  [0, [1, 1, 1, 11], '000b1c11-0000-0000-0000-0000beb5a859'],
  [0, [1, 300], '00012c1d-0000-0000-0000-0000cac59e59'],
  [85500, [1, 4, 2000], '00d0c714-0000-0000-0000-00003d2d6f5a'],
  [4242, [1, 1, 70000], '1170e011-0001-0000-0000-00002d690e6b'],
  [4242, [1, 200, 200, 200, 200, 200], 'c8c0c81c-c8c0-c8c0-c0c8-0000dbe31feb'],
  [0, ones(24), '11111111-1111-1111-1111-1111e0ccd08c'],
];

describe('an activity path in a GUID', () => {
  it.each(writtenByDotNet10)(
    'of process %i with numbers %j is the one that .NET 10 writes',
    (processId, numbers, text) => {
      expect(writePath(numbers, processId).id.toString()).toBe(text);
    },
  );

  it.each(writtenByDotNet10)('of process %i with numbers %j reads back', (processId, numbers, text) => {
    expect(parseActivityPath(Guid.parse(text))).toEqual({ processId, numbers, overflow: false });
    expect(formatActivityPath(Guid.parse(text))).toBe(`//${numbers.join('/')}`);
  });

  it.each([0, 1, 10, 11, 255, 256, 4095, 4096, 0xffff, 0x10000, 0xffffff, 0x1000000, 0xffffffff])(
    'holds the number %i at either half of a byte, with a child after it',
    (number) => {
      for (const numbers of [
        [1, number, 7],
        [1, 1, number, 7],
      ]) {
        const { id, end } = writePath(numbers);
        expect(end).toBeLessThanOrEqual(PATH_NIBBLES);
        expect(parseActivityPath(id)).toEqual({ processId: 0, numbers, overflow: false });
      }
    },
  );

  it('has room for 24 small numbers, but not for 25', () => {
    expect(writePath(ones(24)).end).toBe(PATH_NIBBLES);
    expect(endAfterNumber(PATH_NIBBLES, 1)).toBeGreaterThan(PATH_NIBBLES);
  });

  it.each([
    [22, 11],
    [23, 11],
    [20, 4096],
    [21, 256],
    [16, 0x1000000],
    [17, 0x1000000],
  ])('that ends at nibble %i has no room for %i', (end, number) => {
    expect(endAfterNumber(end, number)).toBeGreaterThan(PATH_NIBBLES);
  });

  it.each([
    [20, 4095],
    [21, 255],
    [18, 65535],
    [19, 65535],
    [14, 0xffffffff],
    [15, 0xffffffff],
  ])('that ends at nibble %i has just enough room for %i', (end, number) => {
    expect(endAfterNumber(end, number)).toBe(PATH_NIBBLES);
  });
});

describe('an overflow number', () => {
  it('is written with its prefix in the low half of a byte', () => {
    const { id, end } = writePath(ones(19));
    expect(appendOverflowNumber(id, end, 2, 0).toString()).toBe('11111111-1111-1111-111b-c002e0d67f7e');
    expect(endAfterOverflowNumber(end, 2)).toBe(PATH_NIBBLES);
  });

  it('is written with its prefix in the high half of a byte', () => {
    const { id, end } = writePath(ones(18), 4321);
    expect(appendOverflowNumber(id, end, 17, 4321).toString()).toBe('11111111-1111-1111-11bc-11000167d17b');
    expect(endAfterOverflowNumber(end, 17)).toBe(22);
  });

  it('is shown after a "$"', () => {
    const id = Guid.parse('11111111-1111-1111-111b-c002e0d67f7e');
    expect(formatActivityPath(id)).toBe(`//${ones(19).join('/')}$2`);
    expect(parseActivityPath(id)).toEqual({ processId: 0, numbers: [...ones(19), 2], overflow: true });
  });

  it.each([11, 255, 256, 4095, 4096, 0xffffff, 0xffffffff])('of %i reads back from either half', (number) => {
    for (const parent of [
      [1, 5],
      [1, 5, 3],
    ]) {
      const { id, end } = writePath(parent);
      const overflowed = appendOverflowNumber(id, end, number, 0);
      expect(parseActivityPath(overflowed)).toEqual({
        processId: 0,
        numbers: [...parent, number],
        overflow: true,
      });
    }
  });

  it('is attempted only where .NET attempts it: two whole bytes must follow its first one', () => {
    expect(endAfterOverflowNumber(20, 1)).toBeGreaterThan(PATH_NIBBLES);
    expect(endAfterOverflowNumber(19, 1)).toBe(PATH_NIBBLES);
    expect(endAfterOverflowNumber(19, 4096)).toBeGreaterThan(PATH_NIBBLES);
  });
});

describe('reading GUIDs as paths', () => {
  it('recognises the path in the hexadecimal digits of the text', () => {
    // The specification captions this GUID "//1/1/6/1/3/1"; its digits and its checksum say .../3/2.
    expect(formatActivityPath(Guid.parse('00326111-0000-0000-0000-0000befacf59'))).toBe('//1/1/6/1/3/2');
    expect(writePath([1, 1, 6, 1, 3, 1]).id.toString()).toMatch(/^00316111-/);
  });

  it('recognises the 2016 form and any process id below 2^20 if the process is unknown', () => {
    expect(isActivityPath(writePath([1, 1]).id)).toBe(true);
    expect(isActivityPath(writePath([1, 1], 0xfffff).id)).toBe(true);
    expect(isActivityPath(writePath([1, 1], 0x100000).id)).toBe(false);
  });

  it('recognises only the 2016 form and the given process if the process is known', () => {
    expect(isActivityPath(writePath([1, 1], 1234).id, 1234)).toBe(true);
    expect(isActivityPath(writePath([1, 1]).id, 1234)).toBe(true);
    expect(isActivityPath(writePath([1, 1], 1235).id, 1234)).toBe(false);
  });

  it('recognises a process id of 2^20 or more only if given', () => {
    const id = Guid.parse('0001111d-0000-0000-0000-00007bc7be59');
    expect(formatActivityPath(id)).toBe('0001111d-0000-0000-0000-00007bc7be59');
    expect(formatActivityPath(id, 2125233)).toBe('//1/273');
    expect(parseActivityPath(id, 2125233)?.processId).toBe(2125233);
  });

  it('shows a GUID that is not a path unchanged', () => {
    for (const text of ['00000000-0000-0000-0000-000000000000', '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5']) {
      expect(isActivityPath(Guid.parse(text))).toBe(false);
      expect(parseActivityPath(Guid.parse(text))).toBeUndefined();
      expect(formatActivityPath(Guid.parse(text))).toBe(text);
    }
  });

  it('names the ids that TraceEvent generates for HTTP and SQL commands', () => {
    expect(formatActivityPath(Guid.parse('0000beef-0000-0000-0607-08090a0b0c0d'))).toBe('HTTP/Id=0000beef');
    expect(formatActivityPath(Guid.parse('0000beef-0000-0000-0707-08090a0b0c0d'))).toBe('SQL/Id=0000beef');
  });

  it('continues after the spare byte that .NET up to version 9 wrote', () => {
    expect(formatActivityPath(Guid.parse('0000c111-0010-0000-0000-00002f4a9e59'))).toBe('//1/1/256/1');
  });

  it.each([
    ['an undefined code after the overflow prefix', '11 b1'],
    ['an overflow prefix at the very end', '11 11 11 11 11 11 11 11 11 11 11 1b'],
    ['a number cut off by the end', '11 11 11 11 11 11 11 11 11 11 11 1c'],
    ['a number behind the overflow number', '11 bc 05 10'],
  ])('does not mistake %s for a path', (_, hex) => {
    const id = pathOfBytes(hex);
    expect(isActivityPath(id)).toBe(true);
    expect(parseActivityPath(id)).toBeUndefined();
    expect(formatActivityPath(id)).toBe(id.toString());
  });
});
