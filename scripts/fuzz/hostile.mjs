/** Inputs that are hostile to begin with: a few bytes that expand enormously, empty sections, odd names. */
import { crc32, deflateSync } from 'node:zlib';

const varuint = (value) =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varuint(Math.floor(value / 128))];
const u16 = (value) => [value & 0xff, value >>> 8];
const u32 = (value) => [...u16(value & 0xffff), ...u16(value >>> 16)];
const text = (value) => [...varuint(value.length), ...Buffer.from(value)];
const block = (kind, body) => [...u32(body.length | (kind << 24)), ...body];
const row = (body) => [...u16(body.length), ...body];

/** A version 6 trace whose only kind of event has a field of this type; `payload` is the payload of its events. */
function nettrace(type, payload, count) {
  const time = [2025, 2, 1, 3, 4, 5, 6, 0].flatMap(u16);
  const clock = [...u32(0), ...u32(0), ...u32(1000), ...u32(0)];
  const field = row([...text('x\u001b[2J'), ...type]);
  const metadata = row([1, ...text('Provider'), 15, ...text('Event'), ...u16(1), ...field, ...u16(0)]);
  const first = [0xc7, 1, 0, 1, 0, 1, 1, ...varuint(payload.length), ...payload];
  const more = Array.from({ length: count }, () => [0x40, 1, ...payload]).flat();
  const events = [...u16(20), ...u16(1), ...Array(16).fill(0), ...first, ...more];
  return Buffer.from([
    ...Buffer.from('Nettrace'),
    ...[0, 6, 0].flatMap(u32),
    ...block(1, [...time, ...clock, ...u32(8), ...u32(0)]),
    ...block(3, [...u16(0), ...metadata]),
    ...block(6, row([1, 2, 84, 3, 11])),
    ...block(2, events),
    ...u32(0),
  ]);
}

const NOTHING = [1, 0, 0];

const LONG_NAME = 'n'.repeat(30_000);

/** Arrays of empty structs of every kind, of structs with long names, overlapping arrays, and texts without an end. */
export function bombs() {
  const many = u16(65_535);
  return [
    nettrace([19, ...NOTHING], many, 500),
    nettrace([22, ...NOTHING, ...many], [0], 500),
    nettrace([22, 22, 22, ...NOTHING, ...many, ...many, ...many], [0], 500),
    nettrace([19, 19, ...NOTHING], [0xff, 0xff, 0xff, 0xff], 200),
    nettrace([25, 4], u32(0x8000_0000), 200),
    nettrace([24, 23], u32(0x0004_0000), 200),
    nettrace([18], Array(64).fill(0x1b), 50),
    nettrace(
      [19, 1, ...u16(1), ...row([...text(LONG_NAME), 5])],
      [...u16(20_000), ...Array(20_000).fill(1)],
      5,
    ),
  ];
}

const TABLE_ENTRY = 16;

/** The same perf.data, with no bytes for every second feature. */
export function emptyFeatures(file) {
  const bytes = Buffer.from(file);
  const table = Number(bytes.readBigUInt64LE(40) + bytes.readBigUInt64LE(48));
  const end = Math.min(Number(bytes.readBigUInt64LE(table)), bytes.length);
  for (let at = table; at + TABLE_ENTRY <= end; at += 2 * TABLE_ENTRY) bytes.writeBigUInt64LE(0n, at + 8);
  return bytes;
}

/** The same file with names that control terminals, lead out of folders, or belong to every object. */
export function hostileNames(file) {
  const swap = (latin1, from, to) =>
    latin1.replaceAll(from, to.padEnd(from.length, '_').slice(0, from.length));
  let latin1 = file.latin1Slice();
  latin1 = swap(latin1, 'user_events', '__proto__\u001b[2J');
  latin1 = swap(latin1, 'common_type', 'constructor');
  return Buffer.from(swap(latin1, 'eventheader_flags', '../../etc/passwd'), 'latin1');
}

/** A zip with the unchanged file, and its directory. */
export function storedZip(file) {
  const name = Buffer.from('a.nettrace');
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt32LE(crc32(file), 10);
  common.writeUInt32LE(file.length, 14);
  common.writeUInt32LE(file.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, file]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

/** Zstandard frames: blocks that repeat one byte, raw blocks, and compressed records. */
export const ZSTD = [
  Buffer.from([
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0,
    0x38,
    ...Array.from({ length: 20 }, () => [0x02, 0, 0x10, 0x50]).flat(),
  ]),
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 0x40, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x09, 0, 0, 9]),
  Buffer.from(
    'KLUv/QBIvAIA1AMJAAAAAAB4AE0AEAAKAAAACwAAAAMAIAADAAEAAgAwAEAAHAAAANIEAAAKAAAABwAFBQABAEUAaQACCQAACwB7EB8QBS4GA4OMwcBgMLgYJAINuwAJZAAACAIDACCUBglGOAABnAAAUAAFRAAAAAAAACACAAQmwQlcAQ==',
    'base64',
  ),
];

