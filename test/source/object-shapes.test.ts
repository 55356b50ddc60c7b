/** V8 finds an event, and whether it is enabled, without looking through a table: see docs/performance.md. */
import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { defineEventSource, event } from '../../lib/index.ts';

setFlagsFromString('--allow-natives-syntax');
const hasFastProperties: (object: unknown) => boolean = native('object', '%HasFastProperties(object)');
const haveSameMap: (one: unknown, other: unknown) => boolean = native(
  'one, other',
  '%HaveSameMap(one, other)',
);

function native(parameters: string, call: string): () => boolean {
  return new Function(parameters, `return ${call}`) as () => boolean;
}

const define = (name: string) =>
  defineEventSource(name, {
    RequestStart: event({ url: 'string' }),
    RequestStop: event({ success: 'bool' }),
    CacheHit: event(),
    CacheMiss: event(),
  });

describe("an application's object", () => {
  const sources = ['Shapes-1', 'Shapes-2', 'Shapes-3'].map(define);
  const [first, ...others] = sources as [ReturnType<typeof define>, ...ReturnType<typeof define>[]];

  it('is a source of the same shape if its events have the same names', () => {
    expect(sources.map((source) => hasFastProperties(source))).toEqual([true, true, true]);
    for (const other of others) expect(haveSameMap(first, other)).toBe(true);
  });

  it('is a function of the same shape for each event', () => {
    const functions = sources.flatMap((source) => [
      source.RequestStart,
      source.RequestStop,
      source.CacheHit,
      source.CacheMiss,
    ]);
    for (const each of functions) {
      expect(hasFastProperties(each)).toBe(true);
      expect(haveSameMap(each, first.CacheHit)).toBe(true);
    }
  });

  it('keeps its shape in a source with very many events', () => {
    const names = Array.from({ length: 500 }, (_, i) => `Event${i}`);
    const events = Object.fromEntries(names.map((name) => [name, event()]));
    expect(hasFastProperties(defineEventSource('Shapes-Many', events))).toBe(true);
  });

  it('is an activity of the same shape', () => {
    expect(hasFastProperties(first.Request)).toBe(true);
    for (const other of others) expect(haveSameMap(first.Request, other.Request)).toBe(true);
  });
});
