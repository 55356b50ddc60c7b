/**
 * Sends requests to a collector by OTLP over HTTP, one at a time. Requests that cannot be sent now wait in bounded
 * memory; those that cannot be sent at all are dropped and counted by reason.
 *
 * Source: the OpenTelemetry Protocol specification, 1.5, "OTLP/HTTP".
 */
import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { thrownMessage } from '../base/value-text.ts';

/** The destination of requests. */
export interface OtlpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding: 'json' | 'protobuf';
  readonly isCompressed: boolean;
  /** Each attempt may take so many milliseconds. */
  readonly timeout: number;
}

/**
 * - `queueFull`: the collector is too slow, or was unreachable for too long
 * - `expired`: it was unreachable for five minutes
 * - `refused`: it replied with an error for which repeating does not help
 * - `rejected`: it accepted the request, but not these spans
 * - `closed`: they could not be sent in time before the end
 */
export type OtlpDropReason = 'queueFull' | 'expired' | 'refused' | 'rejected' | 'closed';

/** The counts of spans, or of profiles, so far. */
export interface OtlpResult {
  readonly sent: number;
  readonly dropped: Readonly<Record<OtlpDropReason, number>>;
  /** Why the last attempt failed, as a sentence. */
  readonly problem: string | undefined;
}

const compressed = promisify(gzip);

interface Waiting {
  readonly body: Uint8Array;
  /** The body as it is sent, made at the first attempt. */
  sent: Uint8Array | undefined;
  readonly spans: number;
  readonly since: number;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

const MAX_QUEUE_BYTES = 16 << 20;
/** The sender repeats a request for this long. */
const MAX_AGE_MS = 300_000;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;
const MAX_ANSWER_BYTES = 1 << 16;
const REPEATABLE = [429, 502, 503, 504];

export class OtlpSender {
  readonly #target: OtlpTarget;
  readonly #observeNothing: (send: () => ClientRequest) => ClientRequest;
  readonly #agent: PlainAgent;
  readonly #queue: Waiting[] = [];
  #queueBytes = 0;
  #running: Promise<void> | undefined;
  #endPause: (() => void) | undefined;
  #sent = 0;
  #problem: string | undefined;
  readonly #dropped = { queueFull: 0, expired: 0, refused: 0, rejected: 0, closed: 0 };
  #isClosed = false;

  /** @param observeNothing calls the function without tracing what it does */
  constructor(target: OtlpTarget, observeNothing = (send: () => ClientRequest): ClientRequest => send()) {
    this.#target = target;
    this.#observeNothing = observeNothing;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent = target.url.protocol === 'https:' ? new TlsAgent(options) : new PlainAgent(options);
  }

  get result(): OtlpResult {
    return { sent: this.#sent, dropped: { ...this.#dropped }, problem: this.#problem };
  }

  /** Takes a request with this number of spans or profiles, and sends it as soon as possible. */
  add(request: string | Uint8Array, spans: number): void {
    const body = typeof request === 'string' ? Buffer.from(request) : request;
    if (this.#isClosed) this.#dropped.closed += spans;
    else if (this.#queueBytes + body.length > MAX_QUEUE_BYTES) this.#dropped.queueFull += spans;
    else {
      const sent = this.#target.isCompressed ? undefined : body;
      this.#queue.push({ body, sent, spans, since: performance.now() });
      this.#queueBytes += body.length;
      this.#running ??= this.#run();
    }
  }

  /** Resolves when everything taken so far has been sent or dropped, at the latest after this time. Never rejects. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#running === undefined) return;
    this.#endPause?.();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#running, timeout]);
    clearTimeout(timer);
  }

  /** Sends what it can in this time, and drops the rest. */
  async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs);
    this.#isClosed = true;
    for (const { spans } of this.#queue.splice(0)) this.#dropped.closed += spans;
    this.#endPause?.();
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const wait = await this.#attempt(next);
      if (wait === undefined) {
        pause = FIRST_PAUSE_MS;
        this.#forget(next);
      } else if (performance.now() - next.since > MAX_AGE_MS) {
        this.#dropped.expired += next.spans;
        this.#forget(next);
      } else if (!this.#isClosed) {
        // Many processes must not retry at the same moment.
        await this.#pause(wait ?? pause * (0.5 + Math.random()));
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
    this.#running = undefined;
  }

  #forget(done: Waiting): void {
    this.#queueBytes -= done.body.length;
    // Closing empties the queue.
    if (this.#queue[0] === done) this.#queue.shift();
  }

  /**
   * @returns undefined if it is done; otherwise the pause before it is repeated in ms, or null if the collector names
   * none
   */
  async #attempt(waiting: Waiting): Promise<number | null | undefined> {
    const { body, spans } = waiting;
    let answer: Answer;
    try {
      waiting.sent ??= await compressed(body);
      answer = await this.#post(waiting.sent);
    } catch (error) {
      this.#problem = `${this.#target.url.origin} cannot be reached: ${thrownMessage(error) || 'unknown error'}.`;
      return null;
    }
    // Requests given up meanwhile have been counted.
    if (this.#isClosed) return undefined;
    const { status, retryAfter } = answer;
    if (status >= 200 && status < 300) {
      const rejected = Math.min(spans, rejectedSpans(answer.body, this.#target.encoding));
      this.#dropped.rejected += rejected;
      this.#sent += spans - rejected;
      return undefined;
    }
    this.#problem = `${this.#target.url.origin} answered with status ${status}.`;
    if (REPEATABLE.includes(status)) return retryAfter === undefined ? null : pauseOf(retryAfter);
    this.#dropped.refused += spans;
    return undefined;
  }

  #post(body: Uint8Array): Promise<Answer> {
    const { url, headers, encoding, isCompressed, timeout } = this.#target;
    const options = {
      method: 'POST',
      agent: this.#agent,
      signal: AbortSignal.timeout(timeout),
      headers: {
        'user-agent': 'OTel-OTLP-Exporter-JavaScript/tracewright',
        ...headers,
        'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
        'content-length': body.length,
        ...(isCompressed && { 'content-encoding': 'gzip' }),
      },
    };
    return new Promise((resolve, reject) => {
      this.#observeNothing(() => {
        const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options);
        request.on('error', reject).on('response', (response) => {
          readAnswer(response).then(resolve, reject);
        });
        return request.end(body);
      });
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      // Requests that cannot be sent must not keep the process alive.
      const timer = setTimeout(resolve, ms).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MAX_ANSWER_BYTES) parts.push(part);
  }
  const { statusCode = 0, headers } = response;
  return { status: statusCode, retryAfter: headers['retry-after'], body: Buffer.concat(parts) };
}

/** Parses seconds, or a date. */
function pauseOf(retryAfter: string): number | null {
  const ms = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_AGE_MS);
}

/** ExportTraceServiceResponse { 1 partial_success { 1 rejected_spans } }, of profiles likewise; 0 for anything else. */
function rejectedSpans(answer: Buffer, encoding: 'json' | 'protobuf'): number {
  if (encoding === 'json') {
    try {
      const { rejectedSpans, rejectedProfiles } = JSON.parse(String(answer)).partialSuccess;
      return Number(rejectedSpans ?? rejectedProfiles) || 0;
    } catch {
      return 0;
    }
  }
  if (answer[0] !== 0x0a || answer[2] !== 0x08) return 0;
  let count = 0;
  for (let i = 3, scale = 1; i < answer.length; i++, scale *= 128) {
    const byte = answer[i] as number;
    count += (byte & 127) * scale;
    if (byte < 128) return count;
  }
  return 0;
}
