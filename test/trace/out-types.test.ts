/** Every way in which Windows describes a field: the value that programs get, and the text that people read. */
import { beforeAll, describe, expect, it } from 'vitest';
import { eventText } from '../../lib/cli/dump/event-text.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { InType, OutType } from '../../lib/wire/tracelogging/constants.ts';
import { bufferBytes, etlBytes, eventRecord, PROVIDER, RAW_START, utf16 } from '../wire/etl/etl-bytes.ts';
import { readEtl } from './etl/read-etl.ts';

const bytesOf = (text: string) => [...Buffer.from(text.replaceAll(' ', ''), 'hex')];
const IPV6 = 'fe80 0000 0000 0000 0000 0000 0000 0001';
const SOCKET_V4 = '0200 0050 c0000201 00000000 00000000';
const SOCKET_V6 = `1700 01bb 00000000 ${IPV6} 05000000`;
const SOCKET_OTHER = '2200 0102 0304 0506';
const SID = '01 05 000000000005 15000000 01000000 02000000 03000000 f4010000';
const SID_TEXT = 'S-1-5-21-1-2-3-500';
/** 2024-01-31T12:00:00.1234567Z */
const TIME = 133_511_760_001_234_567n;
const TIME_BYTES = Buffer.from(BigUint64Array.of(TIME).buffer).toString('hex');
const TIME_TEXT = '2024-01-31T12:00:00.1234567Z';
const SYSTEM_TIME = 'e807 0100 0300 1f00 0c00 0000 0000 7b00';
const SYSTEM_TIME_TEXT = '2024-01-31T12:00:00.123';
const GUID = '00112233-4455-6677-8899-aabbccddeeff';
const GUID_BYTES = '33221100 5544 7766 8899aabbccddeeff';

/** The last event field's text in a line of dump. */
const shown = (event: TraceEvent | undefined) =>
  event === undefined ? '' : / it=(.*)$/.exec(eventText(event))?.[1];

