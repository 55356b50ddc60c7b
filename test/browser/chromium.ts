/** A headless Chromium for tests, controlled through its DevTools pipe, without network access. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { isRequired } from '../../scripts/lib/require.mjs';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

/** Set TRACEWRIGHT_REQUIRE=browser to have its absence fail instead of skip. */
const program = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Why tests are skipped; undefined when they are not, or must not be. */
export const skipReason =
  program === undefined && !isRequired('browser') ? 'there is no Chromium in the PATH' : undefined;

/** For the name of a suite. */
export function suiteName(what: string): string {
  return skipReason === undefined ? what : `${what} (skipped: ${skipReason})`;
}

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--window-size=1440,900',
  '--remote-debugging-pipe',
];

/** An answer, or something that has happened. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

interface Evaluation {
  readonly result: { readonly value: unknown };
  readonly exceptionDetails?: {
    readonly exception?: { readonly description?: string };
    readonly text: string;
  };
}

const VIRTUAL_KEYS: Readonly<Record<string, number>> = {
  Enter: 13,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Home: 36,
  End: 35,
  PageDown: 34,
  Tab: 9,
};
const SHIFT = 8;
const CONTROL = 2;

export class Page {
  /** Errors and warnings of the console, exceptions, and addresses that the page asked for. */
  readonly problems: string[] = [];
  readonly requests: string[] = [];
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #toBrowser: Writable;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #session: string | undefined;
  #lastId = 0;
  #left = '';

  private constructor() {
    if (program === undefined) throw new Error('There is no Chromium in the PATH.');
    this.#folder = mkdtempSync(join(tmpdir(), 'tracewright-browser-'));
    this.#process = spawn(program, [...ARGUMENTS, `--user-data-dir=${this.#folder}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [, , , toBrowser, fromBrowser] = this.#process.stdio;
    this.#toBrowser = toBrowser as Writable;
    (fromBrowser as Readable).setEncoding('utf8').on('data', (text: string) => this.#receive(text));
  }

  /** Opens a file or an address, and waits for what it shows. */
  static async open(file: string): Promise<Page> {
    const page = new Page();
    try {
      await page.#show(file);
      return page;
    } catch (error) {
      await page.close();
      throw error;
    }
  }

  async #show(file: string): Promise<void> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    this.#session = String(sessionId);
    for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await this.send(`${domain}.enable`);
    await this.navigate(file.startsWith('http:') ? file : pathToFileURL(file).href);
  }

  async navigate(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
    await this.until('document.documentElement?.dataset.ready === "true"', 60);
  }

  async close(): Promise<void> {
    const isEnded = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#session = undefined;
    await this.send('Browser.close').catch(() => {});
    await isEnded;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#lastId;
    this.#toBrowser.write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  /** The value of an expression, or of the promise that it is. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    const { result, exceptionDetails } = answer as unknown as Evaluation;
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value as T;
  }

  /** Waits for an expression to be true. */
  async until(expression: string, seconds = 10): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (!(await this.evaluate<boolean>(`Boolean(${expression})`))) {
      if (performance.now() > end) throw new Error(`Not so after ${seconds} seconds: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  text(selector: string): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
  }

  /** @param key `Enter`, `w`, `Shift+ArrowDown` */
  async press(key: string): Promise<void> {
    const isShifted = key.startsWith('Shift+');
    const name = isShifted ? key.slice(6) : key;
    const event = {
      key: name,
      modifiers: isShifted ? SHIFT : 0,
      windowsVirtualKeyCode: VIRTUAL_KEYS[name] ?? name.toUpperCase().charCodeAt(0),
      text: name.length === 1 ? name : name === 'Enter' ? '\r' : undefined,
    };
    await this.send('Input.dispatchKeyEvent', { ...event, type: 'keyDown' });
    await this.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp', text: undefined });
  }

  async type(text: string): Promise<void> {
    await this.send('Input.insertText', { text });
  }

  async move(x: number, y: number, buttons = 0): Promise<void> {
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y, buttons });
  }

  async click(x: number, y: number): Promise<void> {
    await this.drag([x, y], [x, y]);
  }

  async drag(from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    const button = { button: 'left', buttons: 1, clickCount: 1 };
    const send = (type: string, [x, y]: readonly [number, number]) =>
      this.send('Input.dispatchMouseEvent', { type, x, y, ...button });
    await send('mousePressed', from);
    if (from[0] !== to[0] || from[1] !== to[1]) await this.move(to[0], to[1], 1);
    await send('mouseReleased', to);
  }

  async wheel(x: number, y: number, deltaY: number, isControlled: boolean): Promise<void> {
    const modifiers = isControlled ? CONTROL : 0;
    await this.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY, modifiers });
  }

  /** @returns a PNG file */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot');
    return Buffer.from(String(data), 'base64');
  }

  #receive(text: string): void {
    const messages = (this.#left + text).split('\0');
    this.#left = messages.pop() ?? '';
    for (const message of messages) this.#take(JSON.parse(message) as Message);
  }

  #take(message: Message): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
      return;
    }
    const told = JSON.stringify(message.params);
    const isProblem =
      message.method === 'Runtime.exceptionThrown' ||
      message.method === 'Log.entryAdded' ||
      message.method === 'Runtime.consoleAPICalled';
    if (isProblem) this.problems.push(told);
    if (message.method === 'Network.requestWillBeSent') {
      this.requests.push(String((message.params?.request as { readonly url?: unknown } | undefined)?.url));
    }
  }
}
