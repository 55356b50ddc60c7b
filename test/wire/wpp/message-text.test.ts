/** The texts of messages: all types of arguments, and the conversions of printf. */
import { describe, expect, it } from 'vitest';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { decodePacked } from '../../../lib/wire/packed/decode.ts';
import { messageText } from '../../../lib/wire/wpp/message-text.ts';
import { printed } from '../../../lib/wire/wpp/printf.ts';
import { parseTmf } from '../../../lib/wire/wpp/tmf.ts';
import { START_TIME, utf16 } from '../etl/etl-bytes.ts';
import { Bytes } from '../perf-data/file-bytes.ts';

const GUID = '7113b9e1-a0cc-d313-1eab-57efe9d7e56c';
const CONTEXT = { threadId: 5, processId: 4, processor: 1, sequence: 7, time: '2024' };

/** A message with these arguments, and its text. */
function shown(
  format: string,
  items: readonly string[],
  bytes: Iterable<number>,
  pointerSize: 4 | 8 = 8,
): string {
  const list = items.map((item, index) => `a${index}, ${item} -- ${10 + index}\n`).join('');
  const keys = '// LEVEL=TRACE_LEVEL_ERROR FLAGS=F FUNC=Run COMPNAME=net';
  const { messages, problems } = parseTmf(
    `${GUID} app // SRC=a.c MJ= MN=\n#typev a_c3 1 "${format}" ${keys}\n{\n${list}}\n`,
    'a.tmf',
  );
  expect(problems).toEqual([]);
  const [message] = messages;
  if (message === undefined) throw new Error('There is no message.');
  const stored = Uint8Array.from(bytes);
  const { payload } = decodePacked(message.fields, stored, pointerSize);
  return messageText(message, payload, pointerSize, CONTEXT, stored.length);
}

const bytes = () => new Bytes(true);
const ansi = (text: string) => [...Buffer.from(text, 'latin1')];

