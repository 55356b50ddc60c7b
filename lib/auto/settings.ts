/** What is instrumented, and how: one set of settings per thread, changed by `instrument`. */

import { shown } from '../base/value-text.ts';

/** The instrumentations that can be turned on and off. */
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

/** It changes modules as they are loaded, so users must enable it. */
const OFF_BY_DEFAULT: readonly InstrumentationName[] = ['pg'];

export interface TraceparentOptions {
  /**
   * The origins (`https://api.example.com`) whose requests get the headers `traceparent` and `tracestate`; `*` for
   * every origin. By default none: only the application can decide what to send to others.
   */
  readonly to?: readonly string[] | ((origin: string) => boolean);
  /** Whether to use those of incoming requests; the default is true. */
  readonly from?: boolean;
}

export interface InstrumentOptions extends Partial<Readonly<Record<InstrumentationName, boolean>>> {
  readonly traceparent?: TraceparentOptions;
  /**
   * Whether events contain the queries of URLs, which may contain secrets. The default is false, which shows a query as
   * `?*`.
   */
  readonly urlQueries?: boolean;
  /** Whether events contain the values in SQL statements. The default is false, which shows each as `?`. */
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

  /** Whether requests to any origin may get a traceparent. */
  get tracesAny(): boolean {
    return this.#isTraced !== undefined;
  }

  /** Whether requests to the origin get one. */
  isTraced(origin: string): boolean {
    return this.#isTraced?.(origin) === true;
  }

  /**
   * Omitted options stay as they are.
   *
   * @throws TypeError for unknown options
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

/**
 * Parses the environment variable: names to turn on, and names to turn off with `-` in front. An unknown name is only
 * reported.
 */
export function optionsOfText(text: string): InstrumentOptions {
  const options: Partial<Record<InstrumentationName, boolean>> = {};
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const name = INSTRUMENTATIONS.find((known) => known === entry.replace(/^-/, ''));
    if (name !== undefined) options[name] = !entry.startsWith('-');
    else {
      process.emitWarning(
        `TRACEWRIGHT_AUTO contains the unknown name ${shown(entry)}; the names are ${INSTRUMENTATIONS.join(', ')}, with - in front to turn one off.`,
        'TracewrightWarning',
      );
    }
  }
  return options;
}

/** Rejects unknown options: a misspelt one would have no effect. */
function checked(options: InstrumentOptions): InstrumentOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`The options of instrument must be an object, not ${shown(options)}.`);
  }
  const flags: readonly string[] = [...INSTRUMENTATIONS, 'urlQueries', 'sqlValues'];
  for (const [name, value] of Object.entries(options)) {
    if (name === 'traceparent') continue;
    if (!flags.includes(name)) {
      throw new TypeError(
        `instrument has no option ${shown(name)}; the options are ${flags.join(', ')}, traceparent.`,
      );
    }
    if (value !== undefined && typeof value !== 'boolean') {
      throw new TypeError(`The option ${name} of instrument must be true or false, not ${shown(value)}.`);
    }
  }
  return options;
}

function originFilter(to: NonNullable<TraceparentOptions['to']>): ((origin: string) => boolean) | undefined {
  if (typeof to === 'function') return to;
  if (!Array.isArray(to)) {
    throw new TypeError(
      `traceparent.to must contain origins such as 'https://example.com', not ${shown(to)}.`,
    );
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
    // Handled like a URL without an origin.
  }
  throw new TypeError(`${shown(text)} is not an origin such as 'https://example.com'.`);
}
