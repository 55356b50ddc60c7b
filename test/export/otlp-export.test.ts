/** Activities as spans of OpenTelemetry's protocol, in JSON and, decoded by OpenTelemetry's own package, in protobuf. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OtlpExport } from '../../lib/export/otlp-export.ts';
import type { OtlpRequest, OtlpSpan } from '../../lib/wire/otlp.ts';
import { installedTools, reasonOf } from '../consumers/application.ts';
import { named } from '../platforms.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';
import { exportEvents } from './exported.ts';

const START = 1_700_000_000_000_000_000n;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const INFO = {
  format: 'nettrace',
  startTime: START,
  hasWallTime: true,
  pointerSize: 8,
  properties: {},
} as const;

function exported(events: readonly WrittenEvent[], encoding: 'json' | 'protobuf' = 'json') {
  const inOrder = [...events].sort((a, b) => a.at - b.at);
  return exportEvents(
    inOrder.map(written),
    (trace) => new OtlpExport(encoding, { ...trace, processNames: new Map([[4321, 'server']]) }),
    { info: INFO },
  );
}

function requestsOf(text: string): OtlpRequest[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function spansOf(events: readonly WrittenEvent[]): Map<string, OtlpSpan> {
  const all = requestsOf(exported(events).text)
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);
  return new Map(all.map((span) => [span.name, span]));
}

const ms = (count: number) => String(START + BigInt(count) * 1_000_000n);
const crossing = (traceId: string, spanId: string, parentSpanId = '') => ({ traceId, spanId, parentSpanId });

const EVERYTHING: WrittenEvent[] = [
  {
    name: 'RequestStart',
    id: '//1/1',
    at: 1,
    threadId: 7,
    payload: {
      url: '/',
      ok: true,
      none: null,
      size: -5,
      big: 2n ** 63n,
      far: 2n ** 62n,
      half: 0.5,
      not: Number.NaN,
      bytes: new Uint8Array([1, 2, 255]),
      list: ['a', 'é'],
      user: { id: 1, empty: '' },
      ...crossing(TRACE, SPAN, '00f067aa0ba902b7'),
    },
  },
  { name: 'Log', id: '//1/1', at: 2, payload: { message: 'inside' } },
  { name: 'RequestStop', id: '//1/1', at: 3, payload: { success: false, errorMessage: 'no tea', size: 6 } },
];

describe('an activity', () => {
  it('is a span with the fields of its Start and its Stop', () => {
    const [request] = requestsOf(exported(EVERYTHING).text);
    expect(request).toEqual({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'server' } },
              { key: 'process.pid', value: { intValue: '4321' } },
            ],
          },
          scopeSpans: [{ scope: { name: 'Demo' }, spans: [expect.anything()] }],
        },
      ],
    });
    expect(spansOf(EVERYTHING).get('Request')).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      parentSpanId: '00f067aa0ba902b7',
      name: 'Request',
      kind: 2,
      startTimeUnixNano: ms(1),
      endTimeUnixNano: ms(3),
      attributes: [
        { key: 'url', value: { stringValue: '/' } },
        { key: 'ok', value: { boolValue: true } },
        { key: 'size', value: { intValue: '-5' } },
        { key: 'big', value: { stringValue: '9223372036854775808' } },
        { key: 'far', value: { intValue: '4611686018427387904' } },
        { key: 'half', value: { doubleValue: 0.5 } },
        { key: 'not', value: { doubleValue: 'NaN' } },
        { key: 'bytes', value: { bytesValue: 'AQL/' } },
        { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'é' }] } } },
        {
          key: 'user',
          value: {
            kvlistValue: {
              values: [
                { key: 'id', value: { intValue: '1' } },
                { key: 'empty', value: { stringValue: '' } },
              ],
            },
          },
        },
        { key: 'success', value: { boolValue: false } },
        { key: 'errorMessage', value: { stringValue: 'no tea' } },
        { key: 'stop.size', value: { intValue: '6' } },
        { key: 'tracewright.activity.id', value: { stringValue: expect.stringMatching(/^[\da-f-]{36}$/) } },
        { key: 'thread.id', value: { intValue: '7' } },
      ],
      events: [
        {
          timeUnixNano: ms(2),
          name: 'Log',
          attributes: [{ key: 'message', value: { stringValue: 'inside' } }],
        },
      ],
      droppedEventsCount: 0,
      links: [],
      status: { code: 2, message: 'no tea' },
    });
  });

  it("has its parent from the tree, and shares the tree's trace", () => {
    const spans = spansOf(
      during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 5], ['Http', '//1/1/1/1', 3, 4]),
    );
    const [request, db, http] = ['Request', 'Db', 'Http'].map((name) => spans.get(name));
    expect(request?.parentSpanId).toBeUndefined();
    expect(db?.parentSpanId).toBe(request?.spanId);
    expect(http?.parentSpanId).toBe(db?.spanId);
    expect(new Set([request?.traceId, db?.traceId, http?.traceId]).size).toBe(1);
    expect(request?.traceId).toMatch(/^[\da-f]{32}$/);
    expect(request?.spanId).toMatch(/^[\da-f]{16}$/);
  });

  it('belongs to the trace that any activity of its tree names, even a later one', () => {
    const spans = spansOf([
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 3]),
      { name: 'SendStart', id: '//1/1/2', at: 4, payload: crossing(TRACE, SPAN) },
      { name: 'SendStop', id: '//1/1/2', at: 5 },
    ]);
    expect([...spans.values()].map(({ traceId }) => traceId)).toEqual([TRACE, TRACE, TRACE]);
    expect(spans.get('Send')?.parentSpanId).toBe(spans.get('Request')?.spanId);
  });

  it('that is in another trace than its parent is linked to that', () => {
    const other = '1'.repeat(32);
    const spans = spansOf([
      { name: 'RequestStart', id: '//1/1', at: 1, payload: crossing(TRACE, SPAN) },
      {
        name: 'DeliverStart',
        id: '//1/1/1',
        at: 2,
        payload: crossing(other, '2'.repeat(16), '3'.repeat(16)),
      },
      { name: 'DeliverStop', id: '//1/1/1', at: 3 },
      { name: 'RequestStop', id: '//1/1', at: 4 },
    ]);
    expect(spans.get('Deliver')).toMatchObject({
      traceId: other,
      parentSpanId: '3'.repeat(16),
      links: [{ traceId: TRACE, spanId: SPAN }],
    });
  });

  it('ends with its enclosing activity or with the trace if its Stop is missing', () => {
    const spans = spansOf([
      ...during(['Request', '//1/1', 1, 5], ['Lost', '//1/1/1', 2]),
      { name: 'OpenStart', id: '//1/2', at: 6 },
      { name: 'Log', at: 8 },
    ]);
    const stateOf = (name: string) =>
      spans.get(name)?.attributes.find(({ key }) => key === 'tracewright.activity.state')?.value;
    expect(spans.get('Lost')?.endTimeUnixNano).toBe(ms(5));
    expect(stateOf('Lost')).toEqual({ stringValue: 'killed' });
    expect(spans.get('Open')?.endTimeUnixNano).toBe(ms(8));
    expect(stateOf('Open')).toEqual({ stringValue: 'open' });
    expect(stateOf('Request')).toBeUndefined();
  });

  it('has at most 128 events, and counts the others', () => {
    const logs = Array.from({ length: 130 }, () => ({ name: 'Log', id: '//1/1', at: 2 }));
    const span = spansOf([...during(['Request', '//1/1', 1, 9]), ...logs]).get('Request');
    expect(span?.events).toHaveLength(128);
    expect(span?.droppedEventsCount).toBe(2);
  });

  it('is written before the trace ends, even in a tree that never ends', () => {
    const children = Array.from({ length: 6000 }, (_, i) => i + 1).flatMap((i) =>
      during(['Child', `//1/1/${i}`, i * 2, i * 2 + 1]),
    );
    const exporter = new OtlpExport('json', { name: '', info: INFO });
    for (const event of [{ name: 'RootStart', id: '//1/1', at: 1 }, ...children])
      exporter.add(written(event));
    expect(exporter.isFull).toBe(true);
    const pieces: unknown[] = [];
    while (exporter.isFull) pieces.push(exporter.take());
    pieces.push(...exporter.end({ lostEvents: 0, processNames: new Map() }));
    const spans = requestsOf(pieces.join(''))
      .flatMap(({ resourceSpans }) => resourceSpans[0]?.scopeSpans ?? [])
      .flatMap((scope) => scope.spans);
    expect(spans).toHaveLength(6001);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });
});

/** The only span of one activity. */
function spanOf(name: string, start: WrittenEvent['payload'], stop: WrittenEvent['payload']): OtlpSpan {
  const [span] = spansOf([
    { name: `${name}Start`, id: '//1/1', at: 1, ...(start && { payload: start }) },
    { name: `${name}Stop`, id: '//1/1', at: 2, ...(stop && { payload: stop }) },
  ]).values();
  return span as OtlpSpan;
}

