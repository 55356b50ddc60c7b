/** Perfetto traces as Chromium, Node.js and Perfetto's own SDK write them: what is said once, and what comes late. */
import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { formatOf } from '../../../lib/trace/sniff.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { TraceActivities } from '../../../lib/view/trace-activities.ts';
import type { TrackEvent } from '../../../lib/wire/perfetto/messages.ts';
import { deflatedPackets, perfettoTrace, readEvents, type WrittenPacket } from './written-trace.ts';

const BEGIN = 1;
const END = 2;
const INSTANT = 3;
const COUNTER = 4;
const CLEARED = 1;
const NEEDED = 2;

const thread = (uuid: number, pid: number, tid: number): WrittenPacket => ({
  trackDescriptor: { uuid, thread: { pid, tid, threadName: 'main' } },
});
const at = (timestamp: number, event: TrackEvent & { debugAnnotations?: object[] }): WrittenPacket => ({
  timestamp,
  event,
});
const begin = (timestamp: number, name: string, trackUuid = 1) =>
  at(timestamp, { type: BEGIN, trackUuid, name, categories: ['app'] });
const end = (timestamp: number, trackUuid = 1) => at(timestamp, { type: END, trackUuid });

const line = ({ provider, name, processId, threadId, timeSinceStart }: TraceEvent) =>
  `${timeSinceStart} ${provider} ${name} ${processId}/${threadId}`;
const linesOf = async (...packets: WrittenPacket[]) =>
  (await readEvents(perfettoTrace(...packets))).map(line);

describe('a slice', () => {
  it('is an activity, in the one around it', async () => {
    const events = await readEvents(
      perfettoTrace(thread(1, 10, 11), begin(100, 'Outer'), begin(200, 'Inner'), end(300), end(400)),
    );
    expect(events.map(line)).toEqual([
      '0 app Outer/Start 10/11',
      '100 app Inner/Start 10/11',
      '200 app Inner/Stop 10/11',
      '300 app Outer/Stop 10/11',
    ]);
    const tracker = new TraceActivities();
    const changes = events.map((event) => tracker.add(event)?.activity);
    expect(changes[1]?.parent).toBe(changes[0]);
    expect(changes.map((each) => [each?.task, each?.durationNs])).toEqual([
      ['Outer', 300],
      ['Inner', 100],
      ['Inner', 100],
      ['Outer', 300],
    ]);
    expect(events.every(({ activityPath }) => activityPath === undefined)).toBe(true);
  });

  it('that a flow leads to has been started by the one that the flow comes from', async () => {
    const events = await readEvents(
      perfettoTrace(
        thread(1, 10, 11),
        thread(2, 10, 12),
        at(100, { type: BEGIN, trackUuid: 1, name: 'Post', flowIds: [7] }),
        end(200),
        at(300, { type: BEGIN, trackUuid: 2, name: 'Run', terminatingFlowIds: [7] }),
        end(400, 2),
      ),
    );
    const [post, , run] = events;
    expect(run?.relatedActivityId).toBe(post?.activityId);
  });

  it('has its arguments as fields, nested and interned', async () => {
    const [event] = await readEvents(
      perfettoTrace(
        {
          sequenceFlags: CLEARED,
          internedData: {
            debugAnnotationNames: [{ iid: 1, name: 'url' }],
            debugAnnotationStringValues: [{ iid: 9, str: Buffer.from('/interned') }],
          },
        },
        at(1, {
          type: BEGIN,
          name: 'Load',
          debugAnnotations: [
            { nameIid: 1, stringValueIid: 9 },
            { name: 'big', uintValue: 2n ** 63n },
            { name: 'low', intValue: -5 },
            { name: 'at', pointerValue: 0x7fff },
            { name: '__proto__', boolValue: true },
            { name: 'list', arrayValues: [{ intValue: 1 }, { doubleValue: 0.5 }] },
            { name: 'data', dictEntries: [{ name: 'frame', stringValue: 'x' }] },
            { name: 'old', nestedValue: { nestedType: 1, dictKeys: ['a'], dictValues: [{ intValue: 3 }] } },
          ],
        }),
      ),
    );
    expect({ ...event?.payload }).toEqual({
      url: '/interned',
      big: 2n ** 63n,
      low: -5,
      at: 0x7fff,
      ['__proto__']: true,
      list: [1, 0.5],
      data: { frame: 'x' },
      old: { a: 3 },
    });
    expect(event?.hexFields).toEqual(new Set(['at']));
  });
});

