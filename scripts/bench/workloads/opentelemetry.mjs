// The peer: OpenTelemetry's spans and log records, with the same three attributes as our events have fields.
import { requirePeer } from '../peer.mjs';
import { payload } from '../source.mjs';
import { BATCH_SIZE, byTurns } from './turns.mjs';

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

function registerTracing(processor) {
  const { BasicTracerProvider } = requirePeer('@opentelemetry/sdk-trace-base');
  const { AsyncLocalStorageContextManager } = requirePeer('@opentelemetry/context-async-hooks');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
}

/** Nobody has registered an SDK: what an instrumented library costs then. */
export const apiOnly = () => spans();

/** Recorded, and dropped at the end: no exporter, the least that an SDK can do. */
export function noopProcessor() {
  const { NoopSpanProcessor } = requirePeer('@opentelemetry/sdk-trace-base');
  registerTracing(new NoopSpanProcessor());
  return spans();
}

/** As events go to a file, but that none is written: waits until everything is exported, and lets go of it. */
function inMemoryLoop(write, processor, exporter, finished) {
  return async (iterations) => {
    await byTurns(iterations, BATCH_SIZE, write);
    await processor.forceFlush();
    const kept = finished();
    if (kept !== iterations) throw new Error(`${kept} of ${iterations} were kept.`);
    exporter.reset();
    return iterations;
  };
}

/** The SDK's own exporter that does least. */
export function spansInMemory() {
  const { InMemorySpanExporter, SimpleSpanProcessor } = requirePeer('@opentelemetry/sdk-trace-base');
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor(exporter);
  registerTracing(processor);
  const tracer = trace.getTracer('benchmark');
  const write = () => tracer.startActiveSpan('Request', { attributes: payload }, work);
  return inMemoryLoop(write, processor, exporter, () => exporter.getFinishedSpans().length);
}

export function logRecordsInMemory() {
  const { SeverityNumber } = requirePeer('@opentelemetry/api-logs');
  const { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } =
    requirePeer('@opentelemetry/sdk-logs');
  const exporter = new InMemoryLogRecordExporter();
  const processor = new SimpleLogRecordProcessor({ exporter });
  const logger = new LoggerProvider({ processors: [processor] }).getLogger('benchmark');
  const record = { severityNumber: SeverityNumber.INFO, body: 'CacheMiss', attributes: payload };
  const write = () => logger.emit(record);
  return inMemoryLoop(write, processor, exporter, () => exporter.getFinishedLogRecords().length);
}
