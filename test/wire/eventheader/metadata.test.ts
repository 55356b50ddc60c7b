/** The metadata extension, byte by byte, according to eventheader.h. */
import { describe, expect, it } from 'vitest';
import { Encoding, Format } from '../../../lib/wire/eventheader/constants.ts';
import { encodeMetadata, type FieldMetadata } from '../../../lib/wire/eventheader/metadata.ts';
import { hex, name } from './event-bytes.ts';

/** The bytes after the event's name and the field's. */
const fieldBytes = (field: Omit<FieldMetadata, 'name'>) =>
  Buffer.from(encodeMetadata('E', [{ name: 'f', ...field }]).subarray(4)).toString('hex');

describe('the metadata of an event', () => {
  it('is just its name without fields', () => {
    expect(encodeMetadata('Empty', [])).toEqual(hex('456d70747900'));
  });

  it('holds names as UTF-8 with a NUL', () => {
    expect(encodeMetadata('É', [{ name: '名', encoding: Encoding.Value8 }])).toEqual(
      Uint8Array.from([...name('É'), ...name('名'), Encoding.Value8]),
    );
  });

  it('lists a struct before its fields, which follow in order', () => {
    const inner = {
      name: 'i',
      encoding: Encoding.Struct,
      fields: [{ name: 'x', encoding: Encoding.Value8 }],
    };
    const fields = [
      { name: 's', encoding: Encoding.Struct, fields: [inner, { name: 'y', encoding: Encoding.Value16 }] },
      { name: 'z', encoding: Encoding.Value32 },
    ];
    expect(encodeMetadata('E', fields)).toEqual(hex('4500 7300 8102 6900 8101 7800 02 7900 03 7a00 04'));
  });
});

describe('the bytes of a field', () => {
  it('are one byte if its format is the default', () => {
    expect(fieldBytes({ encoding: Encoding.Value32 })).toBe('04');
    expect(fieldBytes({ encoding: Encoding.Value32, format: Format.Default })).toBe('04');
  });

  it('include a format byte if it is not', () => {
    expect(fieldBytes({ encoding: Encoding.Value32, format: Format.SignedInt })).toBe('8402');
  });

  it('include a format byte before a tag, too', () => {
    expect(fieldBytes({ encoding: Encoding.Value32, tag: 0x1234 })).toBe('84803412');
    expect(fieldBytes({ encoding: Encoding.Value32, format: Format.HexInt, tag: 1 })).toBe('84830100');
    expect(fieldBytes({ encoding: Encoding.Value32, tag: 0 })).toBe('04');
  });

  it('say where the length of an array is', () => {
    expect(fieldBytes({ encoding: Encoding.Value16, array: 'variable' })).toBe('43');
    expect(fieldBytes({ encoding: Encoding.Value16, array: 65535 })).toBe('23ffff');
    expect(fieldBytes({ encoding: Encoding.Value16, format: Format.Port, array: 2, tag: 3 })).toBe(
      'a39003000200',
    );
  });

  it('contain the number of fields where a struct would have its format', () => {
    const fields = Array.from({ length: 127 }, (_, index) => ({
      name: `${index}`,
      encoding: Encoding.Value8,
    }));
    expect(fieldBytes({ encoding: Encoding.Struct, fields }).slice(0, 4)).toBe('817f');
    expect(fieldBytes({ encoding: Encoding.Struct, array: 'variable', fields }).slice(0, 4)).toBe('c17f');
  });
});
