/**
 * Common Schema: the events that OpenTelemetry's exporters in Rust write, byte by byte where Azure's agents look: names,
 * encodings, formats and order. The rows are those of opentelemetry-rust-contrib's exporters.
 */
import { describe, expect, it } from 'vitest';
import { eventSources, Level, type Listenable, listen, type WrittenEvent } from '../../lib/index.ts';
import { type CommonSchemaSpan, writeSpan } from '../../lib/integrations/opentelemetry/common-schema-span.ts';
import { CommonSchemaEvents, type CommonSchemaParts } from '../../lib/logs/common-schema.ts';
import { LogEvents } from '../../lib/logs/log-events.ts';
import { fieldSchemas } from '../../lib/source/field-schemas.ts';
import { SELF_DESCRIBING, type SelfDescribingOptions } from '../../lib/source/self-describing.ts';
import { EventHeaderEncoder } from '../../lib/wire/eventheader/encode.ts';
import { scratch } from '../../lib/wire/scratch.ts';
import { WRITE_INDEX_SIZE } from '../../lib/wire/user-events.ts';
import { type Payload, takeFaults } from '../../lib/wire/values/faults.ts';
import { decodeEventHeader, type EventHeaderField } from '../wire/eventheader/decode-event.ts';

/** What the kernel gets, decoded: each field with its encoding and format, as `eventheader.h` numbers them. */
function written(work: (events: CommonSchemaEvents) => void, backend = 'user_events') {
  const lines: string[] = [];
  const source = {
    status: { backend },
    isEnabled: () => true,
    [SELF_DESCRIBING]: {
      write(name: string, payload: Payload, options: SelfDescribingOptions, definitions: string) {
        const { level = 0, keywords = 0n } = options;
        const numbers = {
          id: 0,
          version: 0,
          level,
          keywords: keywords as bigint,
          opcode: 0,
          task: 0,
          tag: 0,
        };
        const schema = { ...numbers, name, fields: fieldSchemas('Test', JSON.parse(definitions)) };
        const size = new EventHeaderEncoder(schema).encode(payload, undefined, undefined);
        expect(takeFaults()).toBeUndefined();
        const bytes = Uint8Array.from(scratch.subarray(WRITE_INDEX_SIZE, size));
        const tracepoint = `Test_L${level}K${keywords}`;
        lines.push(`${tracepoint} ${name}`);
        for (const field of decodeEventHeader(tracepoint, bytes).fields) add(lines, field, '');
      },
    },
  };
  work(new CommonSchemaEvents(source, []));
  return lines;
}

function add(lines: string[], field: EventHeaderField, indent: string): void {
  const { name, encoding, format, value } = field as EventHeaderField & { encoding: number; format: number };
  if (Array.isArray(value)) {
    lines.push(`${indent}${name}`);
    for (const member of value as EventHeaderField[]) add(lines, member, `${indent}  `);
  } else lines.push(`${indent}${name} ${encoding}/${format} ${String(value)}`);
}

const TIME = [1_700_000_000, 123_456_789] as const;

const span: CommonSchemaSpan = {
  name: 'GET /items',
  kind: 1,
  startTime: [1_700_000_000, 5],
  endTime: TIME,
  attributes: {
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    size: 0.5,
    cached: true,
    tags: ['a', 'b'],
  },
  status: { code: 2, message: 'bad' },
  links: [{ context: { traceId: 'b'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 } }],
  resource: { attributes: { 'service.name': 'shop', 'service.instance.id': 'one' } },
  parentSpanContext: { spanId: '1'.repeat(16) },
  spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'a'.repeat(16), traceFlags: 1 }),
};

describe('the lines of a logger', () => {
  it('are also events of their level, for listeners that request keyword 1', () => {
    const logs = new LogEvents({ provider: 'Test-CommonSchema', commonSchema: true });
    const source = eventSources().find(({ name }) => name === 'Test-CommonSchema') as Listenable;
    const heard: WrittenEvent[] = [];
    const listener = listen(source, (event) => heard.push(event), { keywords: 1n, level: Level.Warning });
    expect([logs.isWanted, logs.isLevelWanted(Level.Warning)]).toEqual([true, true]);
    logs.write(Level.Informational, () => ({ message: 'not wanted', levelName: 'info' }));
    const fields = { user: 7, trace_id: 'a'.repeat(32) };
    logs.write(Level.Warning, () => ({
      message: 'hot',
      levelName: '40',
      logger: 'db',
      error: 'E: x',
      fields,
    }));
    listener.close();
    logs.close();
    expect(heard.filter(({ name }) => name === 'Log').map(({ level, payload }) => [level, payload])).toEqual([
      [
        Level.Warning,
        {
          __csver__: 0x400,
          PartA: { time: expect.stringMatching(/^\d{4}-.*Z$/), ext_dt_traceId: 'a'.repeat(32) },
          PartC: { user: 7, logger: 'db', 'exception.stacktrace': 'E: x' },
          PartB: { _typeName: 'Log', body: 'hot', severityNumber: 13, severityText: 'WARN' },
        },
      ],
    ]);
  });
});

