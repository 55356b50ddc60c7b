/** Requests to a collector that is slow, busy, unreachable, or rejects them. */
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OtlpSender } from '../../lib/export/otlp-sender.ts';
import { otlpResource, otlpTarget } from '../../lib/export/otlp-settings.ts';
import { Collector } from '../integrations/collector.ts';

const NONE = { queueFull: 0, expired: 0, refused: 0, rejected: 0, closed: 0 };
const LONG = 20_000;

describe('a request', () => {
  let collector: Collector;
  beforeEach(async () => {
    collector = await Collector.open();
  });
  afterEach(() => collector.close());

  const bodies = () => collector.received.map(({ body }) => String(body));
  const sender = (environment: Record<string, string> = {}) =>
    new OtlpSender(otlpTarget({ url: collector.url }, environment));

  it('is posted with headers, in order, one after another', async () => {
    const opened = sender({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b' });
    for (const body of ['a', 'b', 'c']) opened.add(body, 2);
    await opened.close(LONG);
    expect(bodies()).toEqual(['a', 'b', 'c']);
    expect(collector.received[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/x-protobuf', 'api-key': 'a b' },
    });
    expect(opened.result).toEqual({ sent: 6, dropped: NONE, problem: undefined });
  });

  it.each([429, 502, 503, 504])('is repeated after status %s, when the collector says so', async (status) => {
    collector.answer = (response) => {
      const isFirst = collector.received.length === 1;
      response.writeHead(isFirst ? status : 200, { 'retry-after': '0' }).end();
    };
    const opened = sender();
    opened.add('a', 1);
    opened.add('b', 1);
    await opened.close(LONG);
    expect(bodies()).toEqual(['a', 'a', 'b']);
    expect(opened.result).toMatchObject({ sent: 2, dropped: NONE });
  });

  it('is repeated with pauses if the connection breaks', async () => {
    collector.answer = (response) => {
      if (collector.received.length < 2) response.socket?.destroy();
      else response.end();
    };
    const opened = sender();
    opened.add('a', 1);
    await opened.flush(LONG);
    expect(bodies()).toEqual(['a', 'a']);
    expect(opened.result).toMatchObject({ sent: 1, problem: expect.stringContaining('cannot be reached') });
    await opened.close(0);
  });

  it('may be compressed', async () => {
    const opened = sender({ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' });
    opened.add('some text', 1);
    await opened.close(LONG);
    const [received] = collector.received;
    expect(received?.headers['content-encoding']).toBe('gzip');
    expect(String(gunzipSync(received?.body ?? ''))).toBe('some text');
  });

  it('that is refused is dropped', async () => {
    collector.answer = (response) => response.writeHead(400).end();
    const opened = sender();
    opened.add('a', 3);
    await opened.close(LONG);
    expect(opened.result).toEqual({
      sent: 0,
      dropped: { ...NONE, refused: 3 },
      problem: `${collector.url} answered with status 400.`,
    });
  });

  it.each([
    ['http/json', '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}'],
    ['http/protobuf', Buffer.from([0x0a, 6, 0x08, 2, 0x12, 2, 0x6e, 0x6f])],
  ])('may be accepted in part: %s', async (protocol, answer) => {
    collector.answer = (response) => response.end(answer);
    const opened = sender({ OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    opened.add('a', 5);
    await opened.close(LONG);
    expect(opened.result).toMatchObject({ sent: 3, dropped: { ...NONE, rejected: 2 } });
  });

  it('waits in bounded memory, and at the end no longer than allowed', async () => {
    collector.answer = () => {};
    const opened = sender();
    const body = Buffer.alloc(3 << 20);
    for (let i = 0; i < 6; i++) opened.add(body, 1);
    expect(opened.result.dropped.queueFull).toBe(1);
    await opened.close(1);
    opened.add(body, 1);
    expect(opened.result).toMatchObject({ sent: 0, dropped: { ...NONE, queueFull: 1, closed: 6 } });
  });

  it('is given up when its time is over', async () => {
    collector.answer = (response) => {
      if (collector.received.length > 1) response.end();
    };
    const opened = sender({ OTEL_EXPORTER_OTLP_TIMEOUT: '50' });
    opened.add('a', 1);
    await opened.close(LONG);
    expect(bodies()).toEqual(['a', 'a']);
    expect(opened.result.sent).toBe(1);
  });
});

describe('the environment', () => {
  const urlOf = (environment: Record<string, string>, url?: string) =>
    String(otlpTarget({ url }, environment).url);
  const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

  it('names the collector', () => {
    expect(urlOf({})).toBe('http://localhost:4318/v1/traces');
    expect(urlOf({ [ENDPOINT]: 'https://c:1/base/' })).toBe('https://c:1/base/v1/traces');
    expect(urlOf({ [ENDPOINT]: 'https://c:1', [TRACES_ENDPOINT]: 'http://t/x' })).toBe('http://t/x');
    expect(urlOf({ [TRACES_ENDPOINT]: 'http://t/x' }, 'http://own:2')).toBe('http://own:2/v1/traces');
    expect(urlOf({}, 'http://own:2/api/otlp')).toBe('http://own:2/api/otlp');
  });

  it('defines how requests are sent', () => {
    const target = otlpTarget(
      { headers: { a: '3' } },
      {
        OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b=2,=,c,d=%',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_EXPORTER_OTLP_TIMEOUT: '250',
      },
    );
    expect(target).toMatchObject({
      headers: { a: '3', b: '2' },
      encoding: 'json',
      isCompressed: true,
      timeout: 250,
    });
  });

  it('names the service', () => {
    const environment = { OTEL_SERVICE_NAME: 'shop', OTEL_RESOURCE_ATTRIBUTES: 'service.name=x,env=test' };
    expect(otlpResource(environment)).toEqual({ 'service.name': 'shop', env: 'test' });
  });

  it('rejects unsupported values', () => {
    expect(() => otlpTarget({ url: 'localhost:4318' }, {})).toThrow(
      'A collector\'s URL must start with http:// or https://, not "localhost:4318".',
    );
    expect(() => otlpTarget({}, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not "grpc".',
    );
  });
});
