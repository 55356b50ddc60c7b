/** Written traces read back correctly, and every byte satisfies the rules of the format. */
import { describe, expect, it } from 'vitest';
import { guidWords } from '../../../../lib/wire/guid.ts';
import { TypeCode } from '../../../../lib/wire/nettrace/constants.ts';
import type { NetTraceEvent } from '../../../../lib/wire/nettrace/event.ts';
import { NetTraceWriter } from '../../../../lib/wire/nettrace/write/nettrace-writer.ts';
import type { ThreadHandle } from '../../../../lib/wire/nettrace/write/trace-parts.ts';
import { ACTIVITY, KIND, NOTHING, OTHER, TRACE, written } from './written-trace.ts';

const texts = ({ ticks, activityId, relatedActivityId, processor }: NetTraceEvent) => ({
  ticks,
  activityId,
  relatedActivityId,
  processor,
});

describe.each([4, 6] as const)('a written nettrace of version %i', (version) => {
  it('may have no events', () => {
    const { checked, head, events } = written(new NetTraceWriter(version, TRACE));
    expect(checked).toMatchObject({ version, events: 0, blocks: 0 });
    expect(events).toEqual([]);
    expect(head).toMatchObject({
      formatVersion: version,
      startTimeMs: TRACE.startTimeMs,
      syncTicks: 1000n,
      ticksPerSecond: 10_000_000n,
      pointerSize: 8,
      processId: 4321,
      processors: 2,
      samplingInterval: 1_000_000,
    });
  });

  it('contains the given events', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ processId: 4321, threadId: 11 });
    const ids = { activityId: ACTIVITY, relatedActivityId: OTHER };
    const words = { activityId: guidWords(ACTIVITY), relatedActivityId: guidWords(OTHER) };
    writer.write({ metadataId, thread, ticks: 2000n, processor: 1, ...words, payload: Uint8Array.of(1, 2) });
    writer.write({ metadataId, thread, ticks: 2000n, payload: Uint8Array.of(3, 4) });
    const { events } = written(writer);
    expect(events.map(texts)).toEqual([
      { ticks: 2000n, processor: 1, ...ids },
      { ticks: 2000n, processor: undefined, activityId: undefined, relatedActivityId: undefined },
    ]);
    expect(events.map(({ payloadBytes }) => [...payloadBytes])).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(events[0]?.metadata).toMatchObject(KIND);
    expect(events[0]?.thread).toMatchObject({ processId: 4321, threadId: 11 });
  });

  it('keeps the order of events of several threads, even those with equal times', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const threads = [11, 12, 13].map((threadId) => writer.thread({ threadId }));
    const given = Array.from({ length: 3000 }, (_, i) => ({
      ticks: 2000n + BigInt(i >> 2),
      thread: threads[(i * 7) % 3] as ThreadHandle,
    }));
    for (const event of given) writer.write({ metadataId, ...event, payload: NOTHING });
    const { checked, events, lostEvents } = written(writer);
    expect(checked).toMatchObject({ events: 3000, threads: 3, dropped: 0 });
    expect(lostEvents).toBe(0);
    expect(events.map(({ ticks, thread }) => [ticks, thread.threadId])).toEqual(
      given.map(({ ticks, thread }) => [ticks, version === 4 ? thread.id : 10 + thread.id]),
    );
  });

  it('sorts events that arrive one thread after another', () => {
    const writer = new NetTraceWriter(version, TRACE, 'thread');
    const metadataId = writer.define(KIND);
    const threads = [11, 12].map((threadId) => writer.thread({ threadId }));
    const pieces: Uint8Array[] = [];
    for (let round = 0; round < 3; round++) {
      for (const thread of threads) {
        for (let i = 0; i < 4; i++) {
          const ticks = BigInt(2000 + round * 100 + i * 10 + thread.id);
          writer.write({ metadataId, thread, ticks, payload: NOTHING });
        }
      }
      pieces.push(writer.flush());
    }
    const { checked, events } = written(writer, ...pieces);
    expect(checked).toMatchObject({ events: 24, sequencePoints: 3, threads: 2 });
    const times = events.map(({ ticks }) => Number(ticks));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('sorts late events that one thread writes for another, up to the next sequence point', () => {
    const writer = new NetTraceWriter(version, TRACE, 'thread');
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    const sampler = writer.thread({ threadId: 12 });
    const pieces: Uint8Array[] = [];
    for (let round = 0; round < 3; round++) {
      const start = BigInt(2000 + round * 100);
      const stack = [7n];
      for (const late of [10n, 20n]) {
        writer.write({ metadataId, thread, ticks: start + late, stack, payload: NOTHING });
        pieces.push(writer.flushOpen());
      }
      for (const late of [5n, 15n]) {
        writer.write({
          metadataId,
          thread: sampler,
          ofThread: thread,
          ticks: start + late,
          stack,
          payload: NOTHING,
        });
      }
      pieces.push(writer.flush());
    }
    const { checked, events } = written(writer, ...pieces);
    expect(checked).toMatchObject({ events: 12, sequencePoints: 3, threads: 2, stacks: 3, dropped: 0 });
    expect(events.map(({ ticks }) => Number(ticks) % 100)).toEqual([
      5, 10, 15, 20, 5, 10, 15, 20, 5, 10, 15, 20,
    ]);
    expect(new Set(events.map((event) => event.thread.threadId))).toEqual(new Set([11]));
    expect(events.every((event) => event.stack(8)?.[0] === 7n)).toBe(true);
  });

  it('reports missing events', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    writer.write({ metadataId, thread, ticks: 1n, payload: NOTHING });
    writer.drop(thread, 3);
    writer.write({ metadataId, thread, ticks: 2n, payload: NOTHING });
    const first = writer.flush();
    writer.drop(thread, 4);
    const { checked, lostEvents } = written(writer, first);
    expect({ dropped: checked.dropped, lostEvents }).toEqual({ dropped: 7, lostEvents: 7 });
  });

  it('reports an event that is too large for the format as missing', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    writer.write({ metadataId, thread, ticks: 1n, payload: NOTHING });
    writer.write({ metadataId, thread, ticks: 2n, payload: new Uint8Array(1 << 24) });
    const { checked, lostEvents } = written(writer);
    expect({ events: checked.events, lostEvents }).toEqual({ events: 1, lostEvents: 1 });
  });

  it('has room for the largest event after others in the same block', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    const pieces: Uint8Array[] = [];
    for (const size of [0xfc_0000, 0xfd_0000, 0xfe_0000, 0xff_0000]) {
      writer.write({ metadataId, thread, ticks: 1n, payload: new Uint8Array(99_900) });
      writer.write({ metadataId, thread, ticks: 1n, payload: new Uint8Array(size) });
      pieces.push(writer.flush());
    }
    const { checked, lostEvents } = written(writer, ...pieces);
    expect(checked.events + lostEvents).toBe(8);
    expect(checked.events).toBeGreaterThan(4);
  });

  it('contains each stack once between two sequence points', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    const stacks = [[1n, 0xffff_ffff_ffff_fff0n], [2n], [], undefined, [2n]];
    const pieces: Uint8Array[] = [];
    for (let round = 0; round < 2; round++) {
      for (const stack of stacks) {
        writer.write({ metadataId, thread, ticks: 9n, stack, payload: NOTHING });
      }
      pieces.push(writer.flush());
    }
    const { checked, events } = written(writer, ...pieces);
    expect(checked.stacks).toBe(4);
    const expected = stacks.map((stack) => (stack?.length === 0 ? undefined : stack));
    expect(events.map((event) => event.stack(8))).toEqual([...expected, ...expected]);
  });

  it('has blocks of about 100 KB, in chunks that say how large they are', () => {
    const writer = new NetTraceWriter(version, TRACE);
    const thread = writer.thread({ threadId: 11 });
    const ids = Array.from({ length: 3000 }, (_, i) =>
      writer.define({ ...KIND, name: `Event${i}`, eventId: i }),
    );
    const pieces: Uint8Array[] = [];
    for (let i = 0; i < 30_000; i++) {
      const stack = [BigInt(i)];
      const metadataId = ids[i % ids.length] as number;
      writer.write({
        metadataId,
        thread,
        ticks: BigInt(i),
        stack,
        activityId: guidWords(ACTIVITY),
        payload: new Uint8Array(40),
      });
      if (writer.pendingBytes >= 300_000) pieces.push(writer.flush());
    }
    const { checked, events } = written(writer, ...pieces);
    expect(checked).toMatchObject({ events: 30_000, metadata: 3000, stacks: 30_000 });
    expect(checked.largestBlock).toBeLessThan(101_000);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(600_000);
    expect(events.length).toBe(30_000);
  });

  it('reports ended threads when nothing older can arrive any more', () => {
    const writer = new NetTraceWriter(version, TRACE, 'thread');
    const metadataId = writer.define(KIND);
    const pieces: Uint8Array[] = [];
    const stays = writer.thread({ threadId: 10 });
    for (let round = 1; round <= 3; round++) {
      const goes = writer.thread({ threadId: 10 + round });
      const ticks = BigInt(2000 + round * 100);
      writer.write({ metadataId, thread: goes, ticks: ticks + 1n, payload: NOTHING });
      writer.drop(goes, 2);
      writer.removeThread(goes);
      pieces.push(writer.flushOpen());
      writer.write({ metadataId, thread: stays, ticks, payload: NOTHING });
      pieces.push(writer.flush());
    }
    writer.removeThread(writer.thread({ threadId: 20 }));
    const { checked, events, lostEvents } = written(writer, ...pieces);
    // Version 4 does not tell.
    expect(checked).toMatchObject({ events: 6, dropped: 6, removedThreads: version === 6 ? 4 : 0 });
    expect(lostEvents).toBe(6);
    expect(events.map(({ thread }) => thread.threadId)).toEqual([10, 11, 10, 12, 10, 13]);
  });

  it("keeps counting when a thread's numbers wrap around", () => {
    const writer = new NetTraceWriter(version, TRACE);
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    writer.write({ metadataId, thread, ticks: 1n, payload: NOTHING });
    const pieces = [writer.flush()];
    writer.drop(thread, 0x7fff_ffff);
    pieces.push(writer.flush());
    writer.drop(thread, 0x7fff_fffe);
    writer.write({ metadataId, thread, ticks: 2n, payload: NOTHING });
    writer.write({ metadataId, thread, ticks: 3n, payload: NOTHING });
    const { lostEvents } = written(writer, ...pieces);
    expect(lostEvents).toBe(0x7fff_ffff + 0x7fff_fffe);
  });
});

