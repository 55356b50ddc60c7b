/** A writer whose calls fail, one after another, as without memory or stack: what it writes stays intact. */
import { afterEach, describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../../lib/base/byte-writer.ts';
import { guidWords } from '../../../../lib/wire/guid.ts';
import { NetTraceBytes } from '../../../../lib/wire/nettrace/write/byte-writer.ts';
import { EventBlocks } from '../../../../lib/wire/nettrace/write/event-block.ts';
import { FramingV4, FramingV6 } from '../../../../lib/wire/nettrace/write/framing.ts';
import { LabelLists } from '../../../../lib/wire/nettrace/write/label-lists.ts';
import { NetTracePieces } from '../../../../lib/wire/nettrace/write/nettrace-pieces.ts';
import { NetTraceRounds } from '../../../../lib/wire/nettrace/write/nettrace-rounds.ts';
import { NetTraceWriter } from '../../../../lib/wire/nettrace/write/nettrace-writer.ts';
import { NumberedRows, RowBlocks } from '../../../../lib/wire/nettrace/write/row-blocks.ts';
import type { ThreadHandle, WrittenEvent } from '../../../../lib/wire/nettrace/write/trace-parts.ts';
import { FailingCalls } from '../../../base/failing-calls.ts';
import { untilThereIsStack } from '../../../base/stack-end.ts';
import { ACTIVITY, KIND, OTHER, readPieces, TRACE, written } from './written-trace.ts';

/** Runs the work until it succeeds, and has it fail before at one place after the other. @returns how often */
type Until = (work: () => void) => number;

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;
const OWN = [
  ByteWriter,
  NetTraceBytes,
  EventBlocks,
  FramingV4,
  FramingV6,
  LabelLists,
  NetTracePieces,
  NetTraceRounds,
  NetTraceWriter,
  NumberedRows,
  RowBlocks,
];
const BUILT_IN = [Set, Map, Array, DataView, Buffer];

let calls: FailingCalls | undefined;
afterEach(() => {
  calls?.restore();
  calls = undefined;
});

const WAYS: readonly [what: string, begin: () => Until][] = [
  [
    'every call and allocation fails in turn',
    () => {
      const ofClasses = [...OWN, ...BUILT_IN].map(({ prototype }) => prototype as object);
      calls = new FailingCalls([...ofClasses, TYPED_ARRAY, Buffer, BigInt, Array]);
      const failing = calls;
      return (work) => failing.eachInTurn(work);
    },
  ],
  ['the stack ends at every call in turn', () => untilThereIsStack],
];

const numberOf = ({ payloadBytes }: { readonly payloadBytes: Uint8Array }) => payloadBytes[0];

describe.each([4, 6] as const)('a writer of version %i', (version) => {
  it.each(WAYS)('writes each event once, with everything it refers to, if %s', (_, begin) => {
    for (const order of ['time', 'thread'] as const) {
      const writer = new NetTraceWriter(version, TRACE, order);
      const until = begin();
      const pieces: Uint8Array[] = [];
      const threads: ThreadHandle[] = [];
      let failures = 0;
      const add = (threadId: number) => {
        let thread: ThreadHandle | undefined;
        failures += until(() => {
          thread = writer.thread({ threadId, processId: 7, name: `thread ${threadId}` });
        });
        threads.push(thread as ThreadHandle);
      };
      const take = (from: 'flush' | 'flushOpen' | 'end') => {
        let piece: Uint8Array | undefined;
        failures += until(() => {
          piece = writer[from]();
        });
        pieces.push(piece as Uint8Array);
      };
      const metadataIds: number[] = [];
      let dropped = 0;
      for (let i = 0; i < 60; i++) {
        if (i % 20 === 0) add(11 + i);
        if (i % 15 === 0) {
          failures += until(() => {
            metadataIds[i / 15] = writer.define({ ...KIND, eventId: 1 + i, name: `Event${i}` });
          });
        }
        const payload = new Uint8Array(i % 4 === 3 ? 45_000 : 10);
        payload[0] = i;
        const event: WrittenEvent = {
          metadataId: metadataIds.at(-1) as number,
          thread: threads[i % threads.length] as ThreadHandle,
          ticks: 2000n + BigInt(i),
          activityId: i % 3 === 0 ? guidWords(ACTIVITY) : undefined,
          relatedActivityId: i % 6 === 0 ? guidWords(OTHER) : undefined,
          stack: [BigInt(i % 5), 2n],
          payload,
        };
        failures += until(() => writer.write(event));
        if (i % 10 === 9) {
          failures += until(() => writer.drop(threads[0] as ThreadHandle, 3));
          dropped += 3;
        }
        if (i % 7 === 6) take('flushOpen');
        if (i % 14 === 13) take('flush');
      }
      failures += until(() => writer.removeThread(threads[1] as ThreadHandle));
      take('end');
      calls?.restore();
      const { checked, events, lostEvents } = readPieces(...pieces);
      expect(checked).toMatchObject({ events: 60, threads: 3, metadata: 4, dropped });
      expect(lostEvents).toBe(dropped);
      expect(events.map(numberOf)).toEqual(Array.from({ length: 60 }, (_, i) => i));
      for (const event of events) {
        const i = numberOf(event) as number;
        expect(event).toMatchObject({
          activityId: i % 3 === 0 ? ACTIVITY : undefined,
          relatedActivityId: i % 6 === 0 ? OTHER : undefined,
        });
        expect(event.metadata.name).toBe(`Event${i - (i % 15)}`);
      }
      // Each of some 80 pieces of work was interrupted, most of them many times.
      expect(failures).toBeGreaterThan(500);
    }
  });

  it('continues after an event was abandoned and another one arrives', () => {
    calls = new FailingCalls([...OWN.map(({ prototype }) => prototype as object), TYPED_ARRAY]);
    const failing = calls;
    const writer = new NetTraceWriter(version, TRACE, 'thread');
    const metadataId = writer.define(KIND);
    const thread = writer.thread({ threadId: 11 });
    const write = (first: number) =>
      writer.write({ metadataId, thread, ticks: 2000n, payload: Uint8Array.of(first, 0) });
    write(1);
    // Given up at the first call, the second and so on; each time another event follows.
    let given = 0;
    const giveUp = (at: number): boolean => {
      try {
        failing.failAt(at, () => write(3));
        return false;
      } catch {
        return true;
      }
    };
    while (giveUp(given + 1)) {
      given++;
      write(4);
    }
    expect(given).toBeGreaterThan(4);
    calls.restore();
    const { checked, events } = written(writer);
    expect(events.map(numberOf)).toEqual([1, ...Array.from({ length: given }, () => 4), 3]);
    expect(checked.dropped).toBe(0);
  });
});

describe('losses before the first event of a thread', () => {
  it.each([4, 6] as const)('are reported by a trace of version %i', (version) => {
    const writer = new NetTraceWriter(version, TRACE, 'thread');
    const metadataId = writer.define(KIND);
    const [silent, late, loud, open] = [11, 12, 13, 14].map((threadId) => writer.thread({ threadId }));
    const write = (thread: ThreadHandle | undefined, ticks: bigint) =>
      writer.write({ metadataId, thread: thread as ThreadHandle, ticks, payload: Uint8Array.of(0, 0) });
    const pieces: Uint8Array[] = [];
    // Without any event at all; in the piece before the first one, twice; in the same piece; in an open one.
    writer.drop(silent as ThreadHandle, 5);
    writer.drop(late as ThreadHandle, 7);
    pieces.push(writer.flush());
    writer.drop(late as ThreadHandle, 8);
    writer.drop(loud as ThreadHandle, 9);
    write(loud, 2000n);
    pieces.push(writer.flush());
    write(late, 2001n);
    writer.drop(late as ThreadHandle, 1);
    writer.drop(open as ThreadHandle, 20);
    pieces.push(writer.flushOpen());
    writer.drop(open as ThreadHandle, 30);
    write(open, 2002n);
    pieces.push(writer.flushOpen());
    write(open, 2003n);
    const { events, lostEvents } = written(writer, ...pieces);
    expect(events.length).toBe(4);
    expect(lostEvents).toBe(5 + 7 + 8 + 9 + 1 + 20 + 30);
  });
});
