// What a request's handler does besides its work, by variant. Each variant opens its output, and returns the handler.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEventSource, event, listen, startSession } from 'tracewright';
import { startFlightRecorder } from 'tracewright/diagnostics';
import { requirePeer } from '../peer.mjs';

function temporaryFile() {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'out');
}

/** Only the work. */
async function bareHandler(_method, _url, query) {
  let sum = 0;
  for (let i = 0; i < 5; i++) sum += i;
  const rows = await query();
  for (let i = 0; i < 5; i++) sum += i;
  return rows + sum;
}

/** The same with ten calls of `log`, and what surrounds the request and the query. */
const handlerOf =
  (log, { request, query: around }) =>
  (method, url, query) =>
    request(method, url, async () => {
      let sum = 0;
      for (let i = 0; i < 5; i++) {
        log('user:12345678', i, 0.25);
        sum += i;
      }
      const rows = await around('SELECT 1', query);
      for (let i = 0; i < 5; i++) {
        log('user:12345678', i, 0.25);
        sum += i;
      }
      return rows + sum;
    });

const nothingAround = { request: (_method, _url, work) => work(), query: (_text, work) => work() };

/** Ten events of three fields and two activities. */
function ours() {
  const source = defineEventSource('Bench-Server', {
    RequestStart: event({ method: 'string', url: 'string' }),
    RequestStop: event({ success: 'bool' }),
    QueryStart: event({ text: 'string' }),
    QueryStop: event({ success: 'bool' }),
    CacheMiss: event({ key: 'string', size: 'uint32', ratio: 'double' }),
  });
  const handle = handlerOf((key, size, ratio) => source.CacheMiss({ key, size, ratio }), {
    request: (method, url, work) => source.activity('Request', { method, url }, work),
    query: (text, work) => source.activity('Query', { text }, work),
  });
  return { source, handle };
}

/** @param [writes] takes the bytes of spans; the default is a file */
function openTelemetry(writes) {
  const { BatchSpanProcessor } = requirePeer('@opentelemetry/sdk-trace-base');
  const { NodeTracerProvider } = requirePeer('@opentelemetry/sdk-trace-node');
  const { ProtobufTraceSerializer } = requirePeer('@opentelemetry/otlp-transformer');
  const { registerInstrumentations } = requirePeer('@opentelemetry/instrumentation');
  const { HttpInstrumentation } = requirePeer('@opentelemetry/instrumentation-http');
  const { createWriteStream } = requirePeer('node:fs');
  const file = writes === undefined ? createWriteStream(temporaryFile()) : undefined;
  const write = writes ?? file.write.bind(file);
  const exporter = {
    export: (spans, done) =>
      write(ProtobufTraceSerializer.serializeRequest(spans), (error) => done({ code: error ? 1 : 0, error })),
    forceFlush: async () => {},
    shutdown: async () => file?.end(),
  };
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: 2 ** 20 })],
  });
  provider.register();
  registerInstrumentations({ instrumentations: [new HttpInstrumentation()] });
}

/** So much work that a server answers about 5,000 requests per second, in one activity with one event. */
function loaded() {
  const source = defineEventSource('Bench-Loaded', {
    RequestStart: event({ method: 'string', url: 'string' }),
    RequestStop: event({ success: 'bool' }),
    CacheMiss: event({ key: 'string', size: 'uint32', ratio: 'double' }),
  });
  const rows = Array.from({ length: 24 }, (_, id) => ({ id, name: `order ${id}`, price: id * 1.5 }));
  const handle = (method, url, query) =>
    source.activity('Request', { method, url }, async () => {
      let size = 0;
      for (let i = 0; i < 8; i++) size += JSON.stringify(JSON.parse(JSON.stringify(rows))).length;
      source.CacheMiss({ key: 'user:12345678', size, ratio: 0.25 });
      return query();
    });
  return { source, handle };
}

