/** How values are shown that people do not read as decimal numbers or bytes. */
import { describe, expect, it } from 'vitest';
import { eventText } from '../../lib/cli/dump/event-text.ts';
import { dotnetEvent } from '../../lib/known/dotnet.ts';
import { parseFieldList } from '../../lib/known/field-list.ts';
import { jsonField, jsonValue } from '../../lib/trace/trace-event.ts';
import type { Payload } from '../../lib/wire/decoded-field.ts';
import { describeManifest } from '../../lib/wire/manifest/describe.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import { hexFieldsOf } from '../../lib/wire/packed/hex-fields.ts';
import { InType, OutType } from '../../lib/wire/tracelogging/constants.ts';
import { readValue } from '../../lib/wire/tracelogging/value.ts';
import { Bytes, fileBytes, pipeBytes, record, sample } from '../wire/perf-data/file-bytes.ts';
import { readBytes } from './perf-data/read.ts';

const RUNTIME = 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4';
const RUNDOWN = 'a669021c-c450-4609-a035-5af59af4df18';

describe("names of .NET's events", () => {
  it.each([
    [RUNDOWN, 10, 'GC/SettingsRundown', 'GC', 'SettingsRundown', undefined],
    [
      RUNDOWN,
      280,
      'TieredCompilationRundown/SettingsDCStart',
      'TieredCompilationRundown',
      'SettingsDCStart',
      11,
    ],
    [RUNTIME, 282, 'TieredCompilation/Resume', 'TieredCompilation', 'Resume', 13],
    [RUNTIME, 283, 'TieredCompilation/BackgroundJitStart', 'TieredCompilation', 'BackgroundJitStart', 1],
    [
      RUNTIME,
      303,
      'AllocationSampling/AllocationSampled',
      'AllocationSampling',
      'AllocationSampled',
      undefined,
    ],
  ])('%s %i is %s', (guid, id, name, taskName, opcodeName, opcode) => {
    expect(dotnetEvent(guid, id, 0)).toMatchObject({
      name,
      taskName,
      opcodeName,
      ...(opcode === undefined ? {} : { opcode }),
    });
  });
});

describe('hex numbers', () => {
  it('are pointers, and those described as hex, including in structs', () => {
    const fields = parseFieldList(
      'Count uint32, At pointer, Flags hex32, Values { Address hex64, Size uint64 }[Count]',
    );
    const bytes = new Bytes(true).u32(1).u64(0xffff_8000_0000_1000n).u32(0x10).u64(0x7fffn).u64(9);
    const { payload } = decodePacked(fields, bytes.done(), 8);
    expect(jsonValue(payload, hexFieldsOf(fields))).toEqual({
      Count: 1,
      At: '0xffff800000001000',
      Flags: '0x10',
      Values: [{ Address: '0x7fff', Size: '9' }],
    });
    expect(jsonField('At', payload.At ?? null, hexFieldsOf(fields))).toBe('0xffff800000001000');
    // The values themselves stay numbers.
    expect(payload.At).toBe(0xffff_8000_0000_1000n);
  });

  it('are the addresses of samples', async () => {
    const payload = [0, 0, 0, 0];
    const bytes = pipeBytes({ records: [sample(true, { timeNs: 1n, payload })] });
    const piped = Buffer.from(
      Buffer.from(bytes).toString('latin1').replaceAll('ID: 1234', 'ID: 4321'),
      'latin1',
    );
    const [event] = (await readBytes(piped)).events;
    expect(event?.toJSON().payload).toEqual({ ip: '0x1000', addr: '0x2000', period: '1' });
    expect(event === undefined ? '' : eventText(event)).toMatch(/ip=0x1000 addr=0x2000 period=1$/);
  });

  it('are pointers of tracepoints', async () => {
    const fields =
      '\tfield:void * ptr;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:unsigned long n;\toffset:16;\tsize:8;\tsigned:0;\n';
    const payload = new Bytes(true).u64(0xffff_0000_0000_0001n).u64(7).done();
    const records = [sample(true, { timeNs: 1n, payload }), record(true, 68, () => {})];
    const [event] = (await readBytes(fileBytes({ records, fields, tracepoint: 'alloc' }))).events;
    expect(event?.toJSON().payload).toEqual({ ptr: '0xffff000000000001', n: '7' });
  });
});

const IPV4 = [2, 0, 0, 80, 192, 0, 2, 1, ...Array(8).fill(0)];
const IPV6 = [23, 0, 1, 187, 0, 0, 0, 0, 0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 1, 0, 0, 0, 0];

describe('network addresses', () => {
  const read = (outType: string, length: string, bytes: readonly number[]): Payload => {
    const template = `<data name="size" inType="win:UInt32"/><data name="address" inType="win:Binary" outType="win:${outType}" ${length}/>`;
    const xml = `<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
      <provider name="P" guid="{00112233-4455-6677-8899-aabbccddeeff}" symbol="P" resourceFileName="p" messageFileName="p">
      <templates><template tid="T">${template}</template></templates>
      <events><event value="1" version="0" template="T"/></events></provider></events></instrumentation></instrumentationManifest>`;
    const [provider] = describeManifest(xml);
    return decodePacked(
      provider?.event(1, 0)?.fields ?? [],
      Uint8Array.from([bytes.length, 0, 0, 0, ...bytes]),
      8,
    ).payload;
  };

  it.each([
    ['SocketAddress', 'length="size"', IPV4, '192.0.2.1:80'],
    ['SocketAddress', 'length="size"', IPV6, '[2001:db8::1]:443'],
    ['IPv6', '', IPV6.slice(8, 24), '2001:db8::1'],
    ['IPv6', 'length="16"', IPV6.slice(8, 24), '2001:db8::1'],
    ['IPv6', 'length="size"', IPV6.slice(8, 24), '2001:db8::1'],
  ])('of a manifest: %s %s', (outType, length, bytes, text) => {
    expect(read(outType, length, bytes).address).toBe(text);
  });

  it('that are invalid stay bytes', () => {
    expect(read('SocketAddress', 'length="size"', [9, 0, 1, 2, 3, 4, 5, 6]).address).toEqual(
      Uint8Array.of(9, 0, 1, 2, 3, 4, 5, 6),
    );
    expect(read('IPv6', 'length="size"', [1, 2, 3]).address).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('of TraceLogging', () => {
    expect(readValue(InType.Binary, OutType.SocketAddress, Uint8Array.from(IPV6))).toBe('[2001:db8::1]:443');
    expect(readValue(InType.CountedBinary, OutType.SocketAddress, Uint8Array.from(IPV4))).toBe(
      '192.0.2.1:80',
    );
  });
});
