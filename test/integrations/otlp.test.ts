/** Activities of a running process at a collector: sent by itself, or by `tracewright collect`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeProcessContext, type KeyValue, type OtlpSpan } from '../../lib/wire/otlp.ts';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { Collector, decodedContext, skipReason } from './collector.ts';

const program = join(import.meta.dirname, 'programs/exported-app.mjs');
const tracewright = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const run = promisify(execFile);
const REQUESTS = 3;

describe.skipIf(skipReason !== undefined)(named('a collector', skipReason), () => {
  let collector: Collector;
  beforeEach(async () => {
    collector = await Collector.open();
  });
  afterEach(() => collector.close());

  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const attribute = (span: OtlpSpan | undefined, key: string) =>
    span?.attributes.find((each) => each.key === key)?.value;

  function expectAll(): void {
    const servers = named('GET').filter(({ kind }) => kind === 2);
    const clients = named('GET').filter(({ kind }) => kind === 3);
    const works = named('Work');
    expect([servers.length, clients.length, works.length]).toEqual([REQUESTS, REQUESTS, REQUESTS]);
    const others = collector.spans.filter(({ name }) => name !== 'GET' && name !== 'Work');
    expect(new Set(others.map(({ name }) => name))).toEqual(new Set(['Connect']));
    // What goes to the collector is not traced.
    const { port } = new URL(collector.url);
    const ports = collector.spans.map((span) => attribute(span, 'port') ?? attribute(span, 'server.port'));
    expect(JSON.stringify(ports)).not.toContain(`"${port}"`);
    expect(new Set(works.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set(servers.map(({ spanId }) => spanId)),
    );
    expect(works[0]?.events).toMatchObject([{ name: 'Note' }]);
    const failed = servers.filter(({ status }) => status.code === 2);
    expect(failed.map((span) => attribute(span, 'error.type'))).toMatchObject([{ stringValue: '500' }]);
    expect(attribute(failed[0], 'url.path')).toMatchObject({ stringValue: '/fails' });
  }

  it('decodes the process context that profilers read', () => {
    const attributes: KeyValue[] = [
      { key: 'service.name', value: { stringValue: `café ${'x'.repeat(300)}` } },
      { key: 'process.pid', value: { intValue: '4711' } },
    ];
    expect(decodedContext(encodeProcessContext(attributes))).toMatchObject({ resource: { attributes } });
  });

  describeEachNode('activities of a process', (runProgram) => {
    it('are sent by themselves, the last ones when it has nothing left to do', {
      timeout: 60_000,
    }, async () => {
      process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
      process.env.OTEL_SERVICE_NAME = 'shop';
      try {
        const result = await runProgram('integrations/programs/exported-app.mjs', String(REQUESTS));
        expect(result).toMatchObject({ sent: collector.spans.length, lostEvents: 0 });
      } finally {
        delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
        delete process.env.OTEL_SERVICE_NAME;
      }
      expectAll();
      const [resource] = collector.requests.flatMap(({ resourceSpans }) => resourceSpans);
      expect(resource?.resource.attributes[0]).toMatchObject({
        key: 'service.name',
        value: { stringValue: 'shop' },
      });
    });
  });

  it('receives those of a recorded command', { timeout: 60_000 }, async () => {
    const { stderr } = await run(process.execPath, [
      tracewright,
      'collect',
      '--otlp',
      collector.url,
      '--',
      process.execPath,
      program,
      String(REQUESTS),
      'silently',
    ]);
    expect(stderr).toContain(`Sent ${collector.spans.length} spans to ${collector.url}/v1/traces.`);
    expectAll();
  });
});
