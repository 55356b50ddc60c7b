// The counterpart: OpenTelemetry's spans, with the same three attributes as our Start event's fields.
import { requirePeer } from '../peer.mjs';
import { payload } from '../source.mjs';

const { context, trace } = requirePeer('@opentelemetry/api');

const work = (span) => {
  span.end();
  return 1;
};

function spans() {
  const tracer = trace.getTracer('benchmark');
  return (iterations) => {
    let sum = 0;
    for (let i = 0; i < iterations; i++) {
      sum += tracer.startActiveSpan('Request', { attributes: payload }, work);
    }
    return sum;
  };
}

/** Without an SDK: the cost for an instrumented library. */
export const apiOnly = () => spans();

/** Recorded, and dropped at the end: no exporter, the minimum for an SDK. */
export function noopProcessor() {
  const { BasicTracerProvider, NoopSpanProcessor } = requirePeer('@opentelemetry/sdk-trace-base');
  const { AsyncLocalStorageContextManager } = requirePeer('@opentelemetry/context-async-hooks');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new NoopSpanProcessor()] }));
  return spans();
}