describe('what a sequence has said before', () => {
  const names = (name: string): WrittenPacket => ({
    sequenceFlags: CLEARED,
    packetDefaults: { trackEventDefaults: { trackUuid: 1 } },
    internedData: { eventNames: [{ iid: 1, name }], eventCategories: [{ iid: 1, name: 'v8' }] },
  });
  const named = (timestamp: number, sequenceId = 1): WrittenPacket => ({
    timestamp,
    sequenceId,
    sequenceFlags: NEEDED,
    event: { type: INSTANT, nameIid: 1, categoryIids: [1] },
  });

  it('is valid until the sequence clears it, and only there', async () => {
    expect(
      await linesOf(
        thread(1, 10, 11),
        names('A'),
        named(1),
        { ...names('Other'), sequenceId: 2 },
        named(2),
        names('B'),
        named(3),
        named(4, 2),
      ),
    ).toEqual(['0 v8 A 10/11', '1 v8 A 10/11', '2 v8 B 10/11', '3 v8 Other 10/11']);
  });

  it('is lost with a packet, which is counted', async () => {
    const trace = await openTrace(
      perfettoTrace(
        names('A'),
        named(1),
        { ...named(2), previousPacketDropped: 1 },
        named(3),
        names('B'),
        named(4),
      ),
    );
    const seen: string[] = [];
    for await (const { name } of trace) seen.push(name);
    expect(seen).toEqual(['A', 'B']);
    expect(trace.lostEvents).toBe(2);
  });
});

describe('times', () => {
  it('of all sequences are in order, however the file has them', async () => {
    expect(
      await linesOf(
        thread(1, 1, 1),
        thread(2, 1, 2),
        begin(100, 'A'),
        end(300),
        begin(150, 'B', 2),
        end(250, 2),
      ),
    ).toEqual(['0 app A/Start 1/1', '50 app B/Start 1/2', '150 app B/Stop 1/2', '200 app A/Stop 1/1']);
  });

  it('of other clocks are related by snapshots: in other units, as differences, since 1970', async () => {
    const bytes = perfettoTrace(
      {
        clockSnapshot: {
          clocks: [
            { clockId: 6, timestamp: 1_000_000 },
            { clockId: 1, timestamp: 1_700_000_000_000_000_000n },
            { clockId: 3, timestamp: 500_000 },
            { clockId: 64, timestamp: 2000, isIncremental: true, unitMultiplierNs: 1000 },
          ],
        },
      },
      begin(1_002_000, 'boot'),
      { ...begin(503_000, 'monotonic'), timestampClockId: 3 },
      { packetDefaults: { timestampClockId: 64 } },
      begin(5, 'difference'),
      begin(2, 'difference'),
    );
    const trace = await openTrace(bytes);
    expect(trace.info).toMatchObject({ startTime: 1_700_000_000_000_000_000n, hasWallTime: true });
    const seen: string[] = [];
    for await (const { taskName, timeSinceStart } of trace) seen.push(`${taskName} ${timeSinceStart}`);
    expect(seen).toEqual(['boot 2000', 'monotonic 3000', 'difference 5000', 'difference 7000']);
  });
});

