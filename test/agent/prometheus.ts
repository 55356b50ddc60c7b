/** Debian's Prometheus on a free loopback port, which scrapes one address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, vi } from 'vitest';
import { isRequired } from '../../scripts/lib/require.mjs';

const path = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'prometheus'))
  .find((file) => existsSync(file));

/** Why a test is skipped; undefined where it runs. TRACEWRIGHT_REQUIRE=servers has absence fail instead of skip. */
export const noPrometheus =
  path === undefined && !isRequired('servers') ? 'there is no prometheus' : undefined;

export class Prometheus {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tracewright-prometheus-'));
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(target: URL, port: number) {
    if (path === undefined) throw new Error('There is no prometheus: install it.');
    this.#url = `http://127.0.0.1:${port}`;
    const config = join(this.#folder, 'prometheus.yml');
    const scrape = [{ job_name: 'agent', static_configs: [{ targets: [target.host] }] }];
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ global: { scrape_interval: '250ms' }, scrape_configs: scrape }));
    const options = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${this.#folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
    this.#process = spawn(path, options, { stdio: 'ignore', cwd: this.#folder });
  }

  /** @param target what it scrapes */
  static async start(target: string): Promise<Prometheus> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    await new Promise((resolve) => server.close(resolve));
    return new Prometheus(new URL(target), port);
  }

  /** The value of a query that has one, when it has one. */
  async value(query: string): Promise<number> {
    return vi.waitFor(
      async () => {
        const response = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(query)}`);
        const { data } = (await response.json()) as {
          readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
        };
        expect(data.result).toHaveLength(1);
        return Number(data.result[0]?.value[1]);
      },
      { timeout: 20_000, interval: 200 },
    );
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'close');
    this.#process.kill();
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}
