/**
 * `tracewright/winston`: the activity's ids in winston's lines, and its lines as events. It only uses winston's
 * extension points, and loads no copy of winston.
 */
import { Writable } from 'node:stream';
import { shown } from '../base/value-text.ts';
import { LINE_IDS, lineIds } from '../logs/line-ids.ts';
import {
  LOG_EVENT_OPTIONS,
  type LogEventOptions,
  LogEvents,
  type LogLine,
  levelOfName,
} from '../logs/log-events.ts';
import { checkOptionNames } from '../source/definition-checks.ts';

/** The key of a line's original level, which formats may not change. Source: triple-beam. */
const LEVEL = Symbol.for('level');

/**
 * Makes a value of winston's option `defaultMeta`. It adds the ids of the running code's activity to each line, as `activityId`,
 * `activityPath` and, for a distributed trace, `trace_id`, `span_id` and `trace_flags`. Outside activities, and while
 * nobody wants activities, lines do not change.
 *
 * A format cannot do this: while a transport is slow, winston runs formats later and in another context.
 *
 * @param own the application's own members
 */
export function activityMeta(own: object = {}): object {
  // winston copies its members for every line, with Object.assign.
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
  /** This level and the more severe ones; the default is the logger's. */
  readonly level?: string;
}

/** The members of a line used here. */
interface Info extends Readonly<Record<string | symbol, unknown>> {
  readonly level?: unknown;
  readonly message?: unknown;
}

/** What a transport needs to know about its logger. */
interface Parent {
  readonly level?: string;
  readonly levels?: Readonly<Record<string, number>>;
}

/** A winston transport that writes each line as an event. */
export class EventTransport extends Writable {
  /** See `WinstonTransportOptions`; can be changed. */
  level: string | undefined;
  silent = false;
  readonly #events: LogEvents;
  #parent: Parent | undefined;

  constructor(options: WinstonTransportOptions = {}) {
    super({ objectMode: true });
    checkOptionNames('EventTransport', options, [...LOG_EVENT_OPTIONS, 'level']);
    this.level = options.level;
    this.#events = new LogEvents(options);
    this.once('pipe', (logger) => {
      this.#parent = logger as unknown as Parent;
    });
  }

  override _write(info: Info, _: BufferEncoding, done: () => void): void {
    this.log(info, done);
  }

  /** The method that winston expects of a transport. */
  log(info: Info, done: () => void): void {
    try {
      const name = String(info[LEVEL] ?? info.level);
      if (this.#takes(name)) this.#events.write(levelOfName(name), () => lineOf(info, name));
    } catch {
      // A line that cannot be read must not block the others.
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