describe('events of the older form', () => {
  const legacy = (timestamp: number, phase: string, name: string, more: object = {}): WrittenPacket =>
    at(timestamp, { trackUuid: 1, name, legacyEvent: { phase: phase.charCodeAt(0), ...more } });

  it('are slices by phase, with their duration or an id', async () => {
    expect(
      await linesOf(
        thread(1, 10, 11),
        legacy(1000, 'X', 'Complete', { durationUs: 5 }),
        legacy(2000, 'b', 'Async', { localId: 1 }),
        legacy(3000, 'b', 'Async', { localId: 2 }),
        legacy(4000, 'I', 'Mark'),
        legacy(7000, 'e', 'Async', { localId: 1 }),
        legacy(8000, 'e', 'Async', { localId: 2 }),
      ),
    ).toEqual([
      '0 Perfetto Complete/Start 10/11',
      '1000 Perfetto Async/Start 10/undefined',
      '2000 Perfetto Async/Start 10/undefined',
      '3000 Perfetto Mark 10/11',
      '5000 Perfetto Complete/Stop 10/11',
      '6000 Perfetto Async/Stop 10/undefined',
      '7000 Perfetto Async/Stop 10/undefined',
    ]);
  });

  it('have times as differences to that of their thread', async () => {
    expect(
      await linesOf(
        { threadDescriptor: { pid: 10, tid: 11, referenceTimestampUs: 100 } },
        { event: { type: BEGIN, name: 'A', timestampDeltaUs: 5 } },
        { event: { type: END, timestampDeltaUs: 2 } },
      ),
    ).toEqual(['0 Perfetto A/Start 10/11', '2000 Perfetto A/Stop 10/11']);
  });
});

it('counters have a value, also if they are written as differences', async () => {
  const counter = (timestamp: number, counterValue: number, trackUuid: number) =>
    at(timestamp, { type: COUNTER, trackUuid, counterValue });
  const events = await readEvents(
    perfettoTrace(
      { trackDescriptor: { uuid: 1, process: { pid: 10, processName: 'node' } } },
      {
        trackDescriptor: {
          uuid: 2,
          parentUuid: 1,
          name: 'Heap',
          counter: { unitName: 'KB', unitMultiplier: 1024 },
        },
      },
      { trackDescriptor: { uuid: 3, parentUuid: 1, name: 'Ticks', counter: { isIncremental: true } } },
      counter(1, 3, 2),
      counter(2, 5, 3),
      counter(3, 6, 3),
    ),
  );
  expect(events.map(({ name, processId, payload }) => [name, processId, { ...payload }])).toEqual([
    ['Heap', 10, { value: 3072, unit: 'KB' }],
    ['Ticks', 10, { value: 5 }],
    ['Ticks', 10, { value: 11 }],
  ]);
});

it('samples of a thread have its stacks', async () => {
  const trace = await openTrace(
    perfettoTrace(
      thread(1, 10, 11),
      {
        packetDefaults: { trackEventDefaults: { trackUuid: 1 } },
        internedData: {
          functionNames: [
            { iid: 1, str: Buffer.from('main') },
            { iid: 2, str: Buffer.from('work') },
          ],
          frames: [
            { iid: 1, functionNameId: 1 },
            { iid: 2, functionNameId: 2 },
          ],
          callstacks: [{ iid: 1, frameIds: [1, 2] }],
        },
      },
      { timestamp: 1000, streamingProfile: { callstackIid: [1, 1], timestampDeltaUs: [0, 3] } },
    ),
  );
  const seen: unknown[] = [];
  for await (const { stack = [], threadId, timeSinceStart } of trace) {
    const { mappings } = trace;
    seen.push([threadId, timeSinceStart, stack.map((address) => mappings?.functions.get(address)?.name)]);
  }
  expect(seen).toEqual([
    [11, 0n, ['work', 'main']],
    [11, 3000n, ['work', 'main']],
  ]);
});