/** Records into a file. */
function session(providers) {
  const started = startSession({ providers, output: temporaryFile() });
  return {
    close: async () => {
      const { problem, dropped, events } = await started.close();
      if (problem !== undefined || dropped > 0) throw new Error(problem ?? `${dropped} events were dropped.`);
      if (events === 0) throw new Error('Nothing was recorded.');
    },
  };
}

/** A flight recorder with all triggers. */
function ringOf(providers) {
  const triggers = { slow: { '*': { timesP99: 1000 } }, failure: true, error: true };
  const recorder = startFlightRecorder({ providers, maxBytes: 16 * 2 ** 20, ...triggers });
  return {
    close: async () => {
      if (recorder.bytes === 0) throw new Error('Nothing was recorded.');
      await recorder.close();
    },
  };
}

/** @type {Record<string, () => Promise<{ handle: Function, close?: () => Promise<unknown> }>>} */
export const variants = {
  bare: async () => ({ handle: bareHandler }),
  storage: async () => {
    const storage = new AsyncLocalStorage();
    return { handle: (...args) => storage.run({}, () => bareHandler(...args)) };
  },
  idle: async () => ({ handle: ours().handle }),
  listener: async () => {
    const { source, handle } = ours();
    let seen = 0;
    listen(source, () => seen++);
    return { handle };
  },
  session: async () => {
    const { source, handle } = ours();
    return { handle, ...session(source.name) };
  },
  loaded: async () => ({ handle: loaded().handle }),
  loadedListener: async () => {
    const { source, handle } = loaded();
    listen(source, () => {});
    return { handle };
  },
  loadedRing: async () => {
    const { source, handle } = loaded();
    return { handle, ...ringOf(source.name) };
  },
  pino: async () => {
    const pino = requirePeer('pino');
    const logger = pino(pino.destination({ dest: temporaryFile(), sync: false, minLength: 4096 }));
    return {
      handle: handlerOf((key, size, ratio) => logger.info({ key, size, ratio }, 'CacheMiss'), nothingAround),
    };
  },
  port: async () => {
    const { enableDiagnostics } = await import('tracewright/diagnostics');
    const { problem } = enableDiagnostics();
    if (problem !== undefined) throw new Error(problem);
    return { handle: bareHandler };
  },
  canary: async () => {
    const { enableRuntimeEvents, RuntimeKeywords } = await import('tracewright/runtime');
    let seen = 0;
    listen(enableRuntimeEvents(), () => seen++, { keywords: RuntimeKeywords.ThreadPool });
    return { handle: bareHandler };
  },
  autoIdle: async () => {
    await import('tracewright/auto');
    return { handle: bareHandler };
  },
  autoKept: async () => {
    await import('tracewright/auto');
    const { keepActivities } = await import('tracewright');
    keepActivities();
    return { handle: bareHandler };
  },
  autoSession: async () => {
    await import('tracewright/auto');
    return { handle: bareHandler, ...session('Node.Http') };
  },
  autoRing: async () => {
    await import('tracewright/auto');
    return { handle: bareHandler, ...ringOf('Node.Http') };
  },
  otelNowhere: async () => {
    openTelemetry((_bytes, done) => done());
    return { handle: bareHandler };
  },
  otelHttp: async () => {
    openTelemetry();
    return { handle: bareHandler };
  },
  otelSpans: async () => {
    openTelemetry();
    const { trace } = requirePeer('@opentelemetry/api');
    const tracer = trace.getTracer('benchmark');
    const handle = handlerOf(
      (key, size, ratio) => trace.getActiveSpan()?.addEvent('CacheMiss', { key, size, ratio }),
      {
        request: (_method, _url, work) => work(),
        query: (text, work) =>
          tracer.startActiveSpan('query', { attributes: { text } }, async (span) => {
            try {
              return await work();
            } finally {
              span.end();
            }
          }),
      },
    );
    return { handle };
  },
};
