/**
 * `tracewright/winston`: the activity's ids in winston's lines, and its lines as events. By what winston offers, so that
 * no copy of it is loaded from here.
 */
import { Writable } from 'node:stream';
import { shown } from '../base/value-text.ts';
import { LINE_IDS, lineIds } from '../logs/line-ids.ts';
import { type LogEventOptions, LogEvents, type LogLine, levelOfName } from '../logs/log-events.ts';
import { checkOptionNames } from '../source/definition-checks.ts';

/** Under which winston's lines have what formats may not change. Source: triple-beam. */
const LEVEL = Symbol.for('level');

/**
 * For winston's option `defaultMeta`: puts the ids of the running code's activity into each line, as `activityId`,
 * `activityPath` and, of the trace across processes, `trace_id`, `span_id` and `trace_flags`. Outside of any activity,
 * and while nobody wants activities, lines stay as they are.
 *
 * No format could do this: winston runs formats later, elsewhere, while a transport is slow.
 *
 * @param own the application's own members
 */
export function activityMeta(own: object = {}): object {
  // winston copies its members line by line, with Object.assign.
  return new Proxy(Object.defineProperties({}, Object.getOwnPropertyDescriptors(own)), {
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(lineIds())])],
    getOwnPropertyDescriptor: (target, name) =>
      Reflect.getOwnPropertyDescriptor(target, name) ?? descriptorOf(name),
    get: (target, name, receiver) =>
      Reflect.has(target, name) ? Reflect.get(target, name, receiver) : descriptorOf(name)?.value,
  });
}

function descriptorOf(name: string | symbol): PropertyDescriptor | undefined {
  if (!LINE_IDS.has(name)) return undefined;
  const descriptor = Reflect.getOwnPropertyDescriptor(lineIds(), name);
  return descriptor && { ...descriptor, configurable: true, writable: true };
}

export interface WinstonTransportOptions extends LogEventOptions {
  /** This level and the more severe ones; the logger's unless given. */
  readonly level?: string;
}

/** What of a line is told apart. */
interface Info extends Readonly<Record<string | symbol, unknown>> {
  readonly level?: unknown;
  readonly message?: unknown;
}

/** What a logger says of itself to a transport. */
interface Parent {
  readonly level?: string;
  readonly levels?: Readonly<Record<string, number>>;
}

/** One of winston's transports: each line is an event. */
export class EventTransport extends Writable {
  /** See `WinstonTransportOptions`; may be changed. */
  level: string | undefined;
  silent = false;
  readonly #events: LogEvents;
  #parent: Parent | undefined;

  constructor(options: WinstonTransportOptions = {}) {
    super({ objectMode: true });
    checkOptionNames('EventTransport', options, ['provider', 'level']);
    this.level = options.level;
    this.#events = new LogEvents(options);
    this.once('pipe', (logger) => {
      this.#parent = logger as unknown as Parent;
    });
  }

  override _write(info: Info, _: BufferEncoding, done: () => void): void {
    this.log(info, done);
  }

  /** What winston knows a transport by. */
  log(info: Info, done: () => void): void {
    try {
      const name = String(info[LEVEL] ?? info.level);
      if (this.#takes(name)) this.#events.write(levelOfName(name), () => lineOf(info, name));
    } catch {
      // A line that cannot be read is no reason to hold up the others.
    }
    done();
  }

  #takes(name: string): boolean {
    if (this.silent) return false;
    const { levels = {}, level: ofLogger } = this.#parent ?? {};
    const most = levels[this.level ?? ofLogger ?? ''];
    const own = levels[name];
    return most === undefined || own === undefined || own <= most;
  }
}

function lineOf(info: Info, levelName: string): LogLine {
  const { level, message, stack, label, activityId, activityPath, ...fields } = info;
  return {
    message: typeof message === 'string' ? message : shown(message),
    levelName,
    logger: typeof label === 'string' ? label : undefined,
    error: typeof stack === 'string' ? stack : undefined,
    fields,
    activityId: typeof activityId === 'string' ? activityId : undefined,
  };
}