describe('packets', () => {
  it('may be compressed', async () => {
    const packed = deflatedPackets(thread(1, 1, 2), begin(1, 'A'), end(5));
    expect(await linesOf(packed, begin(9, 'B'))).toEqual([
      '0 app A/Start 1/2',
      '4 app A/Stop 1/2',
      '8 app B/Start 1/2',
    ]);
  });

  it('that are compressed twice are refused', async () => {
    await expect(linesOf(deflatedPackets(deflatedPackets(begin(1, 'A'))))).rejects.toThrow(
      'compressed again',
    );
  });

  it('before a damaged one are delivered', async () => {
    const bytes = Buffer.concat([perfettoTrace(begin(1, 'A'), end(2)), Buffer.from([0x0a, 5, 0x5a])]);
    const trace = await openTrace(bytes);
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { name } of trace) seen.push(name);
      })(),
    ).rejects.toThrow('The trace is truncated. (at byte');
    expect(seen).toEqual(['A/Start', 'A/Stop']);
  });

  it('may arrive byte by byte', async () => {
    const bytes = perfettoTrace(thread(1, 1, 2), begin(1, 'A'.repeat(300)), end(5));
    const pieces = (async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte);
    })();
    const seen: string[] = [];
    for await (const { opcodeName } of await openTrace(pieces)) seen.push(`${opcodeName}`);
    expect(seen).toEqual(['Start', 'Stop']);
  });

  it('whose arguments are damaged say so', async () => {
    const event = Buffer.from([0x48, INSTANT, 0x22, 2, 0x52, 9]);
    const [read] = await readEvents(perfettoTrace({ timestamp: 1, event }));
    expect(read?.payloadProblem).toBe('A field of 9 bytes exceeds its message.');
  });
});

describe('what cannot be read', () => {
  const EVENT_DAMAGE = Buffer.from([0x48, INSTANT, 0xba, 1, 90]);
  const unreadOf = async (bytes: Uint8Array) => {
    const trace = await openTrace(bytes);
    const names: string[] = [];
    for await (const { name } of trace) names.push(name);
    return { names, unread: Object.fromEntries(trace.unread) };
  };
  const packet = (...content: number[]) => Buffer.from([PACKET_KEY, content.length, ...content]);
  const PACKET_KEY = 0x0a;

  it('is counted, and what follows is read', async () => {
    const bytes = Buffer.concat([
      perfettoTrace(begin(1, 'A'), { timestamp: 2, event: EVENT_DAMAGE }),
      // A track event, and its size of more than there is.
      packet(0x40, 3, 0x5a, 9, 0x48),
      perfettoTrace({ compressedPackets: Buffer.from('no zlib') }, end(4)),
    ]);
    expect(await unreadOf(bytes)).toEqual({
      names: ['A/Start', 'A/Stop'],
      unread: { 'damaged event': 1, 'damaged packet': 2 },
    });
  });

  it('may be what this reader does not know, such as the events of ftrace and of GPUs', async () => {
    const bytes = Buffer.concat([
      perfettoTrace({ clockSnapshot: {} }),
      packet(0x0a, 2, 0x08, 1),
      packet(0x0a, 2, 0x08, 2),
      packet(0xa2, 3, 0),
      packet(0xf2, 0x3e, 0),
      // A configuration is no event.
      packet(0x8a, 2, 0),
    ]);
    const unread = { 'ftrace packet': 2, 'GPU packet': 1, 'other packet': 1 };
    expect(await unreadOf(bytes)).toEqual({ names: [], unread });
  });

  it('may be samples that the profiler has skipped', async () => {
    const sample = (timestamp: number, more: object): WrittenPacket => ({
      timestamp,
      perfSample: { pid: 10, tid: 11, ...more },
    });
    const bytes = perfettoTrace(
      sample(1, { sampleSkippedReason: 2 }),
      sample(2, { sampleSkippedReason: 4 }),
      sample(3, { producerEvent: Buffer.alloc(0) }),
      sample(4, {}),
    );
    const unread = { 'skipped CPU sample': 1, 'out-of-scope CPU sample': 1 };
    expect(await unreadOf(bytes)).toEqual({ names: ['sample'], unread });
  });

  it('may be names and texts that an event refers to too often', async () => {
    const long = 'x'.repeat(100_000);
    const dictEntries = Array.from({ length: 10_000 }, () => ({ nameIid: 1, stringValueIid: 1 }));
    const [event] = await readEvents(
      perfettoTrace(
        {
          internedData: {
            debugAnnotationNames: [{ iid: 1, name: long }],
            debugAnnotationStringValues: [{ iid: 1, str: Buffer.from(long) }],
          },
        },
        at(1, {
          type: INSTANT,
          name: 'E',
          debugAnnotations: [
            { name: 'list', arrayValues: dictEntries.map((entry) => ({ dictEntries: [entry] })) },
          ],
        }),
      ),
    );
    expect(JSON.stringify(event).length).toBeLessThan(20e6);
    expect(event?.payloadProblem).toMatch(/exceed its \d+ bytes/);
  });
});