function attributeOf(span: OtlpSpan, name: string): unknown {
  return span.attributes.find(({ key }) => key === name)?.value;
}

describe('an automatic activity', () => {
  const get = { method: 'GET', pathAndQuery: '/items/7' };

  it('of a server has its route in its name, and failed only if the server did', () => {
    const stop = { statusCode: 404, route: '/items/:id', errorType: '' };
    const request = spanOf('Node.Http/Request', get, stop);
    expect(request).toMatchObject({ name: 'GET /items/:id', kind: 2, status: { code: 0 } });
    const failed = spanOf('Node.Http/Request', get, { statusCode: 503, route: '', errorType: '' });
    expect(failed).toMatchObject({ name: 'GET', kind: 2, status: { code: 2, message: '' } });
    expect(attributeOf(failed, 'error.type')).toEqual({ stringValue: '503' });
    const aborted = spanOf('Node.Http/Request', get, { statusCode: -1, route: '', errorType: 'aborted' });
    expect(aborted).toMatchObject({ status: { code: 2 } });
    expect(attributeOf(aborted, 'error.type')).toEqual({ stringValue: 'aborted' });
  });

  it('of a client failed with every status from 400 on', () => {
    const call = spanOf('Node.Http/ClientRequest', get, {
      statusCode: 404,
      errorType: '',
      errorMessage: '',
    });
    expect(call).toMatchObject({ name: 'GET', kind: 3, status: { code: 2 } });
    expect(attributeOf(call, 'error.type')).toEqual({ stringValue: '404' });
    const refused = { statusCode: -1, errorType: 'ECONNREFUSED', errorMessage: 'no way' };
    expect(spanOf('Node.Http/ClientRequest', get, refused).status).toEqual({ code: 2, message: 'no way' });
  });

  it('of a database is named after the operation and its target', () => {
    const query = { operation: 'SELECT', namespace: 'shop', system: 'mysql' };
    const ok = { errorType: '', errorMessage: '' };
    expect(spanOf('Node.Database/Command', query, ok)).toMatchObject({
      name: 'SELECT shop',
      kind: 3,
      status: { code: 0 },
    });
    expect(spanOf('Node.Database/Connect', { operation: '', namespace: '' }, ok).name).toBe('Connect');
  });
});

