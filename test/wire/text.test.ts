import { describe, expect, it } from 'vitest';
import { decodeMarkedText, decodeUtf8, decodeUtf16, decodeUtf32 } from '../../lib/wire/text.ts';
import { hex } from './eventheader/event-bytes.ts';

function view(digits: string): DataView {
  return new DataView(hex(digits).buffer);
}

describe('UTF-8', () => {
  it.each([
    ['61 c3a9 e282ac f09f9880', 'aé€😀'],
    ['efbbbf 78', '\ufeffx'],
    ['ff c3 28', 'ÿÃ('],
    ['61 e282', 'aâ\u0082'],
    ['c080', 'À\u0080'],
    ['eda080 ff', '\ud800ÿ'],
    ['f4908080', 'ô\u0090\u0080\u0080'],
  ])('%s is %j: what is not UTF-8 is Latin-1', (digits, text) => {
    expect(decodeUtf8(hex(digits))).toBe(text);
  });
});

describe('wider text', () => {
  it('keeps lone surrogates', () => {
    expect(decodeUtf16(view('61 00 00 d8'), true)).toBe('a\ud800');
    expect(decodeUtf32(view('00 00 d8 00'), false)).toBe('\ud800');
  });

  it('has U+FFFD for anything above U+10FFFF', () => {
    expect(decodeUtf32(view('ff ff 10 00 00 00 11 00'), true)).toBe('\u{10ffff}\ufffd');
  });

  it('can be long', () => {
    const bytes = new Uint8Array(130_000).fill(0x61);
    expect(decodeUtf16(new DataView(bytes.buffer), true)).toBe('\u6161'.repeat(65_000));
  });
});

describe('text with a byte order mark', () => {
  it.each([
    ['efbbbf 78', 'x'],
    ['fffe 7800', 'x'],
    ['feff 0078', 'x'],
    ['fffe0000 78000000', 'x'],
    ['0000feff 00000078', 'x'],
  ])('%s is %j', (digits, text) => {
    expect(decodeMarkedText(view(digits))).toBe(text);
  });

  it.each(['', '78', 'efbb', 'efbb78'])('%j has no mark', (digits) => {
    expect(decodeMarkedText(view(digits))).toBeUndefined();
  });
});