it('names processes as the process tree does, and frames without symbols by file and address', async () => {
  const trace = await openTrace(
    perfettoTrace(
      { processTree: { processes: [{ pid: 10, cmdline: ['/usr/bin/app', '-v'] }] } },
      {
        internedData: {
          mappingPaths: ['system', 'lib', 'libc.so'].map((part, i) => ({
            iid: i + 1,
            str: Buffer.from(part),
          })),
          mappings: [{ iid: 1, pathStringIds: [1, 2, 3] }],
          functionNames: [
            { iid: 1, str: Buffer.from('main') },
            { iid: 2, str: Buffer.from('') },
          ],
          frames: [
            { iid: 1, functionNameId: 1, mappingId: 1, relPc: 0x10 },
            { iid: 2, functionNameId: 2, mappingId: 1, relPc: 0x1234 },
          ],
          callstacks: [{ iid: 1, frameIds: [1, 2] }],
        },
      },
      { timestamp: 5, perfSample: { pid: 10, tid: 10, callstackIid: 1 } },
    ),
  );
  const frames: unknown[] = [];
  for await (const { stack = [] } of trace) {
    frames.push(...stack.map((address) => trace.mappings?.functions.get(address)));
  }
  expect(frames).toEqual([
    { name: 'libc.so+0x1234', module: '/system/lib/libc.so' },
    { name: 'main', module: '/system/lib/libc.so' },
  ]);
  expect([...trace.processNames]).toEqual([[10, '/usr/bin/app']]);
});

describe('a large trace', () => {
  const COUNT = 270_000;

  it('is in time order, although its first events are in its last packets', {
    timeout: 120_000,
  }, async () => {
    const late = perfettoTrace(begin(5, 'first'), end(7));
    const one = perfettoTrace(at(1000, { type: INSTANT, name: 'x' }));
    const bytes = Buffer.concat([Buffer.alloc(COUNT * one.length, one), late]);
    const trace = await openTrace(bytes);
    const first: string[] = [];
    let count = 0;
    let isOrdered = true;
    let last = -1n;
    for await (const { timeSinceStart, name } of trace) {
      if (count++ < 2) first.push(name);
      isOrdered &&= timeSinceStart >= last;
      last = timeSinceStart;
    }
    expect(first).toEqual(['first/Start', 'first/Stop']);
    expect(isOrdered).toBe(true);
    expect([count, trace.lateEvents]).toEqual([COUNT + 2, 0]);
  });
});

it('begins with its first event, if that is before the first snapshot of the clocks', async () => {
  const snapshot = { clockSnapshot: { clocks: [{ clockId: 6, timestamp: 500 }] } };
  expect(await linesOf(thread(1, 1, 1), snapshot, begin(600, 'A'), begin(200, 'B'))).toEqual([
    '0 app B/Start 1/1',
    '400 app A/Start 1/1',
  ]);
});

it.each([
  ['text', Buffer.from('\n\nhello world\n')],
  ['a line', Buffer.from('\n')],
  ['nothing', Buffer.alloc(0)],
  ['other protobuf', Buffer.from([0x0a, 4, 0x0a, 2, 8, 1])],
])('%s is no such trace', (_, bytes) => {
  expect(formatOf(bytes)).toBeUndefined();
});