describe("an OpenTelemetry span's activity", () => {
  it('becomes the same span again', () => {
    const start = {
      name: 'draft',
      kind: 'consumer',
      scope: 'kafka',
      attributes: '{"a":1,"b":"x"}',
      ...crossing(TRACE, SPAN),
    };
    const link = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    const span = spanOf('OpenTelemetry/Span', start, {
      name: 'deliver',
      success: false,
      errorMessage: 'late',
      attributes: '{"a":2,"b":"x"}',
      links: JSON.stringify([link]),
    });
    expect(span).toMatchObject({
      traceId: TRACE,
      spanId: SPAN,
      name: 'deliver',
      kind: 5,
      status: { code: 2, message: 'late' },
      links: [link],
    });
    expect(span.attributes.slice(0, 2)).toEqual([
      { key: 'a', value: { intValue: '2' } },
      { key: 'b', value: { stringValue: 'x' } },
    ]);
    expect(span.attributes.map(({ key }) => key).slice(2)).toEqual(['tracewright.activity.id', 'thread.id']);
  });
});

describe('the export', () => {
  it('does not hold all of many activities that never end', () => {
    const exporter = new OtlpExport('json', { name: '', info: INFO });
    for (let i = 1; i <= 70_000; i++) {
      exporter.add(written({ name: 'LostStart', id: `//1/${i}`, at: i }));
    }
    expect(exporter.isFull).toBe(true);
  });

  it('says what it omits', () => {
    const { notices } = exported([
      { name: 'Log', at: 1 },
      { name: 'RequestStop', id: '//1/1', at: 2 },
    ]);
    expect(notices).toEqual([
      'Omitted 1 activity without a Start in the trace.',
      'Omitted 1 event outside all activities.',
    ]);
  });

  it.each(['json', 'protobuf'] as const)('is identical when repeated: %s', (encoding) => {
    const events = [...EVERYTHING, ...during(['Other', '//1/2', 4, 9], ['Db', '//1/2/1', 5, 6])];
    expect(exported(events, encoding).bytes).toEqual(exported(events, encoding).bytes);
  });
});

const tools = installedTools({ '@opentelemetry/otlp-transformer': '0.52.0', '@opentelemetry/api': '1.9.0' });

interface Decoder {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): unknown;
}

/** Ids as the JSON form has them, where a decoder has bytes. */
function withHexIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member) =>
    /^(trace|span|parentSpan)Id$/.test(key) ? Buffer.from(member, 'base64').toString('hex') : member,
  );
}

describe.skipIf('reason' in tools)(named('in protobuf', reasonOf(tools)), () => {
  it("is decoded by OpenTelemetry's own package to the same as in JSON", () => {
    const require = createRequire(join('folder' in tools ? tools.folder : '', 'package.json'));
    const transformer = require.resolve('@opentelemetry/otlp-transformer');
    const root = require(join(transformer, '../generated/root.js'));
    const { ExportTraceServiceRequest: decoder } = root.opentelemetry.proto.collector.trace.v1 as {
      ExportTraceServiceRequest: Decoder;
    };
    const events = [
      ...EVERYTHING,
      ...during(['Other/Request', '//1/2', 4, 9], ['Db', '//1/2/1', 5, 6], ['Lost', '//1/2/2', 7]),
      {
        name: 'SendStart',
        id: '//1/3',
        at: 10,
        processId: 5,
        payload: { empty: '', zero: 0, no: false, none: [] },
      },
    ];
    const decoded = decoder.toObject(decoder.decode(exported(events, 'protobuf').bytes), {
      longs: String,
      bytes: String,
      json: true,
    });
    const json = requestsOf(exported(events).text).flatMap(({ resourceSpans }) => resourceSpans);
    const withoutEmpty = JSON.parse(JSON.stringify({ resourceSpans: json }), (key, value) =>
      Array.isArray(value) && value.length === 0 && ['events', 'links', 'values'].includes(key)
        ? undefined
        : value,
    );
    expect(withHexIds(decoded)).toEqual(withoutEmpty);
  });
});
