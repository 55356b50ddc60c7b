/** The event source for log lines: one event per level, so that tracers can select levels. */

import { thrownTextWithStack } from '../base/value-text.ts';
import { Level } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';
import type { EventSource } from '../source/event-source-types.ts';
import { boundedCopy, cut } from './bounded.ts';

export interface LogEventOptions {
  /** The provider's name; the default is `Node.Logs`. */
  readonly provider?: string;
}

/** A line, as the logger describes it. */
export interface LogLine {
  readonly message: string;
  /** The logger's name. */
  readonly logger?: string | undefined;
  /** The logger's name for the level. */
  readonly levelName: string;
  /** The stack of a logged error. */
  readonly error?: string | undefined;
  /** Everything else; truncated to fit. */
  readonly fields?: object;
  /** The activity's id, if it is not the running code's. */
  readonly activityId?: string | undefined;
}

export const LOG_PROVIDER = 'Node.Logs';

/** Maximum sizes in UTF-8 bytes: together less than perf's 8184. */
const MAX_MESSAGE = 2500;
const MAX_ERROR = 2500;
const MAX_FIELDS = 2000;
const MAX_NAME = 200;

const LINE = {
  message: 'string',
  logger: 'string',
  levelName: 'string',
  error: 'string',
  fields: 'json',
} as const;

const lineEvent = (level: number) => event(LINE, { level, message: '{0}' });

/** Indexed by level number. */
const EVENTS = {
  Critical: lineEvent(Level.Critical),
  Error: lineEvent(Level.Error),
  Warning: lineEvent(Level.Warning),
  Informational: lineEvent(Level.Informational),
  Verbose: lineEvent(Level.Verbose),
};

const NO_FIELDS = Object.freeze({});

/** The loggers' names for levels; any other name is Informational. */
const LEVELS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    [Level.Critical]: ['fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency'],
    [Level.Error]: ['error', 'err'],
    [Level.Warning]: ['warn', 'warning'],
    [Level.Informational]: ['info', 'notice', 'log', 'http'],
    [Level.Verbose]: ['verbose', 'debug', 'trace', 'silly'],
  }).flatMap(([level, names]) => names.map((name) => [name, Number(level)] as const)),
);

export function levelOfName(name: string): number {
  return LEVELS.get(name.toLowerCase()) ?? Level.Informational;
}

export class LogEvents {
  readonly #source: EventSource<typeof EVENTS>;
  readonly #events: readonly EventSource<typeof EVENTS>[keyof typeof EVENTS][];
  #isWriting = false;

  /** @throws DefinitionError if the provider's name is invalid */
  constructor({ provider = LOG_PROVIDER }: LogEventOptions = {}) {
    this.#source = defineEventSource(provider, EVENTS);
    this.#events = (Object.keys(EVENTS) as (keyof typeof EVENTS)[]).map((name) => this.#source[name]);
  }

  /** Whether somebody wants log lines. */
  get isWanted(): boolean {
    return this.#events.some(({ enabled }) => enabled);
  }

  /** Whether somebody wants lines of this level. */
  isLevelWanted(level: number): boolean {
    return this.#eventOf(level).enabled;
  }

  /** Never throws. A line logged by a listener to log lines is omitted: otherwise there would be no end. */
  write(level: number, line: () => LogLine): void {
    const write = this.#eventOf(level);
    if (this.#isWriting || !write.enabled) return;
    this.#isWriting = true;
    try {
      const { message, logger = '', levelName, error = '', fields, activityId } = line();
      const payload = {
        message: cut(message, MAX_MESSAGE),
        logger: cut(logger, MAX_NAME),
        levelName: cut(levelName, MAX_NAME),
        error: cut(error, MAX_ERROR),
        fields: fields === undefined ? NO_FIELDS : boundedCopy(fields, MAX_FIELDS),
      };
      write(payload, activityId === undefined ? undefined : { activityId });
    } catch (error) {
      // Anything can be logged, for example an object that cannot be read.
      write({ message: '', logger: '', levelName: '', error: thrownTextWithStack(error), fields: NO_FIELDS });
    } finally {
      this.#isWriting = false;
    }
  }

  close(): void {
    this.#source.close();
  }

  #eventOf(level: number) {
    const index = Math.min(Math.max(level, Level.Critical), Level.Verbose) - 1;
    return this.#events[index] as EventSource<typeof EVENTS>['Verbose'];
  }
}
