/** The agent's own counters at /metrics, for Prometheus. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Guests } from '../base/guests.ts';
import { systemCodeText } from '../base/system-code.ts';
import { type AgentCounters, prometheusText } from './agent-counters.ts';

const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export class MetricsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws Error with a sentence */
  static async listen(counters: AgentCounters, host: string, port: number): Promise<MetricsServer> {
    const server = createServer((request, response) => {
      const isMetrics = request.url?.split('?', 1)[0] === '/metrics';
      const status = isMetrics ? (request.method === 'GET' ? 200 : 405) : 404;
      // Nobody is known here, and stays: each connection has one request.
      response.shouldKeepAlive = false;
      response.writeHead(status, { 'content-type': TEXT_TYPE });
      response.end(status === 200 ? prometheusText(counters) : undefined);
    });
    new Guests(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        reject(new Error(`Nothing can listen at ${host}:${port} for metrics (${systemCodeText(error)}).`));
      });
      server.listen(port, host, resolve);
    });
    return new MetricsServer(server);
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
