/** `tracewright/console`: the output of `console.log` and its siblings as events. */
import { Console } from 'node:console';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Writable } from 'node:stream';
import { format } from 'node:util';
import { isAnError, thrownTextWithStack } from '../base/value-text.ts';
import {
  LOG_EVENT_OPTIONS,
  type LogEventOptions,
  LogEvents,
  type LogLine,
  levelOfName,
} from '../logs/log-events.ts';
import { checkOptionNames } from '../source/definition-checks.ts';

/**
 * The methods with a Node.js channel; `console.trace` prints through `error`, `console.dir` and others through `log`.
 */
const METHODS = ['log', 'info', 'debug', 'warn', 'error'] as const;
type Method = (typeof METHODS)[number];

/** Console output as events, until it is closed. */
export interface ObservedConsole {
  /** Stops writing events. */
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Writes what this thread prints with `console` as events, too. Node.js 22 and later publish it; on Node.js 20, the
 * methods of `console` are replaced by wrappers.
 */
export function consoleEvents(options: LogEventOptions = {}): ObservedConsole {
  checkOptionNames('consoleEvents', options, LOG_EVENT_OPTIONS);
  const events = new LogEvents(options);
  const observe = hasChannels() ? subscribed : wrapped;
  const ends = METHODS.map((method) => {
    const level = levelOfName(method);
    return observe(method, (values) => events.write(level, () => lineOf(method, values)));
  });
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const end of ends) end();
    events.close();
  };
  return { close, [Symbol.dispose]: close };
}

function lineOf(levelName: Method, values: readonly unknown[]): LogLine {
  const error = values.find(isAnError);
  return {
    message: format(...values),
    levelName,
    error: error === undefined ? undefined : thrownTextWithStack(error),
  };
}

type Observe = (method: Method, tell: (values: readonly unknown[]) => void) => () => void;

const channelOf = (method: Method) => `console.${method}`;

const subscribed: Observe = (method, tell) => {
  const handler = (values: unknown) => tell(values as readonly unknown[]);
  subscribe(channelOf(method), handler);
  return () => unsubscribe(channelOf(method), handler);
};

const wrapped: Observe = (method, tell) => {
  const original = console[method];
  let isTold = true;
  const replacement = function (this: unknown, ...values: unknown[]): void {
    if (isTold) tell(values);
    Reflect.apply(original, this, values);
  };
  Object.defineProperty(replacement, 'name', { value: method });
  console[method] = replacement;
  return () => {
    isTold = false;
    // Unless somebody else has replaced it since.
    if (console[method] === replacement) console[method] = original;
  };
};

/** Whether Node.js publishes console output; tested with a console that prints nothing. */
function hasChannels(): boolean {
  let isPublished = false;
  const end = subscribed('debug', () => {
    isPublished = true;
  });
  new Console(new Writable({ write: (_chunk, _encoding, done) => done() })).debug();
  end();
  return isPublished;
}
