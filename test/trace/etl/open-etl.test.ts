import { describe, expect, it } from 'vitest';
import { openEtl } from '../../../lib/trace/etl/open-etl.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import {
  ACTIVITY,
  bufferBytes,
  classicRecord,
  etlBytes,
  eventRecord,
  kernelRecord,
  messageRecord,
  PROVIDER,
  RAW_START,
  RELATED,
  START_NS,
} from '../../wire/etl/etl-bytes.ts';
import { at, idsOf, readEtl } from './read-etl.ts';

describe('the info of an .etl', () => {
  it('is that of the log header', async () => {
    const { reader } = await readEtl(etlBytes([]));
    expect(reader.info).toEqual({
      format: 'etl',
      startTime: START_NS,
      endTime: START_NS + 60_000_000_000n,
      hasWallTime: true,
      pointerSize: 8,
      processors: 4,
      properties: {
        loggerName: 'Session',
        logFileName: 'C:\\trace.etl',
        osVersion: '10.0.19045',
        mode: '0x1',
        bufferSize: '65536',
        buffersWritten: '0',
        cpuMHz: '2000',
        clock: 'performance counter',
        clockFrequency: '10000000',
        timerResolution: '156250',
        bootTime: '2023-12-31T23:58:20.000000000Z',
        timeZoneBiasMinutes: '-60',
      },
    });
  });

  it('has no end if the session was not closed', async () => {
    const { reader } = await readEtl(etlBytes([], { endTime: 0n }));
    expect(reader.info.endTime).toBeUndefined();
  });

  it('of 32-bit Windows has short pointers', async () => {
    const { reader, events } = await readEtl(etlBytes([bufferBytes([at(1)])], { is32Bit: true }));
    expect([reader.info.pointerSize, idsOf(events)]).toEqual([4, [1]]);
  });

  it.each([
    ['nothing', new Uint8Array(0), 'truncated'],
    ['half a header', etlBytes([]).subarray(0, 40), 'truncated'],
    ['a header without records', bufferBytes([]), 'malformed'],
    ['another record first', bufferBytes([at(1)]), 'malformed'],
  ])('cannot be read from %s', async (_what, bytes, code) => {
    const opened = openEtl(new MemorySource(bytes), { manifests: [] });
    await expect(opened).rejects.toBeInstanceOf(TraceError);
    await expect(opened).rejects.toMatchObject({ code });
  });
});

describe('the events of an .etl', () => {
  it('are in time order, whatever buffers they are in', async () => {
    const bytes = etlBytes([
      bufferBytes([at(1), at(5), at(9)], { processor: 1 }),
      bufferBytes([at(20), at(21)], { processor: 1 }),
      bufferBytes([at(2), at(3), at(20, 200)], { processor: 2 }),
    ]);
    const { events, error } = await readEtl(bytes);
    expect(error).toBeUndefined();
    expect(idsOf(events)).toEqual([1, 2, 3, 5, 9, 20, 200, 21]);
    expect(events.map(({ processor }) => processor)).toEqual([1, 2, 2, 1, 1, 1, 2, 1]);
  });

  it('with equal times are in file order', async () => {
    const bytes = etlBytes([
      bufferBytes([at(4, 1), at(4, 2), at(5, 3)]),
      bufferBytes([at(4, 4)]),
      bufferBytes([at(3, 5), at(4, 6)]),
    ]);
    expect(idsOf((await readEtl(bytes)).events)).toEqual([5, 1, 2, 4, 6, 3]);
  });

  it('are in time order if those of a buffer are not', async () => {
    const bytes = etlBytes([bufferBytes([at(7), at(2), at(5), at(2, 22)]), bufferBytes([at(4)])]);
    expect(idsOf((await readEtl(bytes)).events)).toEqual([2, 22, 4, 5, 7]);
  });

  it('of a circular file are in time order', async () => {
    const bytes = etlBytes(
      [bufferBytes([at(30), at(31)]), bufferBytes([at(10), at(11)]), bufferBytes([at(20)])],
      {
        mode: 2,
        buffersWritten: 100,
      },
    );
    const { events, error } = await readEtl(bytes);
    expect(idsOf(events)).toEqual([10, 11, 20, 30, 31]);
    expect(error).toBeUndefined();
  });

  it('arrive in batches, all of them', async () => {
    const buffers = Array.from({ length: 100 }, (_, buffer) =>
      bufferBytes(Array.from({ length: 100 }, (_, i) => at(100 * buffer + i, i))),
    );
    const { events } = await readEtl(etlBytes(buffers));
    expect(events.length).toBe(10_000);
    const times = events.map(({ timeSinceStart }) => Number(timeSinceStart));
    expect(times).toEqual(Array.from({ length: 10_000 }, (_, i) => 100 * i));
  });

  it('are empty if the log contains only its header', async () => {
    const { reader, events, error } = await readEtl(etlBytes([]));
    expect([events, error]).toEqual([[], undefined]);
    expect(reader.progress.lostEvents).toBe(0);
  });

  it('have everything in their headers', async () => {
    const record = eventRecord({
      time: RAW_START + 15n,
      activityId: ACTIVITY,
      items: [{ type: 1, data: guidBytes(RELATED) }],
      payload: [1, 2],
    });
    const bytes = etlBytes([bufferBytes([record], { processor: 3 })]);
    const { events } = await readEtl(bytes);
    expect(events[0]?.toJSON()).toEqual({
      provider: PROVIDER,
      providerGuid: PROVIDER,
      name: 'EventID(5)',
      id: 5,
      version: 1,
      level: 4,
      opcode: 1,
      opcodeName: 'Start',
      task: 3,
      taskName: undefined,
      keywords: '0x8000000000000001',
      channel: 16,
      processId: 10,
      threadId: 11,
      processor: 3,
      timestamp: String(START_NS + 1500n),
      timeSinceStart: '1500',
      activityId: ACTIVITY,
      activityPath: undefined,
      relatedActivityId: RELATED,
      relatedActivityPath: undefined,
      payload: {},
      payloadProblem: `Nothing describes event 5 (version 1) of ${PROVIDER}.`,
      stack: undefined,
      position: bytes.length - bufferBytes([record]).length + 0x48,
    });
    expect([...(events[0]?.payloadBytes ?? [])]).toEqual([1, 2]);
  });

  it('have no process and thread if these are -1', async () => {
    const record = eventRecord({ time: RAW_START, processId: 0xffff_ffff });
    expect((await readEtl(etlBytes([bufferBytes([record])]))).events[0]?.processId).toBeUndefined();
  });

  it('of undescribed classes and messages say so', async () => {
    const records = [
      classicRecord({ time: RAW_START, payload: [1] }),
      messageRecord(17, 2, [...guidBytes(RELATED), 1]),
      kernelRecord({ group: 200, opcode: 99, time: RAW_START, payload: [1] }),
      classicRecord({ time: RAW_START }),
    ];
    const { events } = await readEtl(etlBytes([bufferBytes(records)]));
    expect(events.map(({ provider, name, payloadProblem }) => [provider, name, payloadProblem])).toEqual([
      [PROVIDER, 'Opcode(7)', `Nothing describes opcode 7 (version 3) of the class ${PROVIDER}.`],
      [
        RELATED,
        'Message(17)',
        `Nothing describes message 17 (WPP) of ${RELATED}: pass the TMF file or the PDB of its program (--tmf).`,
      ],
      ['Windows Kernel', 'Opcode(99)', "Nothing describes opcode 99 (version 2) of the kernel's group 200."],
      [PROVIDER, 'Opcode(7)', undefined],
    ]);
  });
});
