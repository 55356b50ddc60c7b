/** WPP messages of an .etl, with and without the TMF that describes them. */

import { describe, expect, it } from 'vitest';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import {
  bufferBytes,
  etlBytes,
  eventRecord,
  messageRecord,
  RAW_START,
  START_NS,
  utf16,
} from '../../wire/etl/etl-bytes.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { at, readEtl } from './read-etl.ts';

const GUID = '1606d1a7-1682-57d1-65f7-36693800e096';
const TMF = `// PDB:  tracedrv.pdb
${GUID} tracedrv // SRC=tracedrv.c MJ= MN=
#typev tracedrv_c258 10 "%0IOCTL = %10!d! at %11!p!" //   LEVEL=TRACE_LEVEL_WARNING FLAGS=FLAG_ONE FUNC=Dispatch
{
ioctlCount, ItemLong -- 10
_this->device, ItemPtr -- 11
}
#typev tracedrv_c264 11 "%0[%9!d!]%8!04X!.%3!04X! #%7!d! %1!s!/%2!s! %!FUNC!: Hello, %10!s! %11!s!"
{
LoopCount, ItemString -- 10
name, ItemWString -- 11
}
`;

const Option = {
  sequence: 1,
  guid: 2,
  component: 4,
  time: 8,
  clock: 0x10,
  ids: 0x20,
  is32: 0x40,
  is64: 0x80,
};

/** The parts that the options ask for, then the arguments. */
function message(number: number, options: number, payload: Iterable<number>, ticks = 5): Uint8Array {
  const parts = new Bytes(true);
  if (options & Option.sequence) parts.u32(77);
  if (options & Option.component) parts.u32(0x1234);
  else if (options & Option.guid) parts.raw(guidBytes(GUID));
  if (options & (Option.time | Option.clock)) parts.u64(RAW_START + BigInt(ticks));
  if (options & Option.ids) parts.u32(21).u32(0x20);
  return messageRecord(number, options, parts.raw(payload).done());
}

const ALL = Option.sequence | Option.guid | Option.time | Option.ids | Option.is64;
const ioctl = new Bytes(true).u32(1).u64(0xffffa801_2345_6780n).done();
const read = (records: readonly Uint8Array[], tmf = [TMF]) =>
  readEtl(etlBytes([bufferBytes(records)]), [], tmf);

describe('a described message', () => {
  it('is an event of its component, with its place, level, fields and text', async () => {
    const { reader, events } = await read([message(10, ALL, ioctl)]);
    expect(events[0]?.toJSON()).toMatchObject({
      provider: 'tracedrv',
      providerGuid: GUID,
      name: 'Dispatch',
      id: 10,
      level: 3,
      opcode: 0,
      processId: 0x20,
      threadId: 21,
      timestamp: String(START_NS + 500n),
      labels: {
        Source: 'tracedrv.c:258',
        Function: 'Dispatch',
        Level: 'TRACE_LEVEL_WARNING',
        Flags: 'FLAG_ONE',
        Sequence: '77',
      },
      message: 'IOCTL = 1 at FFFFA80123456780',
      payload: {
        ioctlCount: 1,
        '_this->device': '0xffffa80123456780',
        FormattedString: 'IOCTL = 1 at FFFFA80123456780',
      },
    });
    expect(events[0]?.payloadProblem).toBeUndefined();
    expect(reader.progress.undescribedMessages).toBeUndefined();
  });

  it('knows what its prefix asks for, as far as it has it', async () => {
    const hello = [...Buffer.from('one\0'), ...utf16('zwei\0')];
    const { events } = await read([message(11, ALL, hello), message(11, Option.guid, hello)]);
    expect(events.map((event) => event.message)).toEqual([
      '[0]0020.0015 #77 tracedrv/tracedrv_c264 : Hello, one zwei',
      '[0]    .     # tracedrv/tracedrv_c264 : Hello, one zwei',
    ]);
    expect(events[0]?.name).toBe('tracedrv.c:264');
  });

  it('has pointers of the size that its options say', async () => {
    const { events } = await read([
      message(10, (ALL & ~Option.is64) | Option.is32, new Bytes(true).u32(2).u32(0x8123_4567).done()),
    ]);
    expect(events[0]?.message).toBe('IOCTL = 2 at 81234567');
    expect(events[0]?.payload).toMatchObject({ ioctlCount: 2, '_this->device': 0x8123_4567 });
  });

  it('has the texts of its arguments, where they are more than the values', async () => {
    const tmf = `${GUID} app // SRC=a.c\n#typev a_c3 5 "%10!s! %11!s! %12!d!"
{
status, ItemNTSTATUS -- 10
state, ItemListLong(Off,On) -- 11
count, ItemLong -- 12
}`;
    const { events } = await read(
      [message(5, ALL, new Bytes(true).u32(0xc000_0022).u32(1).u32(2).done())],
      [tmf],
    );
    const [event] = events;
    expect(event?.message).toBe('0xc0000022(STATUS_ACCESS_DENIED) On 2');
    expect(['status', 'state', 'count'].map((name) => event?.fieldText(name))).toEqual([
      '0xc0000022(STATUS_ACCESS_DENIED)',
      'On',
      undefined,
    ]);
    expect(event?.toJSON().payload).toMatchObject({ status: '0xc0000022', state: 1, count: 2 });
  });

  it('has each combination of parts', async () => {
    for (let options = 0; options < 0x100; options++) {
      const { events, error } = await read([message(10, options, ioctl)]);
      const hasGuid = (options & Option.guid) !== 0 && (options & Option.component) === 0;
      const hasIds = (options & Option.ids) !== 0;
      const [event] = events;
      expect(error).toBeUndefined();
      expect([event?.provider, event?.processId, event?.threadId]).toEqual([
        hasGuid ? 'tracedrv' : 'Unknown',
        hasIds ? 0x20 : undefined,
        hasIds ? 21 : undefined,
      ]);
      expect([...(event?.payloadBytes ?? [])]).toEqual([...ioctl]);
      expect(event?.labels?.Sequence).toBe(options & Option.sequence ? '77' : undefined);
      expect(event?.labels?.Component).toBe(options & Option.component ? String(0x1234) : undefined);
    }
  });

  it('has the marker of messages, or that of other records', async () => {
    const record = message(10, ALL, ioctl);
    record.set([0x0f, 0xc0], 2);
    expect((await read([record])).events[0]?.message).toBe('IOCTL = 1 at FFFFA80123456780');
  });

  it('is also an event with the flag of messages, as real-time sessions deliver it', async () => {
    const record = eventRecord({ time: RAW_START, provider: GUID, id: 10, payload: ioctl });
    record[4] = 8;
    expect((await read([record])).events[0]).toMatchObject({
      provider: 'tracedrv',
      name: 'Dispatch',
      message: 'IOCTL = 1 at FFFFA80123456780',
    });
  });

  it('without a time stays where it is in the file', async () => {
    const timeless = (number: number) => message(number, Option.guid, []);
    const { events } = await read([at(1), timeless(100), at(2), timeless(101), timeless(102), at(9)]);
    expect(events.map(({ id, timeSinceStart }) => [id, timeSinceStart])).toEqual([
      [1, 100n],
      [100, 100n],
      [2, 200n],
      [101, 200n],
      [102, 200n],
      [9, 900n],
    ]);
  });
});