describe('an argument', () => {
  it.each<[item: string, spec: string, bytes: Iterable<number>, text: string]>([
    ['ItemChar', 'c', ansi('A'), 'A'],
    ['ItemChar', 'd', [0xff], '-1'],
    ['ItemUChar', '02x', [0x0a], '0a'],
    ['ItemShort', 'hd', [0xfe, 0xff], '-2'],
    ['ItemShort', '04hX', [0xfe, 0xff], 'FFFE'],
    ['ItemLong', 'd', bytes().u32(0xffff_fff6).done(), '-10'],
    ['ItemLong', 'u', bytes().u32(0xffff_fff6).done(), '4294967286'],
    ['ItemLong', '08lx', bytes().u32(0xabc).done(), '00000abc'],
    ['ItemLong', 'o', bytes().u32(8).done(), '10'],
    ['ItemULong', 'u', bytes().u32(7).done(), '7'],
    ['ItemLongLong', 'I64d', bytes().u64(-5n).done(), '-5'],
    [
      'ItemULongLong',
      'I64u',
      bytes()
        .u64(2n ** 64n - 1n)
        .done(),
      '18446744073709551615',
    ],
    ['ItemLongLongX', 'I64x', bytes().u64(0xabcn).done(), 'abc'],
    ['ItemLongLongXX', 'I64X', bytes().u64(0xabcn).done(), 'ABC'],
    ['ItemLongLongO', 'I64o', bytes().u64(64n).done(), '100'],
    ['ItemPtr', 'p', bytes().u64(0xffffa801_00000010n).done(), 'FFFFA80100000010'],
    ['ItemPtr', 'Iu', bytes().u64(12n).done(), '12'],
    ['ItemDouble', 's', new Uint8Array(Float64Array.of(1.5).buffer), '1.5'],
    ['ItemFloat', '.2f', new Uint8Array(Float32Array.of(0.5).buffer), '0.50'],
    ['ItemString', 's', ansi('a\tb\0'), 'a\tb'],
    ['ItemRString', 's', ansi('a\tb \r\n\0'), 'a b'],
    ['ItemWString', 's', utf16('äöü\0'), 'äöü'],
    ['ItemRWString', 's', utf16('a\nb\n\0'), 'a b'],
    ['ItemPString', 's', [3, 0, ...ansi('abc')], 'abc'],
    ['ItemPWString', '5s', [4, 0, ...utf16('ab')], '   ab'],
    ['ItemChar4', 's', ansi('RGBA'), 'RGBA'],
    ['ItemGuid', 's', guidBytes(GUID), GUID],
    ['ItemCLSID', 's', guidBytes(GUID), GUID],
    ['ItemSid', 's', [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0], 'S-1-5-18'],
    ['ItemNTSTATUS', 's', bytes().u32(0x8000_000f).done(), '0x8000000f(STATUS_DEVICE_POWERED_OFF)'],
    ['ItemNTSTATUS', 's', bytes().u32(0).done(), '0x00000000(STATUS_SUCCESS)'],
    ['ItemNTSTATUS', 's', bytes().u32(0xc123_4567).done(), '0xc1234567'],
    ['ItemNTSTATUS', 'x', bytes().u32(0xc000_0022).done(), 'c0000022'],
    ['ItemHRESULT', 's', bytes().u32(0x8007_0002).done(), '0x80070002(ERROR_FILE_NOT_FOUND)'],
    ['ItemHRESULT', 's', bytes().u32(0x8000_4005).done(), '0x80004005(E_FAIL)'],
    ['ItemWINERROR', 's', bytes().u32(5).done(), '5(ERROR_ACCESS_DENIED)'],
    ['ItemWINERROR', 's', bytes().u32(54321).done(), '54321'],
    ['ItemTimestamp', 's', bytes().u64(START_TIME).done(), '2024-01-01T00:00:00.000Z'],
    ['ItemTimeDelta', 's', bytes().u64(93_784_005n).done(), '1~02:03:04.005'],
    ['ItemWaitTime', 's', bytes().u64(-1n).done(), '-0~00:00:00.001'],
    ['ItemIPAddr', 's', [127, 0, 0, 1], '127.0.0.1'],
    ['ItemIPV6Addr', 's', [0x20, 1, 0x0d, 0xb8, ...new Array(11).fill(0), 1], '2001:db8::1'],
    ['ItemPort', 's', [0x1f, 0x90], '8080'],
    ['ItemMACAddr', 's', [0, 0x1b, 0x44, 0x11, 0x3a, 0xb7], '00-1b-44-11-3a-b7'],
    ['ItemHEXDump', 's', [3, 0, 1, 0xab, 0xff], '01 ab ff'],
    ['ItemListByte(Low,APC,DPC)', 's', [2], 'DPC'],
    ['ItemListShort(false,true)', 's', [1, 0], 'true'],
    ['ItemListLong(Online, Offline)', 's', bytes().u32(1).done(), 'Offline'],
    ['ItemListLong(Off,On=0x10)', 's', bytes().u32(16).done(), 'On'],
    ['ItemListLong(Off,On)', 's', bytes().u32(0x20).done(), '0x20'],
    ['ItemSetLong(1,2,3)', 's', bytes().u32(5).done(), '1|3'],
    ['ItemEnum(State)', 's', bytes().u32(3).done(), '3'],
  ])('of type %s shown by !%s! is text', (item, spec, payload, text) => {
    expect(shown(`<%10!${spec}!>`, [item], payload)).toBe(`<${text}>`);
  });

  it('has its bytes after those of the one before', () => {
    const payload = bytes().u32(1).raw(ansi('two\0')).raw([3]).raw(utf16('vier\0')).u64(5).done();
    const items = ['ItemLong', 'ItemString', 'ItemChar', 'ItemWString', 'ItemPtr'];
    expect(shown('%14!p! %13!s! %12!d! %11!s! %10!d!', items, payload)).toBe('0000000000000005 vier 3 two 1');
  });

  it('after one of an unknown type stays a placeholder, as does this one', () => {
    expect(shown('%10!d! %11!s! %12!d!', ['ItemLong', 'ItemNew', 'ItemLong'], [1, 0, 0, 0, 2, 0, 0, 0])).toBe(
      '1 %11!s! %12!d!',
    );
  });
});

describe('a format', () => {
  it('shows functions, levels, flags, and escapes', () => {
    expect(shown('%0%!FUNC! %!LEVEL! %!FLAGS! %!COMPNAME! %!NOTHING!|100%% %t%!%n', [], [])).toBe(
      'Run TRACE_LEVEL_ERROR F net |100% \t!',
    );
    expect(shown('%!FILE!:%!LINE! %1 %2 %3!d! %4!s! %7!u! %8!x! %9!d!', [], [])).toBe(
      'a.c:3 app a_c3 5 2024 7 4 1',
    );
  });

  it('is limited, however often it repeats an argument', () => {
    const long = shown('%10!s!'.repeat(5000), ['ItemString'], ansi('x'.repeat(1000)));
    expect(long.length).toBeLessThan(40_000);
  });
});