describe('the additions of version 6', () => {
  it('are labels, named threads, and texts about the kinds of events', () => {
    const writer = new NetTraceWriter(6, TRACE);
    const described = {
      providerGuid: 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4',
      messageTemplate: 'Request %1',
      description: 'A request starts.',
      properties: [['Owner', 'me']] as const,
    };
    const metadataId = writer.define({ ...KIND, ...described });
    const thread = writer.thread({
      name: 'main',
      processId: 5,
      threadId: 6,
      properties: [['Priority', 'high']],
    });
    const labels = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      pairs: [['text', 'ü'] as const, ['number', -3n] as const],
      opcode: 2,
      keywords: 5n,
      level: 3,
      version: 9,
    };
    const event = { metadataId, thread, payload: NOTHING };
    writer.write({ ...event, ticks: 1n, activityId: guidWords(ACTIVITY), labels });
    writer.write({ ...event, ticks: 2n, activityId: guidWords(ACTIVITY), labels });
    writer.write({ ...event, ticks: 3n, labels: {} });
    const { checked, events, head } = written(writer);
    expect(checked.labelLists).toBe(1);
    expect(head?.properties.get('Ponies')).toBe('many');
    const [first, second, third] = events as [NetTraceEvent, NetTraceEvent, NetTraceEvent];
    expect(first.metadata).toMatchObject({ ...described, properties: new Map(described.properties) });
    expect(first.thread).toMatchObject({ name: 'main', processId: 5, threadId: 6 });
    expect(first.thread.properties).toEqual(new Map([['Priority', 'high']]));
    expect(first.activityId).toBe(ACTIVITY);
    expect(first.labels).toMatchObject({ ...labels, pairs: new Map<string, unknown>(labels.pairs) });
    expect(second.labels).toBe(first.labels);
    expect(third.labels).toBeUndefined();
  });

  it('have sizes in two bytes: what does not fit is omitted, and the event stays', () => {
    const writer = new NetTraceWriter(6, TRACE);
    const long = 'x'.repeat(70_000);
    const field = { name: long, type: { code: TypeCode.Int32 } };
    const thread = writer.thread({ threadId: 6, name: long });
    const metadataIds = [
      writer.define({ ...KIND, description: long }),
      writer.define({ ...KIND, fields: [field] }),
      writer.define({ ...KIND, name: long }),
    ];
    for (const metadataId of metadataIds) writer.write({ metadataId, thread, ticks: 1n, payload: NOTHING });
    const { events } = written(writer);
    expect(events.map(({ metadata }) => [metadata.name.length, metadata.fields.length])).toEqual([
      [KIND.name.length, 0],
      [KIND.name.length, 0],
      [4000, 0],
    ]);
    expect(events[0]?.thread).toMatchObject({ threadId: 6, name: undefined });
  });
});
