/**
 * Serves a live view to a browser on the same machine, and to nobody else: it listens on the loopback address, at a
 * path that contains a random token, and answers only requests that name that address as their host, which keeps out
 * pages of other sites whose name leads here (DNS rebinding).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Guests } from '../../base/guests.ts';
import { pagePart, policyOf, reportHtml } from '../report/report-html.ts';
import type { LiveFeed } from './live-feed.ts';

/** A small program that asks for nothing but its updates. */
interface LivePage {
  readonly html: string;
  /** The header Content-Security-Policy has this value. */
  readonly policy: string;
}

const HOST = '127.0.0.1';
const UPDATE_MS = 250;
/** Shows the connection that it is alive, while there are no events. */
const SILENCE_MS = 10_000;
const TOKEN_BYTES = 24;
const MAX_VIEWERS = 8;
/** Bytes that wait for a slow browser: it gets no updates until they are fewer. */
const MAX_WAITING = 4 << 20;

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

interface Viewer {
  readonly response: ServerResponse;
  /** The number of events that it has been sent or told of, by source. */
  seen: ReadonlyMap<number, number>;
  sentAt: number;
}

export class LiveServer {
  readonly #feed: LiveFeed;
  readonly #page: LivePage;
  readonly #token = randomBytes(TOKEN_BYTES).toString('base64url');
  readonly #server: Server;
  readonly #guests: Guests;
  readonly #viewers = new Set<Viewer>();
  readonly #timer: NodeJS.Timeout;

  private constructor(feed: LiveFeed, page: LivePage) {
    this.#feed = feed;
    this.#page = page;
    this.#server = createServer({ maxHeaderSize: 8192 }, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#guests = new Guests(this.#server);
    this.#timer = setInterval(() => this.#update(), UPDATE_MS);
  }

  /** @throws the system's error if it cannot listen */
  static async open(feed: LiveFeed): Promise<LiveServer> {
    const live = new LiveServer(feed, await livePage());
    try {
      await new Promise<void>((resolve, reject) => {
        live.#server.once('error', reject).listen(0, HOST, resolve);
      });
      return live;
    } catch (error) {
      clearInterval(live.#timer);
      throw error;
    }
  }

  /** The address for the user's browser: whoever knows it sees the events. */
  get url(): string {
    return `http://${this.#host}/${this.#token}/`;
  }

  /** Sends the last events, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#update();
    for (const { response } of this.#viewers) response.end('event: end\ndata:\n\n');
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    // A browser that does not read keeps nothing open.
    setTimeout(() => this.#server.closeAllConnections(), UPDATE_MS).unref();
    await closed;
  }

  get #host(): string {
    return `${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) {
      response.shouldKeepAlive = false;
      send(response, refusal, 'text/plain', '');
      return;
    }
    this.#guests.admit(request.socket);
    const path = (request.url ?? '').slice(this.#token.length + 2);
    const [, number] = /^report\/(\d{1,9})$/.exec(path) ?? [];
    if (path === '') send(response, 200, 'text/html; charset=utf-8', this.#page.html, this.#page.policy);
    else if (path === 'updates') this.#addViewer(response);
    else if (number !== undefined) await this.#report(Number(number), response);
    else send(response, 404, 'text/plain', '');
  }

  /** The status of a request that is not for the page's own browser. */
  #refusalOf({ method, url = '', headers }: IncomingMessage): number | undefined {
    const site = headers['sec-fetch-site'];
    // The user may follow a link in another page, such as that of a terminal.
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (headers.host !== this.#host || (isForeign && headers['sec-fetch-mode'] !== 'navigate')) return 403;
    if (headers.origin !== undefined && headers.origin !== `http://${this.#host}`) return 403;
    const given = Buffer.from(url.slice(1, 1 + this.#token.length));
    const token = Buffer.from(this.#token);
    const isKnown = given.length === token.length && timingSafeEqual(given, token);
    if (!isKnown || url[1 + token.length] !== '/') return 404;
    return method === 'GET' ? undefined : 405;
  }

  #addViewer(response: ServerResponse): void {
    if (this.#viewers.size >= MAX_VIEWERS) {
      send(response, 503, 'text/plain', '');
      return;
    }
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
    const viewer: Viewer = { response, seen: new Map(), sentAt: 0 };
    this.#viewers.add(viewer);
    response.on('close', () => this.#viewers.delete(viewer));
    this.#send(viewer);
  }

  async #report(number: number, response: ServerResponse): Promise<void> {
    const source = this.#feed.source(number);
    if (source === undefined) {
      send(response, 404, 'text/plain', '');
      return;
    }
    response.writeHead(200, {
      ...HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "frame-ancestors 'none'",
    });
    for await (const piece of reportHtml(source.report())) {
      if (response.destroyed) return;
      if (!response.write(piece))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
    response.end();
  }

  #update(): void {
    for (const viewer of this.#viewers) {
      const { response, seen, sentAt } = viewer;
      if (response.writableLength > MAX_WAITING) continue;
      const { counts } = this.#feed;
      const isNew = [...counts].some(([number, count]) => seen.get(number) !== count);
      if (isNew || performance.now() - sentAt > SILENCE_MS) this.#send(viewer);
    }
  }

  #send(viewer: Viewer): void {
    const update = this.#feed.update(viewer.seen);
    viewer.seen = this.#feed.counts;
    viewer.sentAt = performance.now();
    viewer.response.write(`data: ${JSON.stringify(update)}\n\n`);
  }
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  policy = "default-src 'none'",
): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': type, 'Content-Security-Policy': policy });
  response.end(body);
}

async function livePage(): Promise<LivePage> {
  const [template, common, own, script] = await Promise.all([
    pagePart('live.html'),
    pagePart('report.css'),
    pagePart('live.css'),
    pagePart('live.js'),
  ]);
  const [start = '', middle = '', end = ''] = template.split(/<!-- style -->|<!-- script -->/);
  const style = common + own;
  return {
    html: `${start}<style>${style}</style>${middle}<script>${script}</script>${end}`,
    policy: `${policyOf(style, script)}; connect-src 'self'; frame-ancestors 'none'`,
  };
}