/** A Perfetto trace whose only packet has these compressed in it (field 50). */
export function deflatedPackets(packets) {
  const bytes = deflateSync(packets);
  const packet = [0x92, 0x03, ...varuint(bytes.length), ...bytes];
  return Buffer.from([0x0a, ...varuint(packet.length), ...packet]);
}

const GUID = '1606d1a7-1682-57d1-65f7-36693800e096';
const long = (part) => part.repeat(60_000 / part.length);

/** Texts for which patterns that backtrack would take the square of their length, or more. */
const LINES = [
  ' ',
  '--',
  '//',
  '" ',
  '%1!',
  '%10!',
  'A= ',
  ', Item',
  ', ItemList(',
  '0',
  '0-',
  'a:1',
  '<a ',
  '\u2028//',
].map(long);

/** TMF: each line as a component, a message, an argument. */
export function tmfTexts() {
  return LINES.map((line) =>
    Buffer.from(
      [
        `${GUID} app // SRC=app.c`,
        `#typev app_c1 10 "${line}" // LEVEL=2 ${line}`,
        '{',
        'x, ItemLong -- 10',
        `y, ItemListLong(${line}) -- 11`,
        `${line}z, ItemString -- 12`,
        '}',
        `${GUID} app ${line}`,
        `#typev app_c2 11 "${'%10!s!'.repeat(9_000)}"`,
        '{',
        'x, ItemString -- 10',
        '}',
      ].join('\n'),
    ),
  );
}

/** Manifests whose messages repeat their fields, whose bits have long names, and whose structs have long ones. */
export function manifests() {
  const of = (rest, message, data) =>
    Buffer.from(
      `<provider name="P" guid="{${GUID}}">${rest}<events><event value="1" template="t" message="$(string.m)"/></events>` +
        `<templates><template tid="t">${data}</template></templates></provider>` +
        `<stringTable><string id="m" value="${message}"/><string id="l" value="${LONG_NAME}"/></stringTable>`,
    );
  const bits = Array.from({ length: 64 }, (_, bit) => `<map value="${2 ** bit}" message="$(string.l)"/>`);
  const maps = `<maps><bitMap name="b">${bits.join('')}</bitMap></maps>`;
  return [
    of('', '%1'.repeat(30_000), '<data name="a" inType="win:UnicodeString"/>'),
    of(
      maps,
      '%2 '.repeat(99),
      '<data name="n" inType="win:UInt16"/><data name="a" inType="win:UInt32" map="b" count="n"/>',
    ),
    of(
      '',
      '%2 '.repeat(99),
      `<data name="n" inType="win:UInt16"/><struct name="s" count="n"><data name="${LONG_NAME}" inType="win:UInt8"/></struct>`,
    ),
    of('', LINES[0], ''),
  ];
}

/** A 64-bit ELF file whose many functions share one long name. */
export function elfOfOneName(count) {
  const names = Buffer.from(`\0${'x'.repeat(4_000)}\0`);
  const file = Buffer.alloc(64 + 3 * 64 + 24 * count + names.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeBigUInt64LE(64n, 0x28);
  file.writeUInt16LE(64, 0x3a);
  file.writeUInt16LE(3, 0x3c);
  const symbolsAt = 64 + 3 * 64;
  const section = (index, type, at, size, link) => {
    const start = 64 + index * 64;
    file.writeUInt32LE(type, start + 4);
    file.writeBigUInt64LE(BigInt(at), start + 24);
    file.writeBigUInt64LE(BigInt(size), start + 32);
    file.writeUInt32LE(link, start + 40);
  };
  section(1, 2, symbolsAt, 24 * count, 2);
  section(2, 3, symbolsAt + 24 * count, names.length, 0);
  for (let i = 0; i < count; i++) {
    const at = symbolsAt + 24 * i;
    file.writeUInt32LE(1, at);
    file.writeUInt8(0x12, at + 4);
    file.writeUInt16LE(1, at + 6);
    file.writeBigUInt64LE(BigInt(16 * i), at + 8);
    file.writeBigUInt64LE(16n, at + 16);
  }
  names.copy(file, symbolsAt + 24 * count);
  return file;
}
