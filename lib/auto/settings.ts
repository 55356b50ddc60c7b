/** What is instrumented, and how: one set of settings per thread, changed by `instrument`. */

import { shown } from '../base/value-text.ts';
import { TracePeers } from './trace-peers.ts';

/** The instrumentations that can be turned on and off. */
const INSTRUMENTATIONS = [
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
  'modules',
] as const;
export type InstrumentationName = (typeof INSTRUMENTATIONS)[number];

/** It changes modules as they are loaded, so users must enable it. */
const OFF_BY_DEFAULT: readonly InstrumentationName[] = ['pg'];

export interface InstrumentOptions extends Partial<Readonly<Record<InstrumentationName, boolean>>> {
  /**
   * Says with whom requests exchange the headers `traceparent` and `tracestate`, beyond this host: origins
   * (`https://api.example.com`), addresses and networks (`10.0.0.0/8`); true for everyone, false for nobody, not even
   * this host. By default, requests exchange them only within this host.
   */
  readonly traceparent?: boolean | readonly string[];
  /**
   * Whether events contain the queries of URLs, which may contain secrets. The default is false, which shows a query as
   * `?*`.
   */
  readonly urlQueries?: boolean;
  /** Whether events contain the values in SQL statements. The default is false, which shows each as `?`. */
  readonly sqlValues?: boolean;
  /**
   * Whether profilers outside the process can read from its memory whose samples they take, by OpenTelemetry's process
   * context; an object has further attributes of the resource, such as `service.name`. The default is whether
   * OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES is set. It needs Linux and the main thread; elsewhere it does nothing.
   */
  readonly processContext?: boolean | Readonly<Record<string, string>>;
}

export type ProcessContext = NonNullable<InstrumentOptions['processContext']>;

export class Settings {
  readonly #on = new Set<InstrumentationName>(
    INSTRUMENTATIONS.filter((name) => !OFF_BY_DEFAULT.includes(name)),
  );
  hasUrlQueries = false;
  hasSqlValues = false;
  readonly tracePeers = new TracePeers();
  #processContext: ProcessContext | undefined;

  /** Another object each time that the option is given. */
  get processContext(): ProcessContext {
    const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes } = process.env;
    return this.#processContext ?? Boolean(name || attributes);
  }

  isOn(name: InstrumentationName): boolean {
    return this.#on.has(name);
  }

  /**
   * Omitted options stay as they are.
   *
   * @throws TypeError for unknown options
   */
  change(options: InstrumentOptions): void {
    const { traceparent, urlQueries, sqlValues, processContext, ...names } = checked(options);
    if (traceparent !== undefined) this.tracePeers.set(traceparent);
    for (const [name, isOn] of Object.entries(names)) {
      if (isOn) this.#on.add(name as InstrumentationName);
      else this.#on.delete(name as InstrumentationName);
    }
    if (urlQueries !== undefined) this.hasUrlQueries = urlQueries;
    if (sqlValues !== undefined) this.hasSqlValues = sqlValues;
    if (processContext !== undefined)
      this.#processContext = typeof processContext === 'object' ? { ...processContext } : processContext;
  }
}

/**
 * Parses the environment variable: names to turn on, and names to turn off with `-` in front. An unknown name is only
 * reported.
 */
export function optionsOfText(text: string): InstrumentOptions {
  const flags = [...INSTRUMENTATIONS, 'traceparent', 'processContext'] as const;
  const options: Partial<Record<(typeof flags)[number], boolean>> = {};
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const name = flags.find((known) => known === entry.replace(/^-/, ''));
    if (name !== undefined) options[name] = !entry.startsWith('-');
    else {
      process.emitWarning(
        `TRACEWRIGHT_AUTO contains the unknown name ${shown(entry)}; the names are ${flags.join(', ')}, with - in front to turn one off.`,
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
  const flags: readonly string[] = [...INSTRUMENTATIONS, 'urlQueries', 'sqlValues', 'processContext'];
  for (const [name, value] of Object.entries(options)) {
    if (name === 'traceparent') continue;
    if (name === 'processContext' && typeof value === 'object') {
      checkAttributes(value);
      continue;
    }
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

function checkAttributes(attributes: object | null): void {
  if (attributes !== null && Object.values(attributes).every((value) => typeof value === 'string')) return;
  throw new TypeError(
    `The option processContext of instrument must be true, false or texts by name, such as { 'service.name': 'shop' }, not ${shown(attributes)}.`,
  );
}
