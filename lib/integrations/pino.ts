/**
 * `tracewright/pino`: the activity's ids in pino's lines, and its lines as events. By what pino offers, so that no copy
 * of it is loaded from here.
 */
import { Writable } from 'node:stream';
import { lineIds } from '../logs/line-ids.ts';
import { type LogEventOptions, LogEvents, type LogLine, levelOfName } from '../logs/log-events.ts';
import { Level } from '../source/constants.ts';
import { checkOptionNames } from '../source/definition-checks.ts';

/** pino's option `mixin`. */
export type PinoMixin = (mergeObject: object, level: number, logger?: unknown) => object;

export interface PinoEventOptions extends LogEventOptions {
  /** pino's option of the same name; `msg` unless given. */
  readonly messageKey?: string;
  /** pino's option of the same name; `err` unless given. */
  readonly errorKey?: string;
}

/**
 * For pino's option `mixin`: puts the ids of the running code's activity into each line, as `activityId`,
 * `activityPath` and, of the trace across processes, `trace_id`, `span_id` and `trace_flags`. Outside of any activity,
 * and while nobody wants activities, lines stay as they are.
 *
 * @param own the application's own mixin, whose members come first
 */
export function activityMixin(
  own?: PinoMixin,
): (mergeObject: object, level: number, logger?: unknown) => object {
  // A new object each time: pino writes into it.
  if (own === undefined) return () => ({ ...lineIds() });
  return (mergeObject, level, logger) => ({ ...own(mergeObject, level, logger), ...lineIds() });
}

/** One of pino's destinations, as `pino.multistream` takes them. */
export interface PinoEventStream {
  write(line: string): void;
  /** Does nothing: `pino.multistream` calls it when it is ended. */
  end(): void;
}

/**
 * For `pino.multistream`, as `{ level: 'trace', stream: eventStream() }`: each line is an event, written where it is
 * logged, and so in its activity. Who listens says which levels are wanted.
 */
export function eventStream(options: PinoEventOptions = {}): PinoEventStream {
  const lines = new PinoLines('eventStream', options);
  return {
    // pino then says of each line which level it has.
    [Symbol.for('pino.metadata')]: true,
    write(this: { lastLevel?: unknown }, line: string): void {
      lines.write(line, this.lastLevel);
    },
    end: () => {},
  } as PinoEventStream;
}

/** Longer lines are left out. */
const MAX_LINE = 1 << 20;

/**
 * For pino's option `transport`: `{ target: 'tracewright/pino' }`. Each line is an event, written by pino's worker
 * thread. What it belongs to is in the line if the logger has the mixin, else unknown.
 */
export default function transport(options: PinoEventOptions = {}): Writable {
  const lines = new PinoLines('tracewright/pino', options, true);
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      if (rest.length > MAX_LINE) rest = '';
      for (const line of parts) if (line !== '') lines.write(line);
      done();
    },
  });
}

interface ParsedLine extends Readonly<Record<string, unknown>> {
  readonly level?: unknown;
  readonly name?: unknown;
  readonly activityId?: unknown;
}

class PinoLines {
  readonly #events: LogEvents;
  readonly #messageKey: string;
  readonly #errorKey: string;
  readonly #isElsewhere: boolean;

  /** @param isElsewhere whether lines are written on another thread than they are logged on */
  constructor(place: string, options: PinoEventOptions, isElsewhere = false) {
    checkOptionNames(place, options, ['provider', 'messageKey', 'errorKey']);
    this.#events = new LogEvents(options);
    this.#messageKey = options.messageKey ?? 'msg';
    this.#errorKey = options.errorKey ?? 'err';
    this.#isElsewhere = isElsewhere;
  }

  /** @param level as a number, where pino says it; else it is in the line */
  write(line: string, level?: unknown): void {
    if (typeof level === 'number') {
      this.#events.write(levelOf(level), () => this.#read(line, parsed(line)));
    } else if (this.#events.isWanted) {
      const fields = parsed(line);
      this.#events.write(levelOf(fields?.level), () => this.#read(line, fields));
    }
  }

  #read(line: string, parsedLine: ParsedLine | undefined): LogLine {
    if (parsedLine === undefined) return { message: line.trimEnd(), levelName: '' };
    const { level, name, activityId, activityPath, pid, hostname, time, ...others } = parsedLine;
    const { [this.#messageKey]: message = '', [this.#errorKey]: error, ...fields } = others;
    return {
      message: typeof message === 'string' ? message : JSON.stringify(message),
      levelName: String(level),
      logger: typeof name === 'string' ? name : undefined,
      ...errorOf(this.#errorKey, error, this.#isElsewhere ? { time, ...fields } : fields),
      activityId: this.#isElsewhere && typeof activityId === 'string' ? activityId : undefined,
    };
  }
}

/** An error as pino's serializer makes it, apart from the other fields. */
function errorOf(key: string, error: unknown, fields: object): Pick<LogLine, 'error' | 'fields'> {
  if (error === undefined) return { fields };
  if (typeof error !== 'object' || error === null) return { fields: { ...fields, [key]: error } };
  const { stack, message, ...others } = error as Readonly<Record<string, unknown>>;
  const text = stack ?? message;
  return { error: typeof text === 'string' ? text : undefined, fields: { ...fields, [key]: others } };
}

/** Undefined for what is no line of pino's. */
function parsed(line: string): ParsedLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as ParsedLine) : undefined;
  } catch {
    return undefined;
  }
}

/** pino's levels: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal, and what applications put in between. */
function levelOf(level: unknown): number {
  if (typeof level === 'string') return levelOfName(level);
  if (typeof level !== 'number') return Level.Informational;
  if (level >= 60) return Level.Critical;
  if (level >= 50) return Level.Error;
  if (level >= 40) return Level.Warning;
  return level >= 30 ? Level.Informational : Level.Verbose;
}
