/** Random events are decoded as they were encoded, and random bytes do no harm. */
import { describe, expect, it } from 'vitest';
import type { FieldDefinition, FieldDefinitions } from '../../../lib/source/fields.ts';
import { payloadOf } from '../../../lib/wire/decoded-field.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { TraceLoggingEncoder } from '../../../lib/wire/tracelogging/encode.ts';
import { TraceLoggingError } from '../../../lib/wire/tracelogging/error.ts';
import { takeFaults } from '../../../lib/wire/values/faults.ts';
import { write } from '../etw/written-event.ts';
import { schemaOf } from '../eventheader/encoded-event.ts';
import { randomNumbers } from '../eventheader/event-bytes.ts';
import { RandomEvents } from '../eventheader/random-events.ts';
import { decodeTraceLogging } from './decode-event.ts';

const UNIX_EPOCH = 116444736000000000n;

/** What TraceLogging makes of a payload, where that is not what the application wrote. */
function expectedStruct(fields: FieldDefinitions, payload: Record<string, unknown>): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, expectedField(field, payload[name])]),
  );
}

function expectedField(field: FieldDefinition, expected: unknown): unknown {
  if (typeof field !== 'string') {
    const struct = (Array.isArray(field) ? field[0] : field) as FieldDefinitions;
    return Array.isArray(expected)
      ? expected.map((element) => expectedStruct(struct, element))
      : expectedStruct(struct, expected as Record<string, unknown>);
  }
  if (Array.isArray(expected)) return expected.map((element) => expectedValue(field, element));
  return expectedValue(field, expected);
}

function expectedValue(field: string, expected: unknown): unknown {
  const type = field.replace('[]', '');
  if (type.startsWith('ipAddress') && typeof expected === 'string' && !expected.includes(':')) {
    return `::ffff:${expected}`;
  }
  // No OutType tells what these counted bytes are.
  if (type === 'guid?') return expected === null ? new Uint8Array(0) : guidBytes(expected as string);
  if (type === 'float?' || type === 'double?') {
    if (expected === null) return new Uint8Array(0);
    const array = type === 'float?' ? Float32Array : Float64Array;
    return new Uint8Array(array.of(expected as number).buffer);
  }
  return expected;
}

function isBefore1601(date: Date): boolean {
  return date.getTime() < Date.UTC(1601, 0, 1);
}

/** Dates that a FILETIME has no place for. */
function countEarlyDates(value: unknown): number {
  if (value instanceof Date) return isBefore1601(value) ? 1 : 0;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0;
  return Object.values(value).reduce((count: number, element) => count + countEarlyDates(element), 0);
}

/** The expected values, with FILETIMEs of the Dates that were written in place of their seconds. */
function withFileTimes(value: unknown, expected: unknown): unknown {
  if (value instanceof Date) return isBefore1601(value) ? 0n : BigInt(value.getTime()) * 10_000n + UNIX_EPOCH;
  if (Array.isArray(expected)) {
    return expected.map((element, index) => withFileTimes((value as unknown[])[index], element));
  }
  if (typeof expected === 'object' && expected !== null && !(expected instanceof Uint8Array)) {
    return Object.fromEntries(
      Object.entries(expected).map(([name, element]) => [
        name,
        withFileTimes((value as Record<string, unknown>)[name], element),
      ]),
    );
  }
  return expected;
}

describe('2,000 random events', () => {
  it('are decoded as they were encoded', () => {
    const events = new RandomEvents(20261121);
    let fieldCount = 0;
    for (let round = 0; round < 2000; round++) {
      const { fields, payload, expected } = events.next();
      const event = write(new TraceLoggingEncoder(schemaOf(fields)), payload);
      expect(takeFaults()?.badValues ?? 0, `event ${round}`).toBe(countEarlyDates(payload));
      const decoded = payloadOf(decodeTraceLogging(event.metadata, event.payload).fields);
      expect(Object.keys(decoded)).toEqual(Object.keys(expected));
      expect(structuredClone(decoded), `event ${round}`).toEqual(
        expectedStruct(fields, withFileTimes(payload, expected) as Record<string, unknown>),
      );
      fieldCount += Object.keys(expected).length;
    }
    expect(fieldCount).toBeGreaterThan(5000);
  });

  it('with a byte changed, or cut short, are decoded or rejected, and nothing else', () => {
    const events = new RandomEvents(3);
    const random = randomNumbers(77);
    let refused = 0;
    for (let round = 0; round < 2000; round++) {
      const { fields, payload } = events.next();
      const { metadata, payload: bytes } = write(new TraceLoggingEncoder(schemaOf(fields)), payload);
      const target = random(2) === 0 ? metadata : bytes;
      if (target.length > 0) target[random(target.length)] = random(256);
      try {
        decodeTraceLogging(
          metadata.subarray(0, metadata.length - random(3)),
          bytes.subarray(0, bytes.length - random(Math.min(3, bytes.length + 1))),
        );
      } catch (error) {
        expect(error).toBeInstanceOf(TraceLoggingError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});
