/** What sessions do with their files besides writing one from its start to its end. */
import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/index.ts';
import { timeText } from '../../../lib/trace/time-text.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { ChargedSamples } from '../../../lib/view/cpu/charged-samples.ts';
import { CpuActivities } from '../../../lib/view/cpu/cpu-activities.ts';
import { CpuProfile } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import {
  ACTIVITY,
  bufferBytes,
  etlBytes,
  eventRecord,
  type HeaderParts,
  kernelRecord,
  RAW_START,
  START_NS,
  START_TIME,
} from '../../wire/etl/etl-bytes.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { at, idsOf, readEtl } from './read-etl.ts';

const le = () => new Bytes(true);
/** 100 ns each. */
const SECOND = 10_000_000n;

/** The events of several files as one recording, and what the reading ended with. */
async function readFiles(...files: Uint8Array[]) {
  const trace = await openTrace(files, { onDamage: 'warning' });
  const events: TraceEvent[] = [];
  for await (const batch of trace.batches()) events.push(...batch);
  return { trace, events, problem: trace.problem };
}

const secondsOf = (events: readonly TraceEvent[]) =>
  events.map(({ timestamp }) => Number(timestamp - START_NS) / 1e9);

describe('a log of a boot', () => {
  it('has events from before its header, whose times are before its start', async () => {
    const early = eventRecord({ time: 0n, id: 1 });
    const earlier = eventRecord({ time: -SECOND, id: 2 });
    const { events, error } = await readEtl(etlBytes([bufferBytes([at(5), early]), bufferBytes([earlier])]));
    expect([idsOf(events), error]).toEqual([[2, 1, 5], undefined]);
    expect(secondsOf(events)).toEqual([-1.1, -0.1, 5e-7]);
    expect(events[0]?.timeSinceStart).toBe(-1_100_000_000n);
  });

  it('without a start time starts as long after the boot as its counter says', async () => {
    const bytes = etlBytes([bufferBytes([at(0, 7)])], { startTime: 0n, bootTime: START_TIME - RAW_START });
    const { reader, events } = await readEtl(bytes);
    expect([reader.info.startTime, events[0]?.timestamp]).toEqual([START_NS, START_NS]);
  });

  it('without any time of day has times since 1601', async () => {
    const { reader, events } = await readEtl(
      etlBytes([bufferBytes([at(1)])], { startTime: 0n, bootTime: 0n }),
    );
    expect(timeText(reader.info.startTime)).toBe('1601-01-01T00:00:00.000000000Z');
    expect(events[0]?.timeSinceStart).toBe(100n);
  });
});

describe('a log that was not closed', () => {
  it('says neither its end nor its buffers, and is read to the end', async () => {
    const buffers = [bufferBytes([at(1)]), bufferBytes([at(2)])];
    const { reader, events, error } = await readEtl(etlBytes(buffers, { endTime: 0n, buffersWritten: 0 }));
    expect([idsOf(events), error, reader.info.endTime]).toEqual([[1, 2], undefined, undefined]);
  });
});

describe('a circular log', () => {
  it('has newer buffers before older ones, and says how many it has had', async () => {
    const buffers = [
      [50, 60],
      [70, 80],
      [10, 20],
      [30, 40],
    ].map((times) => bufferBytes(times.map((time) => at(time))));
    const { events, error } = await readEtl(etlBytes(buffers, { mode: 2, buffersWritten: 1000 }));
    expect([idsOf(events), error]).toEqual([[10, 20, 30, 40, 50, 60, 70, 80], undefined]);
  });
});

describe('a log to which another session appended', () => {
  const appended = (header: HeaderParts, ...events: Uint8Array[]) =>
    Buffer.concat([
      etlBytes([bufferBytes([at(10), at(20)])], { mode: 4 }),
      etlBytes([bufferBytes(events)], header),
    ]);

  it('has the events of both, on one counter, without the second header', async () => {
    const header = { rawTime: RAW_START + SECOND, startTime: START_TIME + SECOND + 77n };
    const { events, error } = await readEtl(appended(header, at(30), at(15)));
    expect([idsOf(events), error]).toEqual([[10, 15, 20, 30], undefined]);
    expect(secondsOf(events)).toEqual([1e-6, 1.5e-6, 2e-6, 3e-6]);
  });

  it('after Windows was started again counts from the time of day', async () => {
    const header = {
      rawTime: 500n,
      startTime: START_TIME + 60n * SECOND,
      bootTime: START_TIME + 50n * SECOND,
    };
    const second = eventRecord({ time: 500n + SECOND, id: 30 });
    const { events } = await readEtl(appended(header, second));
    expect([idsOf(events), secondsOf(events)]).toEqual([
      [10, 20, 30],
      [1e-6, 2e-6, 61],
    ]);
  });

  it('in other units ends there', async () => {
    const { events, error } = await readEtl(appended({ frequency: 3_000_000n }, at(30)));
    expect(idsOf(events)).toEqual([10, 20]);
    expect(error).toMatchObject({
      code: 'unsupported',
      sentence: 'The session that starts here counts time in other units, which is not supported.',
    });
  });
});

