/** The event source for log lines: one event per level, so that tracers can select levels. */

import { thrownTextWithStack } from '../base/value-text.ts';
import { Level } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';
import type { EventSource } from '../source/event-source-types.ts';
import { boundedCopy, cut } from './bounded.ts';
import { CommonSchemaEvents, type CommonSchemaParts } from './common-schema.ts';
import { lineIds } from './line-ids.ts';

export interface LogEventOptions {
  /** The provider's name; the default is `Node.Logs`. */
  readonly provider?: string;
  /** Whether lines are also written in Microsoft's Common Schema 4.0, which Azure's agents read: events with keyword 1. */
  readonly commonSchema?: boolean;
}

/** The names of the options above. */
export const LOG_EVENT_OPTIONS = ['provider', 'commonSchema'] satisfies (keyof LogEventOptions)[];

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

const LOG_PROVIDER = 'Node.Logs';

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
  readonly #common: CommonSchemaEvents | undefined;
  #isWriting = false;

  /** @throws DefinitionError if the provider's name is invalid */
  constructor({ provider = LOG_PROVIDER, commonSchema = false }: LogEventOptions = {}) {
    this.#source = defineEventSource(provider, EVENTS);
    this.#common = commonSchema ? new CommonSchemaEvents(this.#source, Object.values(Level)) : undefined;
    this.#events = (Object.keys(EVENTS) as (keyof typeof EVENTS)[]).map((name) => this.#source[name]);
  }

  /** Whether somebody wants log lines. */
  get isWanted(): boolean {
    return this.#events.some(({ enabled }, index) => enabled || this.#common?.isWanted(index + 1) === true);
  }

  /** Whether somebody wants lines of this level. */
  isLevelWanted(level: number): boolean {
    return this.#eventOf(level).enabled || this.#isCommonWanted(level);
  }

  /** This never throws. A line logged by a listener to log lines is omitted: otherwise there would be no end. */
  write(level: number, line: () => LogLine): void {
    const write = this.#eventOf(level);
    if (this.#isWriting || !this.isLevelWanted(level)) return;
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
      if (this.#isCommonWanted(level))
        this.#common?.write('Log', bounded(level), logParts(bounded(level), payload));
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

  #isCommonWanted(level: number): boolean {
    return this.#common?.isWanted(bounded(level)) === true;
  }

  #eventOf(level: number) {
    return this.#events[bounded(level) - 1] as EventSource<typeof EVENTS>['Verbose'];
  }
}

function bounded(level: number): number {
  return Math.min(Math.max(level, Level.Critical), Level.Verbose);
}

/** OpenTelemetry's severity by level number; its names if the logger has only a number. */
const SEVERITIES = [9, 21, 17, 13, 9, 5];
const SEVERITY_TEXTS = ['INFO', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG'];

type WrittenLine = Required<Pick<LogLine, 'message' | 'levelName'>> & {
  readonly logger: string;
  readonly error: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

function logParts(
  level: number,
  { message, levelName, logger, error, fields }: WrittenLine,
): CommonSchemaParts {
  const { trace_id, span_id, ...others } = { ...lineIds(), ...fields };
  const severityText = /^\d*$/.test(levelName) ? SEVERITY_TEXTS[level] : levelName;
  const milliseconds = Date.now();
  return {
    time: [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1e6],
    traceId: trace_id,
    spanId: span_id,
    attributes: {
      ...others,
      ...(logger !== '' && { logger }),
      ...(error !== '' && { 'exception.stacktrace': error }),
    },
    fields: {
      body: ['string', message],
      severityNumber: ['int16', SEVERITIES[level] ?? 9],
      severityText: ['string', severityText ?? ''],
    },
  };
}
