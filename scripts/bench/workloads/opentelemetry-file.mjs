// The counterparts of events and activities in a file: OpenTelemetry's log records and spans, with the same three
// fields, batched by its processors and encoded by its exporters: OTLP, protobuf.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { requirePeer } from '../peer.mjs';
import { payload } from '../source.mjs';
import { fileLoop } from './file.mjs';

const { context } = requirePeer('@opentelemetry/api');
const serializers = requirePeer('@opentelemetry/otlp-transformer');

/** All are exported, however fast they arrive. */
const unlimited = { maxQueueSize: 2 ** 20 };

/** Writes its input to a file, as OTLP exporters send it. */
class FileExporter {
  exported = 0;

  constructor(path, serializer) {
    this.file = createWriteStream(path);
    this.serializer = serializer;
  }

  export(items, done) {
    this.exported += items.length;
    this.file.write(this.serializer.serializeRequest(items), (error) => done({ code: error ? 1 : 0, error }));
  }

  async forceFlush() {}

  async shutdown() {
    this.file.end();
    await once(this.file, 'close');
  }
}

/** @param open returns the writer, and the provider, which is shut down at the end */
const otlpLoop = (serializer, open) =>
  fileLoop((path) => {
    const exporter = new FileExporter(path, serializer);
    const { provider, write } = open(exporter);
    return {
      run: (loop) => loop(write),
      close: async () => {
        await provider.shutdown();
        return exporter.exported;
      },
    };
  });

export function logRecord() {
  const { SeverityNumber } = requirePeer('@opentelemetry/api-logs');
  const { BatchLogRecordProcessor, LoggerProvider } = requirePeer('@opentelemetry/sdk-logs');
  const record = { severityNumber: SeverityNumber.INFO, body: 'CacheMiss', attributes: payload };
  return otlpLoop(serializers.ProtobufLogsSerializer, (exporter) => {
    const provider = new LoggerProvider({
      processors: [new BatchLogRecordProcessor({ exporter, ...unlimited })],
    });
    const logger = provider.getLogger('benchmark');
    return { provider, write: () => logger.emit(record) };
  });
}

const work = (span) => {
  span.end();
  return 1;
};

export function span() {
  const { BasicTracerProvider, BatchSpanProcessor } = requirePeer('@opentelemetry/sdk-trace-base');
  const { AsyncLocalStorageContextManager } = requirePeer('@opentelemetry/context-async-hooks');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return otlpLoop(serializers.ProtobufTraceSerializer, (exporter) => {
    const provider = new BasicTracerProvider({
      spanProcessors: [new BatchSpanProcessor(exporter, unlimited)],
    });
    const tracer = provider.getTracer('benchmark');
    return { provider, write: () => tracer.startActiveSpan('Request', { attributes: payload }, work) };
  });
}
