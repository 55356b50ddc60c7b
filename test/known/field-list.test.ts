/** The notation of field lists. */
import { describe, expect, it } from 'vitest';
import { parseFieldList } from '../../lib/known/field-list.ts';
import type { PackedMap } from '../../lib/wire/packed/field.ts';

const REASON: PackedMap = { name: 'Reason', kind: 'value', names: new Map([[0, 'None']]) };
const MAPS = new Map([['Reason', REASON]]);

describe('a field list', () => {
  it('may be empty', () => {
    expect(parseFieldList(' \n ')).toEqual([]);
  });

  it('has names and types, followed by counts, lengths and maps', () => {
    expect(
      parseFieldList(
        `Count uint32, _Size uint16, Data binary(Size),
         Names utf16[Count], Rest uint8[*], Code ansi(4), Why uint8=Reason, Whys uint8[2]=Reason`,
        MAPS,
      ),
    ).toEqual([
      { name: 'Count', type: 'uint32' },
      { name: 'Size', type: 'uint16', hidden: true },
      { name: 'Data', type: 'binary', length: 'Size' },
      { name: 'Names', type: 'utf16', count: 'Count' },
      { name: 'Rest', type: 'uint8', count: '*' },
      { name: 'Code', type: 'ansi', length: 4 },
      { name: 'Why', type: 'uint8', map: REASON },
      { name: 'Whys', type: 'uint8', count: 2, map: REASON },
    ]);
  });

  it('has structs in braces', () => {
    expect(parseFieldList('n uint8, Values { Size pointer, Parts { x int8 } }[n], z uint8')).toEqual([
      { name: 'n', type: 'uint8' },
      {
        name: 'Values',
        type: 'struct',
        count: 'n',
        fields: [
          { name: 'Size', type: 'pointer' },
          { name: 'Parts', type: 'struct', fields: [{ name: 'x', type: 'int8' }] },
        ],
      },
      { name: 'z', type: 'uint8' },
    ]);
  });

  it.each([
    ['Count', 'has ""'],
    ['Count uint32,', 'has ""'],
    ['Count uint32 Size', 'has "Size"'],
    ['Values { a uint8', 'has ""'],
    ['a uint8 }', 'has "}"'],
    ['a uint8=Other', 'Field "a" has the map "Other", which does not exist.'],
  ])('%j is invalid: %s', (text, message) => {
    expect(() => parseFieldList(text, MAPS)).toThrow(SyntaxError);
    expect(() => parseFieldList(text, MAPS)).toThrow(message);
  });
});