describe('the files of one recording', () => {
  const second = (seconds: bigint): HeaderParts => ({
    rawTime: RAW_START + seconds * SECOND,
    startTime: START_TIME + seconds * SECOND,
  });

  it('are merged by the counter, from the first start on', async () => {
    const later = etlBytes([bufferBytes([at(30), at(10)])], { ...second(5n), eventsLost: 2 });
    const { trace, events } = await readFiles(later, etlBytes([bufferBytes([at(20)])], { eventsLost: 1 }));
    expect(idsOf(events)).toEqual([10, 20, 30]);
    expect([trace.info.startTime, trace.lostEvents]).toEqual([START_NS, 3]);
    expect(events.map(({ timeSinceStart }) => timeSinceStart)).toEqual([1000n, 2000n, 3000n]);
  });

  it('end each for itself: truncated, preallocated, or whole', async () => {
    const whole = etlBytes([bufferBytes([at(1), at(4)])]);
    const preallocated = Buffer.concat([etlBytes([bufferBytes([at(2)])]), new Uint8Array(1000)]);
    const cut = etlBytes([bufferBytes([at(3), at(6)])]).subarray(0, -40);
    const { events, problem } = await readFiles(cut, preallocated, whole);
    expect(idsOf(events)).toEqual([1, 2, 3, 4]);
    expect(problem?.sentence).toMatch(/^the given bytes: The file ends inside a buffer/);
  });

  it.each([
    ['another boot', { bootTime: 5n }],
    ['another frequency', { frequency: 24_000_000n }],
    ['another kind of clock', { clockType: 2 }],
  ] as const)('do not include one of %s', async (_, header) => {
    const open = openTrace([etlBytes([]), etlBytes([], header)]);
    await expect(open).rejects.toThrow(
      'the given bytes does not belong to the given bytes: its clock, or the start of Windows that it counts from, is another one.',
    );
  });

  it('do not include other formats', async () => {
    const perfetto = Buffer.from('Nettrace\x14\0\0\0!FastSerialization.1', 'latin1');
    await expect(openTrace([etlBytes([]), perfetto])).rejects.toThrow(
      'the given bytes is a nettrace: only .etl files can be parts of one recording.',
    );
    await expect(openTrace([])).rejects.toThrow('openTrace needs at least one trace.');
  });

  it("charge the kernel's CPU samples to the activities of the other file", async () => {
    const sample = (time: bigint, tid = 11) =>
      kernelRecord({
        type: 0x11,
        group: 0xf,
        opcode: 46,
        time: RAW_START + time,
        payload: le().u64(0x7ff6_0000_1000n).u32(tid).u32(1).done(),
      });
    const thread = kernelRecord({
      group: 5,
      opcode: 3,
      version: 3,
      time: RAW_START,
      payload: [...le().u32(10).u32(11).done(), ...new Uint8Array(80)],
    });
    const named = (provider: string, event: string, field: Uint8Array) => [
      {
        type: 12,
        data: le()
          .u16(3 + provider.length)
          .raw(Buffer.from(`${provider}\0`))
          .done(),
      },
      {
        type: 11,
        data: le()
          .u16(4 + event.length + field.length)
          .raw([0])
          .raw(Buffer.from(`${event}\0`))
          .raw(field)
          .done(),
      },
    ];
    const start = eventRecord({
      time: RAW_START + 50n,
      activityId: ACTIVITY,
      opcode: 1,
      items: named('App', 'RequestStart', new Uint8Array()),
    });
    const switchedTo = (time: bigint, activityId?: string) =>
      eventRecord({
        time: RAW_START + time,
        opcode: 0,
        ...(activityId === undefined ? {} : { activityId }),
        items: named('Node.Runtime', 'ActivitySwitch', Buffer.from('startedAgoMSec\0\x0c')),
        payload: new Uint8Array(8),
      });
    const user = etlBytes([bufferBytes([start, switchedTo(100n, ACTIVITY), switchedTo(400n)])], second(1n));
    const samples = [150n, 250n, 350n, 450n].map((time) => sample(time));
    const { events } = await readFiles(user, etlBytes([bufferBytes([thread, ...samples])]));

    const names = new FrameNames();
    const profile = new CpuProfile(names);
    const activities = new CpuActivities(undefined);
    const charged = new ChargedSamples(activities.activities, names, (each) => activities.addSample(each));
    for (const event of events) {
      activities.add(event);
      const stack = profile.take(event);
      if (stack === undefined) charged.addEvent(event);
      else charged.addSample(event, stack);
    }
    charged.end();
    const counts = [...activities.names().values()].map(({ name, self }) => [name, self.samples]);
    expect(counts).toEqual([
      ['App/Request', 3],
      ['(no activity)', 1],
    ]);
  });
});
