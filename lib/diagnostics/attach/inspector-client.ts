/**
 * A connection to the inspector of a Node.js process: the Chrome DevTools Protocol over a WebSocket. Node.js 20 has no
 * client for it. What the other side sends is limited, because it need not be an inspector.
 *
 * Sources: RFC 6455; https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#method-evaluate.
 */
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { ownCode } from '../../base/evaluated-code.ts';

const ANSWER_MS = 10_000;
const LIST_MS = 2000;
const MAX_LIST = 64 << 10;
const MAX_MESSAGE = 1 << 20;

const FIN_TEXT = 0x81;
const TEXT = 1;
const CLOSE = 8;
const MASKED = 0x80;
const MEDIUM = 126;
const LARGE = 127;

interface InspectorAddress {
  readonly host: string;
  readonly port: number;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

interface Evaluated {
  readonly result?: { readonly value?: unknown; readonly objectId?: string };
  readonly exceptionDetails?: {
    readonly text?: string;
    readonly exception?: { readonly description?: string };
  };
}

export class InspectorClient {
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>;
  /** Gets the events of the protocol. */
  onEvent: (method: string, params: unknown) => void = () => {};
  readonly #socket: Socket;
  readonly #answers = new Map<number, (message: Message | undefined) => void>();
  #received: Buffer;
  #lastId = 0;

  private constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#received = head;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.closed.then(() => {
      for (const answer of this.#answers.values()) answer(undefined);
    });
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#read();
    });
  }

  /** @returns undefined if no inspector listens there */
  static async connect(address: InspectorAddress): Promise<InspectorClient | undefined> {
    const path = pathIn(await listOf(address));
    return path === undefined
      ? undefined
      : upgraded(address, path, (...args) => new InspectorClient(...args));
  }

  /** @throws Error with what the code has thrown, or why there is no answer */
  async evaluate(expression: string): Promise<unknown> {
    return valueIn(await this.send('Runtime.evaluate', evaluation(expression)));
  }

  /** @throws Error */
  send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('its inspector does not answer')), ANSWER_MS);
      this.#answers.set(id, (message) => {
        clearTimeout(timer);
        this.#answers.delete(id);
        if (message === undefined) reject(new Error('its inspector was closed meanwhile'));
        else if (message.error !== undefined) reject(new Error(String(message.error.message)));
        else resolve(message.result);
      });
      if (this.#socket.destroyed) this.#answers.get(id)?.(undefined);
      else this.#socket.write(frameOf(JSON.stringify({ id, method, params })));
    });
  }

  /** The port of its own end of the connection. */
  get localPort(): number | undefined {
    return this.#socket.localPort;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Node.js sends each message in one frame. */
  #read(): void {
    for (;;) {
      const frame = frameIn(this.#received);
      if (frame === undefined) return;
      if (frame.end > MAX_MESSAGE) this.close();
      if (frame.end > Math.min(this.#received.length, MAX_MESSAGE)) return;
      const text = this.#received.toString('utf8', frame.start, frame.end);
      this.#received = this.#received.subarray(frame.end);
      if (frame.kind === TEXT) this.#take(text);
      // An inspector that is being closed waits for this.
      else if (frame.kind === CLOSE) this.close();
    }
  }

  #take(text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      this.close();
      return;
    }
    if (message.id !== undefined) this.#answers.get(message.id)?.(message);
    else if (message.method !== undefined) this.onEvent(message.method, message.params);
  }
}

/**
 * The parameters of Runtime.evaluate.
 *
 * @param returnByValue otherwise the result is a reference to an object there
 */
export function evaluation(expression: string, returnByValue = true): object {
  const code = ownCode(expression);
  return { expression: code, returnByValue, awaitPromise: false, silent: true, includeCommandLineAPI: true };
}

/** @throws Error with what the code has thrown */
export function valueIn(answer: unknown): unknown {
  return resultIn(answer)?.value;
}

/** @throws Error with what the code has thrown */
export function resultIn(answer: unknown): Evaluated['result'] {
  const { result, exceptionDetails } = (answer ?? {}) as Evaluated;
  if (exceptionDetails === undefined) return result;
  const { exception, text } = exceptionDetails;
  throw new Error(String(exception?.description ?? text).split('\n', 1)[0]);
}

function listOf({ host, port }: InspectorAddress): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const request = get({ host, port, path: '/json/list', agent: false, timeout: LIST_MS }, (response) => {
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.length > MAX_LIST) request.destroy();
      });
      response.on('end', () => resolve(text));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(''));
    request.on('close', () => resolve(''));
  });
}

/** The path of the first WebSocket in the inspector's list. */
function pathIn(list: string): string | undefined {
  try {
    const [{ webSocketDebuggerUrl }] = JSON.parse(list) as [{ webSocketDebuggerUrl: string }];
    return new URL(webSocketDebuggerUrl).pathname;
  } catch {
    return undefined;
  }
}

function upgraded<T>(
  { host, port }: InspectorAddress,
  path: string,
  create: (socket: Socket, head: Buffer) => T,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      'Sec-WebSocket-Version': '13',
    };
    const request = get({ host, port, path, headers, agent: false, timeout: LIST_MS }, (response) => {
      response.destroy();
      resolve(undefined);
    });
    request.on('upgrade', (_response, socket: Socket, head: Buffer) => {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      resolve(create(socket, head));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

/** The mask protects proxies from scripts in browsers, and there are neither: its key is 0, which changes nothing. */
function frameOf(text: string): Buffer {
  const size = Buffer.byteLength(text);
  const header = Buffer.alloc(14);
  header[0] = FIN_TEXT;
  header[1] = MASKED | LARGE;
  header.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([header, Buffer.from(text)]);
}

/** @returns where the first frame has its content, which need not have arrived; undefined if that is not known so far */
function frameIn(
  bytes: Buffer,
): { readonly kind: number; readonly start: number; readonly end: number } | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const start = second === LARGE ? 10 : second === MEDIUM ? 4 : 2;
  if (bytes.length < start) return undefined;
  const size =
    second === LARGE ? Number(bytes.readBigUInt64BE(2)) : second === MEDIUM ? bytes.readUInt16BE(2) : second;
  return { kind: first & 0xf, start, end: start + size };
}
