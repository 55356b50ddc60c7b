/**
 * `tracewright/pino`: the activity's ids in pino's lines, and its lines as events. It only uses pino's extension
 * points, and loads no copy of pino.
 */
import { Writable } from 'node:stream';
import { lineIds } from '../logs/line-ids.ts';
import {
  LOG_EVENT_OPTIONS,
  type LogEventOptions,
  LogEvents,
  type LogLine,
  levelOfName,
} from '../logs/log-events.ts';
import { Level } from '../source/constants.ts';
import { checkOptionNames } from '../source/definition-checks.ts';

/** pino's option `mixin`. */
export type PinoMixin = (mergeObject: object, level: number, logger?: unknown) => object;

export interface PinoEventOptions extends LogEventOptions {
  /** pino's option of the same name; the default is `msg`. */
  readonly messageKey?: string;
  /** pino's option of the same name; the default is `err`. */
  readonly errorKey?: string;
}

/**
 * Makes a value of pino's option `mixin`. It adds the ids of the running code's activity to each line, as `activityId`, `activityPath`
 * and, for a distributed trace, `trace_id`, `span_id` and `trace_flags`. Outside activities, and while nobody wants
 * activities, lines do not change.
 *
 * @param own the application's own mixin, whose members come first
 */
export function activityMixin(
  own?: PinoMixin,
): (mergeObject: object, level: number, logger?: unknown) => object {
  // A new object each time: pino modifies it.
  if (own === undefined) return () => ({ ...lineIds() });
  return (mergeObject, level, logger) => ({ ...own(mergeObject, level, logger), ...lineIds() });
}

/** A pino destination, as accepted by `pino.multistream`. */
export interface PinoEventStream {
  write(line: string): void;
  /** Does nothing: `pino.multistream` calls it when it ends. */
  end(): void;
}

/**
 * For `pino.multistream`, as `{ level: 'trace', stream: eventStream() }`: each line is an event, written where it is
 * logged, and therefore in its activity. Listeners select the levels.
 */
export function eventStream(options: PinoEventOptions = {}): PinoEventStream {
  const lines = new PinoLines('eventStream', options);
  return {
    // Makes pino set the level of each line on this stream.
    [Symbol.for('pino.metadata')]: true,
    write(this: { lastLevel?: unknown }, line: string): void {
      lines.write(line, this.lastLevel);
    },
    end: () => {},
  } as PinoEventStream;
}

/** Longer lines are omitted. */
const MAX_LINE = 1 << 20;

/**
 * pino's option `transport` names this: `{ target: 'tracewright/pino' }`. Each line is an event, written by pino's worker
 * thread. It belongs to the activity named in the line if the logger has the mixin; otherwise that is unknown.
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

  /** @param isElsewhere whether lines are written on a different thread than they are logged on */
  constructor(place: string, options: PinoEventOptions, isElsewhere = false) {
    checkOptionNames(place, options, [...LOG_EVENT_OPTIONS, 'messageKey', 'errorKey']);
    this.#events = new LogEvents(options);
    this.#messageKey = options.messageKey ?? 'msg';
    this.#errorKey = options.errorKey ?? 'err';
    this.#isElsewhere = isElsewhere;
  }

  /** @param level the number, if pino provides it; otherwise the line contains it */
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

/** Splits off an error serialized by pino from the other fields. */
function errorOf(key: string, error: unknown, fields: object): Pick<LogLine, 'error' | 'fields'> {
  if (error === undefined) return { fields };
  if (typeof error !== 'object' || error === null) return { fields: { ...fields, [key]: error } };
  const { stack, message, ...others } = error as Readonly<Record<string, unknown>>;
  const text = stack ?? message;
  return { error: typeof text === 'string' ? text : undefined, fields: { ...fields, [key]: others } };
}

/** Returns undefined for anything that is not a line written by pino. */
function parsed(line: string): ParsedLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as ParsedLine) : undefined;
  } catch {
    return undefined;
  }
}

/** pino's levels: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal, and custom ones in between. */
function levelOf(level: unknown): number {
  if (typeof level === 'string') return levelOfName(level);
  if (typeof level !== 'number') return Level.Informational;
  if (level >= 60) return Level.Critical;
  if (level >= 50) return Level.Error;
  if (level >= 40) return Level.Warning;
  return level >= 30 ? Level.Informational : Level.Verbose;
}