/** As GNU's printf(1) writes them; `p` and `I64` as Microsoft's does. */
const PRINTED: readonly (readonly [spec: string, value: number | bigint | string, text: string])[] = [
  ['5d', 42, '   42'],
  ['-5d', 42, '42   '],
  ['05d', -42, '-0042'],
  ['+d', 42, '+42'],
  [' d', 42, ' 42'],
  ['.4d', -42, '-0042'],
  ['8.4d', -42, '   -0042'],
  ['08.4d', 42, '    0042'],
  ['.0d', 0, ''],
  ['i', -1, '-1'],
  ['u', -1, '4294967295'],
  ['x', -1, 'ffffffff'],
  ['hx', -1, 'ffff'],
  ['hhx', -1, 'ff'],
  ['hd', 65535, '-1'],
  ['#x', 255, '0xff'],
  ['#X', 255, '0XFF'],
  ['#x', 0, '0'],
  ['#010x', 255, '0x000000ff'],
  ['#o', 8, '010'],
  ['#o', 0, '0'],
  ['o', 8, '10'],
  ['p', 0x1234, '00001234'],
  ['c', 65, 'A'],
  ['5c', 65, '    A'],
  ['s', 'text', 'text'],
  ['.2s', 'text', 'te'],
  ['-6s', 'text', 'text  '],
  ['6.1s', 'text', '     t'],
  ['d', 'text', 'text'],
  ['f', 1.5, '1.500000'],
  ['.0f', 2.6, '3'],
  ['08.2f', -1.234, '-0001.23'],
  ['e', 12345.678, '1.234568e+04'],
  ['.2E', 0.00012, '1.20E-04'],
  ['g', 100000, '100000'],
  ['g', 1e6, '1e+06'],
  ['g', 0.0001, '0.0001'],
  ['g', 0.00001, '1e-05'],
  ['.3g', 3.2468, '3.25'],
  ['#.3g', 3, '3.00'],
  ['g', 0, '0'],
  ['f', 1e22, '10000000000000000000000.000000'],
  ['f', Number.NaN, 'nan'],
  ['F', Number.NEGATIVE_INFINITY, '-INF'],
  ['I64d', -1, '-1'],
  ['k', 5, '5'],
  ['', 5, '5'],
  ['99999d', 5, '5'.padStart(1024)],
];

it.each(PRINTED)('%j of %s is %j', (spec, value, text) => {
  expect(printed(spec, { value, bits: 32, text: () => String(value) })).toBe(text);
});

describe('any conversion of a number', () => {
  /** Written differently: by repeated division, and by adding one character at a time. */
  function expected(
    flags: string,
    width: number,
    precision: number | undefined,
    size: string,
    letter: string,
    value: bigint,
    bits: number,
  ) {
    const used = size === 'hh' ? 8n : size === 'h' ? 16n : BigInt(bits);
    const range = 2n ** (used < BigInt(bits) ? used : BigInt(bits));
    let rest = ((value % range) + range) % range;
    const isNegative = letter === 'd' && rest >= range / 2n;
    if (isNegative) rest = range - rest;
    const base = letter === 'o' ? 8n : letter === 'x' || letter === 'X' ? 16n : 10n;
    const isZero = rest === 0n;
    let number = '';
    for (; rest > 0n; rest /= base) number = '0123456789abcdef'[Number(rest % base)] + number;
    while (number.length < (precision ?? 1)) number = `0${number}`;
    if (letter === 'X') number = number.toUpperCase();
    let head = '';
    if (letter === 'd') head = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
    if (flags.includes('#') && !isZero && base === 16n) head = `0${letter}`;
    if (flags.includes('#') && base === 8n && number[0] !== '0') number = `0${number}`;
    if (flags.includes('0') && !flags.includes('-') && precision === undefined)
      while (head.length + number.length < width) number = `0${number}`;
    let all = head + number;
    while (all.length < width) all = flags.includes('-') ? `${all} ` : ` ${all}`;
    return all;
  }

  it('is what C prints', () => {
    let seed = 7;
    const random = (limit: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % limit;
    };
    const pick = <T>(all: readonly T[]) => all[random(all.length)] as T;
    for (let round = 0; round < 20_000; round++) {
      const bits = pick([8, 16, 32, 64]);
      const value = (BigInt(random(1 << 24)) << BigInt(random(41))) - BigInt(random(2) * random(1 << 20));
      const flags = [...'-+ 0#'].filter(() => random(3) === 0).join('');
      const width = pick([0, 0, 3, 12, 30]);
      const precision = pick([undefined, undefined, 0, 1, 9]);
      const [size, letter] = [pick(['', '', 'l', 'h', 'hh', 'I64']), pick([...'duxXo'])];
      const spec = `${flags}${width || ''}${precision === undefined ? '' : `.${precision}`}${size}${letter}`;
      const actual = printed(spec, { value, bits, text: () => '' });
      expect(`${spec} ${value}: ${actual}`).toBe(
        `${spec} ${value}: ${expected(flags, width, precision, size, letter, value, bits)}`,
      );
    }
  });
});
