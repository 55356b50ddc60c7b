/** Damaged events: the decoder returns an event or throws its own error, never anything else. */
import { expect, it } from 'vitest';
import { EventHeaderError } from '../../../lib/wire/eventheader/error.ts';
import { decodeEventHeader } from './decode-event.ts';
import { eventBytes, name, randomNumbers, uint16 } from './event-bytes.ts';
import { renderEventJson } from './render-json.ts';

const ROUNDS = 5_000;
const TRACEPOINT = 'P_L5K1';

/** An event that has every encoding, arrays of both kinds, and structs. */
function event(littleEndian: boolean): Uint8Array {
  const count = uint16(2, littleEndian);
  const metadata = [
    ...name('Every;a=b'),
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].flatMap((encoding) => [...name(`f${encoding}`), encoding]),
    ...[...name('array'), 0xc4, 8],
    ...[...name('constant'), 0xab, 14, ...count],
    ...[
      ...name('structs'),
      0xc1,
      2,
      ...name('nullable'),
      0x8d,
      6,
      ...name('inner'),
      0x81,
      1,
      ...name('x'),
      0x84,
      17,
    ],
  ];
  const payload = [
    ...new Array(31).fill(7),
    ...[...name('é'), 65, 0, 0, 0, 66, 0, 0, 0, 0, 0, 0, 0],
    ...[
      ...uint16(1, littleEndian),
      65,
      ...uint16(1, littleEndian),
      65,
      0,
      ...uint16(1, littleEndian),
      65,
      0,
      0,
      0,
    ],
    ...[...uint16(1, littleEndian), 65],
    ...[...count, ...new Array(8).fill(9)],
    ...[...uint16(1, littleEndian), 0xfe, 0xff, ...uint16(0, littleEndian)],
    ...[...count, ...uint16(0, littleEndian), 1, 2, 3, 4, ...uint16(4, littleEndian), 0, 0, 0, 1, 5, 6, 7, 8],
  ];
  return eventBytes({ littleEndian, metadata, payload });
}

it.each([true, false])('a complete event with every encoding decodes (little-endian: %s)', (littleEndian) => {
  expect(decodeEventHeader(TRACEPOINT, event(littleEndian)).fields).toHaveLength(15);
});

it.each([true, false])(
  'decoding a damaged event yields an event or an EventHeaderError (little-endian: %s)',
  (littleEndian) => {
    const random = randomNumbers(littleEndian ? 1 : 2);
    const whole = event(littleEndian);
    let decoded = 0;
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const data = Uint8Array.from(
        whole.subarray(0, random(4) === 0 ? random(whole.length + 1) : whole.length),
      );
      for (let i = random(4); i >= 0 && data.length > 0; i--) data[random(data.length)] = random(256);
      try {
        decodeEventHeader(TRACEPOINT, data);
        renderEventJson(TRACEPOINT, data);
        decoded++;
      } catch (error) {
        if (!(error instanceof EventHeaderError)) throw error;
        refused++;
      }
    }
    // Both must happen, else the damage is not what it should be.
    expect(decoded).toBeGreaterThan(ROUNDS / 20);
    expect(refused).toBeGreaterThan(ROUNDS / 20);
  },
);