describe('a field of a manifest', () => {
  /** What describes the field, its bytes, its value and its text. */
  const rows: readonly (readonly [attributes: string, bytes: string, value: unknown, text: string])[] = [
    ['win:Int8', 'ff', -1, '-1'],
    ['win:UInt64', 'ffffffffffffffff', 2n ** 64n - 1n, '18446744073709551615'],
    ['win:HexInt8', 'ab', 0xab, '0xab'],
    ['win:HexInt16', '3412', 0x1234, '0x1234'],
    ['win:HexInt32', '78563412', 0x1234_5678, '0x12345678'],
    ['win:HexInt64', 'ffffffffffffffff', 2n ** 64n - 1n, '0xffffffffffffffff'],
    ['win:Int32" outType="win:HexInt32', 'ffffffff', 0xffff_ffff, '0xffffffff'],
    ['win:Pointer', '00100000 0080ffff', 0xffff_8000_0000_1000n, '0xffff800000001000'],
    ['win:UInt64" outType="win:CodePointer', '0010000000000000', 0x1000n, '0x1000'],
    ['win:UInt32" outType="win:PID', '10000000', 16, '16'],
    ['win:UInt32" outType="win:TID', '10000000', 16, '16'],
    ['win:UInt16" outType="win:Port', '01bb', 443, '443'],
    ['win:UInt32" outType="win:IPv4', 'c0000201', '192.0.2.1', '"192.0.2.1"'],
    ['win:Binary" outType="win:IPv6', IPV6, 'fe80::1', '"fe80::1"'],
    ['win:Binary" length="16" outType="win:IPv6', IPV6, 'fe80::1', '"fe80::1"'],
    ['win:Binary" length="16" outType="win:SocketAddress', SOCKET_V4, '192.0.2.1:80', '"192.0.2.1:80"'],
    ['win:Binary" length="28" outType="win:SocketAddress', SOCKET_V6, '[fe80::1%5]:443', '"[fe80::1%5]:443"'],
    [
      'win:Binary" length="8" outType="win:SocketAddress',
      SOCKET_OTHER,
      Buffer.from(bytesOf(SOCKET_OTHER)),
      '"2200010203040506"',
    ],
    ['win:UInt32" outType="win:NTSTATUS', '340000c0', 0xc000_0034, '0xc0000034'],
    ['win:Int32" outType="win:HResult', '05400080', 0x8000_4005, '0x80004005'],
    ['win:UInt32" outType="win:ErrorCode', '05000000', 5, '0x5'],
    ['win:UInt32" outType="win:Win32Error', '05000000', 5, '5'],
    ['win:FILETIME', TIME_BYTES, TIME, TIME_TEXT],
    ['win:FILETIME" outType="xs:dateTime', TIME_BYTES, TIME, TIME_TEXT],
    ['win:FILETIME" outType="win:DateTimeCultureInsensitive', TIME_BYTES, TIME, TIME_TEXT],
    ['win:Int64" outType="win:DateTimeUtc', TIME_BYTES, TIME, TIME_TEXT],
    ['win:SYSTEMTIME', SYSTEM_TIME, SYSTEM_TIME_TEXT, `"${SYSTEM_TIME_TEXT}"`],
    ['win:Int64" outType="win:ETWTIME', '0500000000000000', 5n, '5'],
    ['win:Boolean', '01000000', true, 'true'],
    ['win:UInt8" outType="xs:boolean', '01', true, 'true'],
    ['win:UInt8" outType="xs:string', '41', 'A', '"A"'],
    ['win:UInt16" outType="xs:string', '4100', 'A', '"A"'],
    ['win:GUID', GUID_BYTES, GUID, `"${GUID}"`],
    ['win:SID', SID, SID_TEXT, `"${SID_TEXT}"`],
    ['win:UnicodeString" outType="win:Xml', '3c0061002f003e000000', '<a/>', '"<a/>"'],
    ['win:AnsiString" outType="win:Json', '7b7d00', '{}', '"{}"'],
    ['win:AnsiString" outType="win:Utf8', 'c3a400', 'ä', '"ä"'],
    ['win:Binary" length="2', '01ab', Buffer.from([1, 0xab]), '"01ab"'],
    ['win:UInt32" map="Reason', '01000000', 1, 'Induced'],
    ['win:UInt32" map="Reason', '09000000', 9, '9'],
    ['win:UInt32" map="Mode', '05000000', 5, 'Read|Delete'],
    ['win:UInt32" map="Mode', '01010000', 0x101, 'Read|0x100'],
    ['win:HexInt32" map="Mode', '00010000', 0x100, '0x100'],
    ['win:UInt32" count="2" map="Reason', '0000000001000000', [0, 1], '"[None, Induced]"'],
    ['win:FILETIME" count="1', TIME_BYTES, [TIME], `"[${TIME_TEXT}]"`],
    ['win:HexInt16" count="2', '01000200', [1, 2], '["0x1","0x2"]'],
    ['win:GUID" count="1', GUID_BYTES, [GUID], `["${GUID}"]`],
    ['win:UInt16" outType="win:Port" count="2', '005001bb', [80, 443], '[80,443]'],
    ['win:UInt32" outType="win:IPv4" count="1', 'c0000201', ['192.0.2.1'], '["192.0.2.1"]'],
    ['win:SID" count="1', SID, [SID_TEXT], `["${SID_TEXT}"]`],
  ];

  const map = (kind: string, name: string, ...names: readonly (readonly [number, string])[]) =>
    `<${kind} name="${name}">${names
      .map(([value, text]) => `<map value="${value}" message="$(string.${text})"/>`)
      .join('')}</${kind}>`;
  const each = (textOf: (attributes: string, id: number) => string) =>
    rows.map(([attributes], id) => textOf(attributes, id)).join('');
  const strings = ['None', 'Induced', 'Read', 'Write', 'Delete'];
  const manifest = `<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
    <instrumentation><events><provider name="Out-Types" guid="{${PROVIDER}}" symbol="P">
    <maps>${map('valueMap', 'Reason', [0, 'None'], [1, 'Induced'])}
    ${map('bitMap', 'Mode', [1, 'Read'], [2, 'Write'], [4, 'Delete'])}</maps>
    <templates>${each((attributes, id) => `<template tid="t${id}"><data name="it" inType="${attributes}"/></template>`)}
    </templates><events>${each((_, id) => `<event value="${id}" version="1" symbol="E${id}" template="t${id}"/>`)}
    </events></provider></events></instrumentation><localization><resources culture="en-US"><stringTable>
    ${strings.map((text) => `<string id="${text}" value="${text}"/>`).join('')}
    </stringTable></resources></localization></instrumentationManifest>`;

  let events: readonly TraceEvent[];
  beforeAll(async () => {
    const records = rows.map(([, bytes], id) =>
      eventRecord({ time: RAW_START, id, payload: bytesOf(bytes) }),
    );
    ({ events } = await readEtl(etlBytes([bufferBytes(records)]), [manifest]));
  });

  it.each(rows.map((row, id) => [...row, id] as const))('inType="%s" of %s', (_, _bytes, value, text, id) => {
    const event = events[id];
    expect(event?.payloadProblem).toBeUndefined();
    expect(event?.payload.it).toEqual(value);
    expect(shown(event)).toBe(text);
  });
});