describe('an undescribed message', () => {
  it('shows its GUID, number and bytes, and is counted', async () => {
    const { reader, events } = await read([message(12, ALL, ioctl), message(10, ALL, ioctl)]);
    expect(events[0]).toMatchObject({
      provider: GUID,
      name: 'Message(12)',
      message: undefined,
      payloadProblem: `Nothing describes message 12 (WPP) of ${GUID}: pass the TMF file or the PDB of its program (--tmf).`,
    });
    expect(events[0]?.toJSON().payload).toEqual({ Arguments: '010000008067452301a8ffff' });
    expect(reader.progress.undescribedMessages).toBe(1);
  });

  it('with the id of a component says so', async () => {
    const { events } = await read([message(12, Option.component, [1])]);
    expect(events[0]).toMatchObject({
      provider: 'Unknown',
      labels: { Component: '4660' },
      payloadProblem: 'Nothing describes message 12 (WPP), which has no GUID.',
    });
  });
});

describe('TMF texts', () => {
  it('are found by GUID, once, with bad messages skipped', async () => {
    const asked: string[] = [];
    const find = (guid: string) => {
      asked.push(guid);
      return [`${TMF}\n#typev bad\n`];
    };
    const bytes = etlBytes([bufferBytes([message(10, ALL, ioctl), message(99, ALL, ioctl)])]);
    const { events } = await readEtl(bytes, [], find);
    expect(events.map(({ name }) => name)).toEqual(['Dispatch', 'Message(99)']);
    expect(asked).toEqual([GUID]);
  });

  it('must be readable if they are given', async () => {
    await expect(read([], [TMF, '#typev bad'])).rejects.toThrow('TMF 2:1: "#typev bad" is not #typev');
  });
});

describe('a damaged message', () => {
  const whole = message(11, ALL, [...Buffer.from('one\0'), ...utf16('zwei\0')]);

  it('has the arguments before the damage, wherever it ends', async () => {
    for (let size = 8; size < whole.length; size++) {
      const record = whole.slice(0, size);
      record[0] = size;
      const { events, error } = await read([record]);
      expect([events.length, error]).toEqual([1, undefined]);
      expect(() => events[0]?.toJSON()).not.toThrow();
      if (size === 8 + 4 + 16 + 8 + 8 + 4)
        expect(Object.keys(events[0]?.payload ?? {})).toEqual(['LoopCount', 'FormattedString']);
    }
  });

  it('is read or refused, whatever its bytes are', async () => {
    for (let index = 0; index < whole.length; index++) {
      for (const value of [0, 1, 0x0f, 0x7f, 0x80, 0xc0, 0xff]) {
        const record = whole.slice();
        record[index] = value;
        const { events, error } = await read([record, at(9)]);
        for (const event of events) event.toJSON();
        if (error !== undefined) expect(error).toBeInstanceOf(TraceError);
      }
    }
  });
});
