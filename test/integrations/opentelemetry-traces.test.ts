/** Spans as activities, nested in each other: with each supported major version of OpenTelemetry's SDK. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { activityPath, currentActivityId, traceHeaders } from '../../lib/index.ts';
import {
  activityTrace,
  type SpanActivities,
  spanActivities,
} from '../../lib/integrations/opentelemetry-traces.ts';
import { installedTools } from '../consumers/application.ts';
import { named } from '../platforms.ts';
import { inRequest, LineListener, requests } from './line-events.ts';

const SDKS = {
  'SDK 1.25': installedTools({
    '@opentelemetry/api': '1.9.0',
    '@opentelemetry/context-async-hooks': '1.25.0',
    '@opentelemetry/sdk-trace-base': '1.25.0',
  }),
  'SDK 2': installedTools({
    '@opentelemetry/api': '1.9.0',
    '@opentelemetry/context-async-hooks': '2.0.0',
    '@opentelemetry/sdk-trace-base': '2.0.0',
  }),
  'SDK 3': installedTools({
    '@opentelemetry/api': '^1.10.0',
    '@opentelemetry/context-async-hooks': '^3.1.1',
    '@opentelemetry/sdk-trace': '^3.1.1',
  }),
};

/** A tracer of the SDK with the processor. */
function tracerOf(require: NodeJS.Require, version: string, processor: SpanActivities): Tracer {
  if (version === 'SDK 3') {
    const { TracerProvider } = require('@opentelemetry/sdk-trace');
    return new TracerProvider({ spanProcessors: [processor] }).getTracer('some-library');
  }
  const { BasicTracerProvider } = require('@opentelemetry/sdk-trace-base');
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  if (version === 'SDK 1.25') provider.addSpanProcessor(processor);
  return provider.getTracer('some-library');
}

describe.each(Object.keys(SDKS) as (keyof typeof SDKS)[])('%s', (version) => {
  const tools = SDKS[version];
  const reason = 'reason' in tools ? tools.reason : undefined;

  describe.skipIf(reason !== undefined)(named('spans as activities', reason), () => {
    let require: NodeJS.Require;
    let processor: SpanActivities;
    let tracer: Tracer;
    let listener: LineListener;

    beforeAll(() => {
      require = createRequire(join('folder' in tools ? tools.folder : '', 'package.json'));
      const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    });
    afterAll(() => context.disable());
    beforeEach(() => {
      processor = spanActivities();
      tracer = tracerOf(require, version, processor);
      listener = new LineListener(0, 'OpenTelemetry');
    });
    afterEach(async () => {
      listener.close();
      await processor.shutdown();
    });

    const named = (name: string) => listener.events.filter((written) => written.name === name);

    it('have a Start and a Stop with everything known about them', () => {
      const error = new Error('no tea');
      const span = tracer.startSpan('order', { kind: SpanKind.SERVER, attributes: { size: 1 } });
      span.setAttribute('late', true);
      span.addEvent('steeping', { minutes: 3 });
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: 'no tea' });
      span.end();
      const { traceId, spanId } = span.spanContext();
      const { events } = listener;
      expect(events.map(({ name }) => name)).toEqual(['SpanStart', 'SpanEvent', 'SpanEvent', 'SpanStop']);
      expect(new Set(events.map(({ activityId }) => activityId)).size).toBe(1);
      expect(events[0]?.payload).toEqual({
        name: 'order',
        kind: 'server',
        scope: 'some-library',
        traceId,
        spanId,
        parentSpanId: '',
        attributes: { size: 1 },
      });
      expect(events[1]?.payload).toMatchObject({ name: 'steeping', attributes: { minutes: 3 } });
      expect(events[2]?.payload).toMatchObject({
        name: 'exception',
        attributes: { 'exception.message': 'no tea', 'exception.stacktrace': error.stack },
      });
      const activityId = events[0]?.activityId ?? '';
      expect(events[3]?.payload).toEqual({
        name: 'order',
        success: false,
        errorMessage: 'no tea',
        attributes: {
          size: 1,
          late: true,
          'tracewright.activity.id': activityId,
          'tracewright.activity.path': activityPath(activityId),
        },
        links: [],
      });
    });

    it('are inside their enclosing span, even if that ends first', async () => {
      const outer = tracer.startSpan('outer');
      const inner = tracer.startSpan('inner', {}, trace.setSpan(context.active(), outer));
      outer.end();
      await Promise.resolve();
      inner.end();
      const [outerStart, innerStart] = named('SpanStart');
      expect(innerStart?.relatedActivityId).toBe(outerStart?.activityId);
      expect(activityPath(innerStart?.activityId ?? '')).toBe(
        `${activityPath(outerStart?.activityId ?? '')}/1`,
      );
      expect(innerStart?.payload.parentSpanId).toBe(outer.spanContext().spanId);
      expect(named('SpanStop').map(({ payload }) => payload.name)).toEqual(['outer', 'inner']);
    });

    it('contain the activities that are started in them, in their trace', async () => {
      await tracer.startActiveSpan('order', async (span) => {
        await Promise.resolve();
        const spanActivity = named('SpanStart')[0]?.activityId;
        expect(currentActivityId()).toBe(spanActivity);
        expect(traceHeaders().traceparent).toContain(span.spanContext().spanId);
        const { activityId, traceId } = inRequest(() => {
          tracer.startSpan('inside').end();
        });
        expect(activityPath(activityId ?? '')).toBe(`${activityPath(spanActivity ?? '')}/1`);
        expect(traceId).toBe(span.spanContext().traceId);
        expect(named('SpanStart')[1]?.relatedActivityId).toBe(activityId);
        expect(currentActivityId()).toBe(spanActivity);
        span.end();
        expect(currentActivityId()).toBeUndefined();
      });
    });

    it('are inside the activity in which they are started, and in its trace if requested', () => {
      const { activityId, traceId, spanId } = inRequest(() => {
        tracer.startSpan('inside').end();
        context.with(activityTrace(), () =>
          tracer.startActiveSpan('traced', (span) => {
            expect(activityTrace()).toBe(context.active());
            span.end();
          }),
        );
      });
      const [inside, traced] = named('SpanStart');
      expect(inside?.relatedActivityId).toBe(activityId);
      expect(traced?.relatedActivityId).toBe(activityId);
      expect(traced?.payload).toMatchObject({ traceId, parentSpanId: spanId });
      expect(activityTrace(ROOT_CONTEXT)).toBe(ROOT_CONTEXT);
    });

    it('cost nothing while nothing listens, and are unchanged', () => {
      listener.close();
      const span = tracer.startSpan('unheard', { attributes: { a: 1 } });
      span.end();
      expect((span as unknown as { attributes: object }).attributes).toEqual({ a: 1 });
      expect(requests.activity('Request', {}, { stop: () => ({}) }, currentActivityId)).toBeUndefined();
    });

    it('may have attributes of any size', () => {
      const span = tracer.startSpan('x'.repeat(100_000), { attributes: { text: 'y'.repeat(100_000) } });
      span.end();
      for (const { payload } of listener.events) expect(JSON.stringify(payload).length).toBeLessThan(7000);
    });
  });
});