describe('a field of TraceLogging', () => {
  type Row = readonly [inType: number, outType: number, bytes: string, value: unknown, text: string];
  const VARIABLE = 0x40;
  const rows: readonly Row[] = [
    [InType.Int32, OutType.Default, 'ffffffff', -1, '-1'],
    [InType.Int32, OutType.NoPrint, '01000000', 1, '1'],
    [InType.HexInt32, OutType.Default, '78563412', 0x1234_5678, '0x12345678'],
    [InType.HexInt64, OutType.Default, '0010000000000000', 0x1000n, '0x1000'],
    [InType.UInt32, OutType.Hex, '10000000', 16, '0x10'],
    [InType.HexInt64, OutType.CodePointer, '0010000000000000', 0x1000n, '0x1000'],
    [InType.UInt64, OutType.CodePointer, '0010000000000000', 0x1000n, '0x1000'],
    [InType.UInt32, OutType.Pid, '10000000', 16, '16'],
    [InType.UInt32, OutType.Tid, '10000000', 16, '16'],
    [InType.UInt16, OutType.Port, '01bb', 443, '443'],
    [InType.UInt32, OutType.Ipv4, 'c0000201', '192.0.2.1', '"192.0.2.1"'],
    [InType.Binary, OutType.Ipv6, `1000 ${IPV6}`, 'fe80::1', '"fe80::1"'],
    [InType.CountedBinary, OutType.Ipv6, `1000 ${IPV6}`, 'fe80::1', '"fe80::1"'],
    [InType.Binary, OutType.SocketAddress, `1000 ${SOCKET_V4}`, '192.0.2.1:80', '"192.0.2.1:80"'],
    [InType.Binary, OutType.SocketAddress, `1c00 ${SOCKET_V6}`, '[fe80::1%5]:443', '"[fe80::1%5]:443"'],
    [
      InType.Binary,
      OutType.SocketAddress,
      `0800 ${SOCKET_OTHER}`,
      Buffer.from(bytesOf(SOCKET_OTHER)),
      '"2200010203040506"',
    ],
    [InType.UInt32, OutType.NtStatus, '340000c0', 0xc000_0034, '0xc0000034'],
    [InType.Int32, OutType.HResult, '05400080', -0x7fff_bffb, '0x80004005'],
    [InType.UInt32, OutType.Win32Error, '05000000', 5, '5'],
    [InType.FileTime, OutType.Default, TIME_BYTES, TIME, TIME_TEXT],
    [InType.FileTime, OutType.DateTimeUtc, TIME_BYTES, TIME, TIME_TEXT],
    [InType.Int64, OutType.FileTime, TIME_BYTES, TIME, TIME_TEXT],
    [InType.SystemTime, OutType.Default, SYSTEM_TIME, SYSTEM_TIME_TEXT, `"${SYSTEM_TIME_TEXT}"`],
    [InType.Bool32, OutType.Default, '01000000', true, 'true'],
    [InType.UInt8, OutType.Boolean, '00', false, 'false'],
    [InType.UInt16, OutType.String, '4100', 'A', '"A"'],
    [InType.Guid, OutType.Default, GUID_BYTES, GUID, `"${GUID}"`],
    [InType.Sid, OutType.Default, SID, SID_TEXT, `"${SID_TEXT}"`],
    [InType.CountedAnsiString, OutType.Json, '0200 7b7d', '{}', '"{}"'],
    [InType.AnsiString, OutType.Xml, '3c612f3e00', '<a/>', '"<a/>"'],
    [InType.Binary, OutType.Default, '0200 01ab', Buffer.from([1, 0xab]), '"01ab"'],
    [InType.FileTime | VARIABLE, OutType.Default, `0100 ${TIME_BYTES}`, [TIME], `"[${TIME_TEXT}]"`],
    [InType.UInt32 | VARIABLE, OutType.NtStatus, '0100 340000c0', [0xc000_0034], '"[0xc0000034]"'],
    [InType.UInt32 | VARIABLE, OutType.Hex, '0200 01000000 02000000', [1, 2], '["0x1","0x2"]'],
    [InType.UInt16 | VARIABLE, OutType.Port, '0200 0050 01bb', [80, 443], '[80,443]'],
  ];

  const eventOf = async (fields: readonly number[], payload: string) => {
    const schema = [0, 0, 0, ...Buffer.from('Event\0'), ...fields];
    schema[0] = schema.length;
    const item = { type: 11, data: schema };
    const record = eventRecord({ time: RAW_START, id: 0, items: [item], payload: bytesOf(payload) });
    return (await readEtl(etlBytes([bufferBytes([record])]))).events[0];
  };
  const named = (name: string, inType: number, outType: number) => [
    ...Buffer.from(`${name}\0`),
    inType | 0x80,
    outType,
  ];

  it.each(rows)('InType %i, OutType %i, of %s', async (inType, outType, bytes, value, text) => {
    const event = await eventOf(named('it', inType, outType), bytes);
    expect(event?.payloadProblem).toBeUndefined();
    expect(event?.payload.it).toEqual(value);
    expect(shown(event)).toBe(text);
  });

  it('may be an array of structs', async () => {
    const fields = [
      ...named('it', InType.Struct | VARIABLE, 2),
      ...named('Address', InType.UInt32, OutType.Ipv4),
      ...named('Flags', InType.UInt8, OutType.Hex),
    ];
    const event = await eventOf(fields, '0200 c0000201 10 c0000202 20');
    expect(event?.payload.it).toEqual([
      { Address: '192.0.2.1', Flags: 0x10 },
      { Address: '192.0.2.2', Flags: 0x20 },
    ]);
    expect(shown(event)).toBe(
      '[{"Address":"192.0.2.1","Flags":"0x10"},{"Address":"192.0.2.2","Flags":"0x20"}]',
    );
  });
});

it('the names of a number cannot pose as other fields', async () => {
  const text = 'a=1 level=5';
  const manifest = `<provider name="P" guid="{${PROVIDER}}" symbol="P"><maps><valueMap name="M">
    <map value="1" message="${text}"/></valueMap></maps>
    <templates><template tid="t"><data name="it" inType="win:UInt32" map="M"/></template></templates>
    <events><event value="1" version="1" symbol="E" template="t"/></events></provider>`;
  const record = eventRecord({ time: RAW_START, id: 1, payload: [1, 0, 0, 0, ...utf16('')] });
  const { events } = await readEtl(etlBytes([bufferBytes([record])]), [manifest]);
  expect(shown(events[0])).toBe(`"${text}"`);
});
