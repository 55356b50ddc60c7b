/** Events as lines of JSON: the same as from `JSON.stringify`, but faster. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printableJson } from '../../lib/base/printable.ts';
import { EventJson } from '../../lib/cli/dump/event-json.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import type { Payload } from '../../lib/wire/decoded-field.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { FakeTraceEvent } from '../playback/fakes.ts';

const said = (event: TraceEvent) => printableJson(JSON.stringify(event));

/** An event with properties that fakes do not have. */
function eventWith(properties: Partial<TraceEvent>): TraceEvent {
  const event = new FakeTraceEvent({ activityId: '00000011-0000-0000-0000-0000be999d59' });
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(event, name, { value });
  return event;
}

describe('an event as a line of JSON', () => {
  it.each<[string, Payload]>([
    ['no fields', {}],
    ['numbers', { a: 0, b: -1.5, c: 1e300, d: Number.NaN, e: Number.POSITIVE_INFINITY, f: -0 }],
    ['large numbers', { a: 0n, b: -1n, c: 2n ** 64n - 1n }],
    [
      'texts',
      { a: '', b: 'plain', c: '"\\/\b\n\t', d: 'é€😀', e: '\u007f\u009b\u202e\ud800', f: 'x'.repeat(1000) },
    ],
    ['nothing and booleans', { a: null, b: true, c: false }],
    ['bytes', { a: new Uint8Array([0, 255]), b: new Uint8Array() }],
    ['arrays and structs', { a: [1, 2n, 'x'], b: { c: { d: [] } }, e: [{ f: 1 }, { f: '\u001b' }] }],
    ['names that JSON escapes', { '': 1, '"': 2, '\u001b': 3, é: 4, __proto_: 5, 1: 6 }],
  ])('with %s', (_, payload) => {
    expect(new EventJson().line(eventWith({ payload }))).toBe(said(eventWith({ payload })));
  });

  it('shows addresses and bits in hex', () => {
    const event = eventWith({
      hexFields: new Set(['address', 'all', 'below']),
      payload: { address: 0xffff_8000, count: 5, all: [1, 2n], struct: { below: 2n ** 63n } },
    });
    expect(new EventJson().line(event)).toBe(said(event));
  });

  it('includes everything that few events have', () => {
    const event = eventWith({
      processId: 4321,
      threadId: 1,
      processor: 0,
      relatedActivityId: '61616161-6161-6161-6161-616161616161',
      labels: { TraceId: '0af7651916cd43dd8448eb211c80319c', Count: 3n },
      message: 'It "works"',
      payloadProblem: 'Field "\u001b" cannot be read.',
      stack: [0x7fff_0000_1234n, 0n],
      position: 2 ** 40,
    });
    expect(new EventJson().line(event)).toBe(said(event));
  });

  it.each<[string, Partial<TraceEvent>]>([
    ['provider', { provider: 'Other' }],
    ['providerGuid', { providerGuid: '61616161-6161-6161-6161-616161616161' }],
    ['id', { id: 7 }],
    ['version', { version: 7 }],
    ['level', { level: 7 }],
    ['opcode', { opcode: 7 }],
    ['opcodeName', { opcodeName: 'Start' }],
    ['task', { task: 7 }],
    ['taskName', { taskName: 'Request' }],
    ['keywords', { keywords: 7n }],
    ['channel', { channel: 7 }],
  ])('is correct after one of the same name with another %s', (_, properties) => {
    const json = new EventJson();
    const events = [eventWith({}), eventWith(properties), eventWith({})];
    expect(events.map((event) => json.line(event))).toEqual(events.map(said));
  });
});

it('writes any number of kinds and fields, however long their names are', () => {
  const json = new EventJson();
  const long = 'x'.repeat(1_000_000);
  for (let round = 0; round < 2; round++) {
    for (let id = 0; id < 20; id++) {
      const event = eventWith({
        id,
        name: id % 2 === 0 ? 'Same' : `${long}${id}`,
        payload: { [`${long}${id}`]: id },
      });
      expect(json.line(event) === said(event)).toBe(true);
    }
  }
});

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`of real traces (${SKIP_REASON})`, () => {
  const traces = ['etl', 'nettrace', 'perf-data'].flatMap((folder) => {
    const path = join(dataFolder ?? '', folder);
    if (dataFolder === undefined) return [];
    return readdirSync(path)
      .filter((name) => /\.(?:etl|nettrace|netperf|data)$/.test(name))
      .map((name) => [name, join(path, name)] as const);
  });

  it.each(traces)('%s', async (_, path) => {
    const json = new EventJson();
    const differing: string[] = [];
    let count = 0;
    for await (const event of await openTrace(path, { onDamage: 'warning' })) {
      if (count++ === 5000) break;
      const line = json.line(event);
      if (line !== said(event)) differing.push(line);
    }
    expect(differing).toEqual([]);
  });
});
