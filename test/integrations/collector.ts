/** A collector on a free loopback port that decodes requests with OpenTelemetry's own package. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { OtlpRequest, OtlpSpan } from '../../lib/wire/otlp.ts';
import { installedTools } from '../consumers/application.ts';

const tools = installedTools({ '@opentelemetry/otlp-transformer': '0.52.0', '@opentelemetry/api': '1.9.0' });

/** Why tests are skipped; undefined when they are not. */
export const skipReason = 'reason' in tools ? tools.reason : undefined;

interface Decoder {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): unknown;
}

interface Generated {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: { readonly trace: { readonly v1: { ExportTraceServiceRequest: Decoder } } };
      readonly trace: { readonly v1: { ResourceSpans: Decoder } };
    };
  };
}

function definitions(): Generated['opentelemetry']['proto'] {
  const require = createRequire(join('folder' in tools ? tools.folder : '', 'package.json'));
  const transformer = require.resolve('@opentelemetry/otlp-transformer');
  const { opentelemetry } = require(join(transformer, '../generated/root.js')) as Generated;
  return opentelemetry.proto;
}

/** A ProcessContext, newer than the package, has the resource as its first field, as ResourceSpans do. */
export function decodedContext(bytes: Uint8Array): unknown {
  const decoder = definitions().trace.v1.ResourceSpans;
  return decoder.toObject(decoder.decode(bytes), { longs: String });
}

function decoded(bytes: Uint8Array): OtlpRequest {
  const decoder = definitions().collector.trace.v1.ExportTraceServiceRequest;
  const object = decoder.toObject(decoder.decode(bytes), { longs: String, bytes: String, defaults: true });
  return JSON.parse(JSON.stringify(object), (key, member) =>
    /^(trace|span|parentSpan)Id$/.test(key) ? Buffer.from(member, 'base64').toString('hex') : member,
  );
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came, before decompression. */
  readonly body: Buffer;
}

export class Collector {
  readonly url: string;
  readonly received: Received[] = [];
  readonly #server;
  /** Called for each request; answers it. */
  answer: (response: ServerResponse, received: Received) => void = (response) => response.end();

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) };
      this.received.push(received);
      this.answer(response, received);
      this.#server.emit('received');
    });
  }

  static async open(): Promise<Collector> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Collector(server);
  }

  /** Waits for this many requests. */
  async has(count: number): Promise<void> {
    while (this.received.length < count) await once(this.#server, 'received');
  }

  get requests(): readonly OtlpRequest[] {
    return this.received.map(({ headers, body }) => {
      const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      return headers['content-type'] === 'application/json' ? JSON.parse(String(bytes)) : decoded(bytes);
    });
  }

  get spans(): readonly OtlpSpan[] {
    return this.requests
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
