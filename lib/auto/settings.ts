/** What is instrumented, and how: one set of settings for the thread, which `instrument` changes. */

import { shown } from '../base/value-text.ts';

/** What can be on or off, by name. */
export const INSTRUMENTATIONS = [
  'httpServer',
  'httpClient',
  'fetch',
  'http2',
  'express',
  'fastify',
  'mysql2',
  'redis',
  'ioredis',
  'mongodb',
  'pg',
  'net',
  'childProcess',
  'workerThreads',
] as const;
export type InstrumentationName = (typeof INSTRUMENTATIONS)[number];

/** Changes modules when they are loaded, so it has to be asked for. */
const OFF_BY_DEFAULT: readonly InstrumentationName[] = ['pg'];

export interface TraceparentOptions {
  /**
   * To which origins (`https://api.example.com`) requests get the header `traceparent`, and `tracestate`. None unless
   * given: what is sent to others is the application's to say. `*` is every origin.
   */
  readonly to?: readonly string[] | ((origin: string) => boolean);
  /** Whether the ones of incoming requests are heeded; they are unless this is false. */
  readonly from?: boolean;
}

export interface InstrumentOptions extends Partial<Readonly<Record<InstrumentationName, boolean>>> {
  readonly traceparent?: TraceparentOptions;
  /** Whether events have the queries of URLs, which may hold secrets. Unless true, a query is shown as `?*`. */
  readonly urlQueries?: boolean;
  /** Whether events have the values in SQL statements. Unless true, each is shown as `?`. */
  readonly sqlValues?: boolean;
}

export class Settings {
  readonly #on = new Set<InstrumentationName>(
    INSTRUMENTATIONS.filter((name) => !OFF_BY_DEFAULT.includes(name)),
  );
  hasUrlQueries = false;
  hasSqlValues = false;
  heedsTraceparent = true;
  #isTraced: ((origin: string) => boolean) | undefined;

  isOn(name: InstrumentationName): boolean {
    return this.#on.has(name);
  }

  /** Whether there may be an origin to which requests get a traceparent. */
  get tracesAny(): boolean {
    return this.#isTraced !== undefined;
  }

  /** Whether requests to the origin get one. */
  isTraced(origin: string): boolean {
    return this.#isTraced?.(origin) === true;
  }

  /**
   * What is not said stays as it is.
   *
   * @throws TypeError for options that there are not
   */
  change(options: InstrumentOptions): void {
    const { traceparent, urlQueries, sqlValues, ...names } = checked(options);
    for (const [name, isOn] of Object.entries(names)) {
      if (isOn) this.#on.add(name as InstrumentationName);
      else this.#on.delete(name as InstrumentationName);
    }
    if (urlQueries !== undefined) this.hasUrlQueries = urlQueries;
    if (sqlValues !== undefined) this.hasSqlValues = sqlValues;
    if (traceparent?.from !== undefined) this.heedsTraceparent = traceparent.from;
    if (traceparent?.to !== undefined) this.#isTraced = originFilter(traceparent.to);
  }
}

/** Of the environment: names to turn on, and with `-` in front names to turn off. A wrong one is only reported. */
export function optionsOfText(text: string): InstrumentOptions {
  const options: Partial<Record<InstrumentationName, boolean>> = {};
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const name = INSTRUMENTATIONS.find((known) => known === entry.replace(/^-/, ''));
    if (name !== undefined) options[name] = !entry.startsWith('-');
    else {
      process.emitWarning(
        `TRACEWRIGHT_AUTO names ${shown(entry)}; the names are ${INSTRUMENTATIONS.join(', ')}, with - in front to turn one off.`,
        'TracewrightWarning',
      );
    }
  }
  return options;
}

/** A misspelt option is as good as none, so it is refused. */
function checked(options: InstrumentOptions): InstrumentOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`instrument takes an object of options, not ${shown(options)}.`);
  }
  const flags: readonly string[] = [...INSTRUMENTATIONS, 'urlQueries', 'sqlValues'];
  for (const [name, value] of Object.entries(options)) {
    if (name === 'traceparent') continue;
    if (!flags.includes(name)) {
      throw new TypeError(
        `There is no option ${shown(name)} of instrument; the options are ${flags.join(', ')}, traceparent.`,
      );
    }
    if (value !== undefined && typeof value !== 'boolean') {
      throw new TypeError(`The option ${name} of instrument is true or false, not ${shown(value)}.`);
    }
  }
  return options;
}

function originFilter(to: NonNullable<TraceparentOptions['to']>): ((origin: string) => boolean) | undefined {
  if (typeof to === 'function') return to;
  if (!Array.isArray(to)) {
    throw new TypeError(`traceparent.to takes origins such as 'https://example.com', not ${shown(to)}.`);
  }
  if (to.length === 0) return undefined;
  if (to.includes('*')) return () => true;
  const origins = new Set(to.map(originOf));
  return (origin) => origins.has(origin);
}

function originOf(text: unknown): string {
  try {
    const { origin } = new URL(String(text));
    if (origin !== 'null') return origin;
  } catch {
    // The same as one that has no origin.
  }
  throw new TypeError(`${shown(text)} is no origin: 'https://example.com' would be one.`);
}
