// OpenTelemetry alongside: its spans are activities inside automatic ones, and its trace is the request's.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { activityTrace, spanActivities } from 'tracewright/opentelemetry-traces';
import 'tracewright/auto';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
// In addition to spanActivities(): your exporters to OpenTelemetry's backends.
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [spanActivities()] }));
const tracer = trace.getTracer('shop');

const server = createServer((_request, response) => {
  context.with(activityTrace(), () =>
    tracer.startActiveSpan('checkout', (span) => {
      tracer.startActiveSpan('pay', (inner) => inner.end());
      span.end();
      response.end('paid\n');
    }),
  );
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const answer = await fetch(`http://127.0.0.1:${server.address().port}/orders/7`);
console.log(await answer.text());
server.closeAllConnections();
server.close();
