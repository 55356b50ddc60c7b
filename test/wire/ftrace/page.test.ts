/** Pages of ftrace's ring buffer: all kinds of entries, times, lost events, damage. */

import { describe, expect, it } from 'vitest';
import { readPage } from '../../../lib/wire/ftrace/page.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { entryHead, LAYOUT, LOST_COUNT_STORED, LOST_EVENTS, PAGE_TIME, pageOf } from './page-bytes.ts';

const LONG = 0;
const PADDING = 29;
const TIME_EXTEND = 30;
const TIME_STAMP = 31;
const MAX_DELTA = 2 ** 27 - 1;

const read = (...given: Parameters<typeof pageOf>) => readPage(pageOf(...given), LAYOUT);

/** Times since the page's, and the events' words. */
function eventsOf(...given: Parameters<typeof pageOf>) {
  const page = read(...given);
  return page.events.map(({ time, raw }) => {
    const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
    const words = Array.from({ length: raw.length / 4 }, (_, index) => view.getUint32(4 * index, true));
    return [time - page.time, words];
  });
}

describe('a page', () => {
  it('contains events, each with its time', () => {
    expect(read([]).time).toBe(PAGE_TIME);
    expect(eventsOf([entryHead(2, 0), 11, 12, entryHead(1, 5), 21, entryHead(1, 7), 31])).toEqual([
      [0n, [11, 12]],
      [5n, [21]],
      [12n, [31]],
    ]);
  });

  it('may contain long events, whose length is in a separate word', () => {
    const words = Array.from({ length: 40 }, (_, index) => index);
    expect(eventsOf([entryHead(LONG, 3), 4 + 160, ...words, entryHead(1, 1), 99])).toEqual([
      [3n, words],
      [4n, [99]],
    ]);
  });

  it('may contain an event of the shortest and longest length that the first word can express', () => {
    const longest = Array.from({ length: 28 }, (_, index) => index);
    expect(eventsOf([entryHead(28, 0), ...longest, entryHead(1, 0), 1])).toEqual([
      [0n, longest],
      [0n, [1]],
    ]);
  });

  it('bridges long gaps', () => {
    const gap = (7n << 27n) + BigInt(MAX_DELTA);
    expect(
      eventsOf([entryHead(1, MAX_DELTA), 1, entryHead(TIME_EXTEND, MAX_DELTA), 7, entryHead(1, 0), 2]),
    ).toEqual([
      [BigInt(MAX_DELTA), [1]],
      [BigInt(MAX_DELTA) + gap, [2]],
    ]);
    const longest = (0xffff_ffffn << 27n) + BigInt(MAX_DELTA);
    expect(eventsOf([entryHead(TIME_EXTEND, MAX_DELTA), 0xffff_ffff, entryHead(1, 1), 1])).toEqual([
      [longest + 1n, [1]],
    ]);
  });

  it('may contain an absolute time, from which the next ones count', () => {
    const [event] = read([entryHead(TIME_STAMP, 5), 3, entryHead(1, 2), 1]).events;
    expect(event?.time).toBe((3n << 27n) + 7n);
  });

  it('takes the highest bits of such a time from the previous time, even if the lower ones have overflowed', () => {
    const high = 5n << 59n;
    const [same] = read([entryHead(TIME_STAMP, 9), 0, entryHead(1, 0), 1], { time: high + 8n }).events;
    expect(same?.time).toBe(high + 9n);
    const [next] = read([entryHead(TIME_STAMP, 7), 0, entryHead(1, 0), 1], { time: high + 8n }).events;
    expect(next?.time).toBe((6n << 59n) + 7n);
  });

  it('skips discarded events, whose time counts', () => {
    expect(eventsOf([entryHead(PADDING, 4), 8, 0, entryHead(1, 3), 1])).toEqual([[7n, [1]]]);
  });

  it('ends at padding without a time', () => {
    expect(eventsOf([entryHead(1, 3), 1, entryHead(PADDING, 0), 0xffff_ffff, 0xffff_ffff])).toEqual([
      [3n, [1]],
    ]);
  });

  it('says how many events were lost before it, if known', () => {
    const words = [entryHead(1, 0), 1];
    expect(read(words).lostBefore).toBe(0);
    expect(read(words, { flags: LOST_EVENTS }).lostBefore).toBeUndefined();
    const flags = LOST_EVENTS | LOST_COUNT_STORED;
    const page = read(words, { flags, lost: 123_456_789_012n });
    expect(page.lostBefore).toBe(123_456_789_012);
    expect(page.events).toHaveLength(1);
  });
});

describe('a damaged page', () => {
  const word = entryHead(1, 0);
  const stored = LOST_EVENTS | LOST_COUNT_STORED;
  it.each<[string, Uint8Array, string]>([
    [
      'shorter than its header',
      pageOf([]).subarray(0, 15),
      'A page of 15 bytes ends inside its header. (at byte 15)',
    ],
    ['of more than it has', pageOf([], { used: 4081 }), 'cannot have 4081 bytes of events. (at byte 8)'],
    ['cut', pageOf([word, 1, word, 1]).subarray(0, 24), 'A page of 24 bytes cannot have 16 bytes of events.'],
    ['with half a word', pageOf([], { used: 2 }), "beyond the end of the page's events. (at byte 16)"],
    ['with a word of two', pageOf([entryHead(LONG, 0)]), "beyond the end of the page's events. (at byte 20)"],
    ['with half a time', pageOf([entryHead(TIME_EXTEND, 0)]), "the end of the page's events. (at byte 20)"],
    ['with half an event', pageOf([entryHead(2, 0), 1]), 'An entry cannot have 8 bytes, 8 before'],
    ['with an event of nothing', pageOf([entryHead(LONG, 0), 0]), 'An entry cannot have 0 bytes'],
    [
      'with an event of gigabytes',
      pageOf([entryHead(LONG, 0), 0xffff_fffc]),
      'An entry cannot have 4294967292 bytes',
    ],
    ['with padding over its end', pageOf([entryHead(PADDING, 1), 8]), 'An entry cannot have 8 bytes'],
    ['with losses past counting', pageOf([], { flags: stored, lost: 1n << 60n }), 'cannot have been lost'],
    ['with losses behind it', pageOf([], { flags: stored, used: 4080 }), 'is beyond the end of the page'],
  ])('%s is rejected', (_, bytes, message) => {
    expect(() => readPage(bytes, LAYOUT)).toThrow(TraceError);
    expect(() => readPage(bytes, LAYOUT)).toThrow(message);
  });

  it('with arbitrary bytes ends with events or a typed error', () => {
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed >>> 8;
    };
    for (let round = 0; round < 2000; round++) {
      const page = pageOf([], { used: random() % 4200 });
      for (let at = 16; at < page.length; at++) page[at] = random();
      try {
        expect(readPage(page, LAYOUT).events.length).toBeLessThan(4080 / 8);
      } catch (error) {
        expect(error).toBeInstanceOf(TraceError);
      }
    }
  });
});
