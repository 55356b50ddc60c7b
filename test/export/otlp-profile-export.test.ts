/** CPU samples as profiles of OpenTelemetry's protocol, in JSON and in protobuf. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OtlpExport } from '../../lib/export/otlp-export.ts';
import { exportedTrace, OtlpFeed } from '../../lib/export/otlp-feed.ts';
import { OtlpProfileExport } from '../../lib/export/otlp-profile-export.ts';
import { OtlpSender } from '../../lib/export/otlp-sender.ts';
import { otlpTarget } from '../../lib/export/otlp-settings.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import type { OtlpRequest } from '../../lib/wire/otlp.ts';
import { Collector } from '../integrations/collector.ts';
import { named } from '../platforms.ts';
import { exportEvents } from './exported.ts';
import { checkOtlpProfiles, NO_DECODER } from './otlp-profiles-rules.ts';
import { SPAN, sampleAt, serverEvents, TRACE } from './profiled-events.ts';

const INFO = {
  format: 'nettrace',
  startTime: 1_700_000_000_000_000_000n,
  hasWallTime: true,
  pointerSize: 8,
  properties: {},
} as const;
const NAMES = { processNames: new Map([[42, 'server']]) };

function exported(
  events: readonly TraceEvent[],
  encoding: 'json' | 'protobuf' = 'json',
  { hasSpans = true } = {},
) {
  return exportEvents(
    events,
    (trace) => new OtlpProfileExport(encoding, { ...trace, ...NAMES }, new FrameNames(), hasSpans),
    { info: INFO },
  );
}

describe('profiles of OpenTelemetry', () => {
  it('have samples with the CPU time, the activity and the span', () => {
    const { text, notices } = exported(serverEvents());
    const [profile] = checkOtlpProfiles(text);
    expect(notices).toEqual([]);
    expect(profile).toMatchObject({
      resource: { 'service.name': 'server', 'process.pid': '42' },
      sampleType: 'cpu/nanoseconds',
      timeUnixNano: '1700000000000000000',
      durationNano: '16000000',
    });
    const request = { 'thread.id': '1', 'tracewright.route': 'GET /orders/:id' };
    expect(profile?.samples).toEqual([
      { functions: ['app.mjs.serve'], cpuNs: 1e6, attributes: { 'thread.id': '1' }, link: undefined },
      {
        functions: ['app.mjs.burn', 'app.mjs.serve'],
        cpuNs: 2e6,
        attributes: {
          ...request,
          'tracewright.activity.name': 'Node.Http/Request',
          'tracewright.activity.path': '//1/1',
        },
        link: { traceId: TRACE, spanId: SPAN },
      },
      {
        functions: ['app.mjs.burn', 'app.mjs.ask', 'app.mjs.serve'],
        cpuNs: 2e6,
        attributes: {
          ...request,
          'tracewright.activity.name': 'App/Ask',
          'tracewright.activity.path': '//1/1/1',
        },
        link: { traceId: TRACE, spanId: expect.stringMatching(/^[\da-f]{16}$/) },
      },
    ]);
  });

  it('link to the spans of an export of the activities', () => {
    const spans = exportEvents(serverEvents(), (trace) => new OtlpExport('json', { ...trace, ...NAMES }), {
      info: INFO,
    }).text;
    const { resourceSpans } = JSON.parse(spans) as OtlpRequest;
    const ids = resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans)
      .map(({ name, traceId, spanId }) => [name, { traceId, spanId }] as const);
    const [profile] = checkOtlpProfiles(exported(serverEvents()).text);
    const links = profile?.samples.flatMap(({ link }) => (link === undefined ? [] : [link]));
    const ofName = new Map(ids);
    expect(links).toEqual([ofName.get('GET /orders/:id'), ofName.get('Ask')]);
  });

  it('link to spans of another session as far as events say their ids', () => {
    const [profile] = checkOtlpProfiles(exported(serverEvents(), 'json', { hasSpans: false }).text);
    const request = { traceId: TRACE, spanId: SPAN };
    expect(profile?.samples.map(({ link }) => link)).toEqual([undefined, request, request]);
  });

  it.skipIf(NO_DECODER !== undefined)(
    named('are the same in protobuf, whatever functions are called', NO_DECODER),
    () => {
      const hostile = '\0"\\\n\ud800 \u{1f4a9}'.repeat(1000);
      const events = serverEvents(hostile);
      const inJson = checkOtlpProfiles(exported(events).text);
      const inProtobuf = checkOtlpProfiles(exported(events, 'protobuf').bytes);
      expect(inProtobuf).toEqual(JSON.parse(JSON.stringify(inJson).replaceAll('\\ud800', '\ufffd')));
      expect(inJson[0]?.samples[1]?.functions[0]).toBe(`app.mjs.${hostile}`);
    },
  );

  it('are one per process', () => {
    const profiles = checkOtlpProfiles(
      exported([1, 2, 3, 4].map((at) => sampleAt(at, [1n], { processId: 40 + (at % 2) }))).text,
    );
    expect(profiles.map(({ resource }) => resource['process.pid'])).toEqual(['41', '40']);
    for (const { samples } of profiles) expect(samples).toMatchObject([{ cpuNs: 4e6 }]);
  });
});

describe('a feed', () => {
  afterEach(() => vi.useRealTimers());

  it('sends profiles while it runs, each with its own samples', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const collector = await Collector.open();
    const events = serverEvents();
    const trace = {
      name: 'test',
      info: INFO,
      processNames: NAMES.processNames,
      async *batches() {
        yield events;
        vi.advanceTimersByTime(10_000);
        await sleep(1);
        yield [sampleAt(17, [5n]), sampleAt(18, [5n])];
      },
    };
    const environment = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const [spans, profiles] = (['TRACES', 'PROFILES'] as const).map((signal) => {
      const target = otlpTarget({ url: collector.url }, environment, signal);
      return { target, sender: new OtlpSender(target) };
    }) as [{ target: ReturnType<typeof otlpTarget>; sender: OtlpSender }, { sender: OtlpSender }];
    const exporter = new OtlpProfileExport('json', exportedTrace(trace, {}), new FrameNames());
    await new OtlpFeed({ trace, ...spans, resource: {}, profiles: { exporter, ...profiles } }).run();
    await Promise.all([spans.sender.close(20_000), profiles.sender.close(20_000)]);
    expect(profiles.sender.result).toMatchObject({ sent: 2 });
    const bodies = collector.received.filter(({ path }) => path === '/v1development/profiles');
    const sent = bodies.map(({ body }) => checkOtlpProfiles(String(body))[0]);
    expect(sent.map((profile) => profile?.samples.reduce((sum, { cpuNs }) => sum + cpuNs, 0))).toEqual([
      5e6, 2e6,
    ]);
    expect(sent[1]?.timeUnixNano).toBe(String(INFO.startTime + 16_000_000n));
    await collector.close();
  });
});