describe('Common Schema', () => {
  it('of a span', () => {
    expect(written((events) => writeSpan(events, span))).toMatchInlineSnapshot(`
      [
        "Test_L4K1 Span",
        "__csver__ 4/0 1024",
        "PartA",
        "  time 10/0 2023-11-14T22:13:20.123456789Z",
        "  ext_dt_traceId 10/0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "  ext_dt_spanId 10/0 aaaaaaaaaaaaaaaa",
        "  ext_cloud_role 10/0 shop",
        "  ext_cloud_roleInstance 10/0 one",
        "PartB",
        "  _typeName 10/0 Span",
        "  name 10/0 GET /items",
        "  parentId 10/0 1111111111111111",
        "  startTime 10/0 2023-11-14T22:13:20.000000005Z",
        "  success 2/7 false",
        "  kind 4/0 1",
        "  statusMessage 10/0 bad",
        "  links 10/0 [{"toTraceId":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","toSpanId":"bbbbbbbbbbbbbbbb"}]",
        "  httpMethod 10/0 GET",
        "  httpStatusCode 5/2 200",
        "PartC",
        "  size 5/8 0.5",
        "  cached 2/7 true",
        "  tags 10/0 ["a","b"]",
      ]
    `);
  });

  it('of a span with only the common fields', () => {
    const { parentSpanContext, resource, ...bare } = span;
    const lines = written((events) =>
      writeSpan(events, { ...bare, attributes: {}, status: { code: 0 }, links: [] }),
    );
    expect(lines).toMatchInlineSnapshot(`
      [
        "Test_L4K1 Span",
        "__csver__ 4/0 1024",
        "PartA",
        "  time 10/0 2023-11-14T22:13:20.123456789Z",
        "  ext_dt_traceId 10/0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "  ext_dt_spanId 10/0 aaaaaaaaaaaaaaaa",
        "PartB",
        "  _typeName 10/0 Span",
        "  name 10/0 GET /items",
        "  parentId 10/0 ",
        "  startTime 10/0 2023-11-14T22:13:20.000000005Z",
        "  success 2/7 true",
        "  kind 4/0 1",
      ]
    `);
  });

  const log: CommonSchemaParts = {
    time: TIME,
    traceId: 'a'.repeat(32),
    attributes: { user: 7, 'a;b\0\ud800': 'x', '': null, nested: { a: [1] } },
    fields: { body: ['string', 'hello'], severityNumber: ['int16', 13], severityText: ['string', 'WARN'] },
  };

  it('of a log line', () => {
    expect(written((events) => events.write('Log', 3, log))).toMatchInlineSnapshot(`
      [
        "Test_L3K1 Log",
        "__csver__ 4/0 1024",
        "PartA",
        "  time 10/0 2023-11-14T22:13:20.123456789Z",
        "  ext_dt_traceId 10/0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "PartC",
        "  user 5/2 7",
        "  a_b__ 10/0 x",
        "  _ 10/0 null",
        "  nested 10/0 {"a":[1]}",
        "PartB",
        "  _typeName 10/0 Log",
        "  body 10/0 hello",
        "  severityNumber 3/2 13",
        "  severityText 10/0 WARN",
      ]
    `);
  });

  it('has the version that agents expect on ETW', () => {
    expect(written((events) => events.write('Log', 3, log), 'etw')[1]).toBe('__csver__ 3/3 1025');
  });

  it('fits into the tracers, whatever a span contains', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`attribute.${i}`, '€'.repeat(5000)]),
    );
    const lines = written((events) => writeSpan(events, { ...span, name: 'x'.repeat(10_000), attributes }));
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(7500);
  });
});
