/**
 * Channels for the package pg, which publishes nothing: its modules get them when they are loaded. So this must be
 * enabled before the application loads pg, and needs Node.js 22.15, whose hooks can change the source of any module.
 */
import { readFileSync } from 'node:fs';
import { shown, thrownText } from '../base/value-text.ts';

/** The channels' names start with this. */
export const PG_CHANNELS = 'tracewright:pg';

/** A module to which channels are added, identified by the end of its URL. */
interface Publisher {
  readonly path: RegExp;
  /** The package.json with its version, relative to the module. */
  readonly manifest: string;
  /** The major version whose methods the code fits. */
  readonly major: number;
  /** Appended to the module. */
  readonly code: string;
}

/**
 * Wraps methods that take a callback or return a promise. Queries with their own `submit`, such as cursors, are not
 * traced.
 */
const PUBLISHERS: readonly Publisher[] = [
  {
    path: /\/pg\/lib\/client\.js$/,
    manifest: '../package.json',
    major: 8,
    code: `
{
  const { tracingChannel } = require('node:diagnostics_channel');
  const { prototype } = module.exports;
  const { query, connect } = prototype;
  const queries = tracingChannel('${PG_CHANNELS}:query');
  const connections = tracingChannel('${PG_CHANNELS}:connect');
  const serverOf = ({ database, host, port }) => ({ database, host, port });
  prototype.query = function (config, ...rest) {
    const isPlain = config != null && typeof config.submit !== 'function';
    if (!isPlain || !queries.start.hasSubscribers) return query.call(this, config, ...rest);
    const context = { text: typeof config === 'string' ? config : config.text, ...serverOf(this) };
    const position = rest.findIndex((value) => typeof value === 'function');
    if (position >= 0) return queries.traceCallback(query, position + 1, context, this, config, ...rest);
    if (typeof config.callback !== 'function') return queries.tracePromise(query, context, this, config, ...rest);
    const withCallback = (callback) => query.call(this, { ...config, callback }, ...rest);
    return queries.traceCallback(withCallback, 0, context, undefined, config.callback);
  };
  prototype.connect = function (callback) {
    if (!connections.start.hasSubscribers) return connect.call(this, callback);
    return typeof callback === 'function'
      ? connections.traceCallback(connect, 0, serverOf(this), this, callback)
      : connections.tracePromise(connect, serverOf(this), this);
  };
}`,
  },
  {
    path: /\/pg-pool\/index\.js$/,
    manifest: './package.json',
    major: 3,
    code: `
{
  const { tracingChannel } = require('node:diagnostics_channel');
  const { prototype } = module.exports;
  const { connect } = prototype;
  const acquired = tracingChannel('${PG_CHANNELS}:acquire');
  prototype.connect = function (callback) {
    if (!acquired.start.hasSubscribers) return connect.call(this, callback);
    const { database, host, port } = this.options;
    const context = { database, host, port };
    return typeof callback === 'function'
      ? acquired.traceCallback(connect, 0, context, this, callback)
      : acquired.tracePromise(connect, context, this);
  };
}`,
  },
];

/** Node.js 22.15 and later have these. */
interface LoadHooks {
  readonly registerHooks?: (hooks: { load(url: string, context: unknown, next: NextLoad): LoadedModule }) => {
    deregister(): void;
  };
}
type NextLoad = (url: string, context: unknown) => LoadedModule;
interface LoadedModule {
  readonly source?: unknown;
}

/** Adds channels to modules loaded from now on. @returns stops that, for modules loaded later */
export function publishPg(): () => void {
  const { registerHooks } = process.getBuiltinModule('node:module') as LoadHooks;
  if (registerHooks === undefined) {
    warn('Queries of pg are not traced: this requires Node.js 22.15 or later.');
    return () => {};
  }
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const publisher = PUBLISHERS.find(({ path }) => path.test(url));
      return publisher === undefined ? loaded : publishing(url, loaded, publisher);
    },
  });
  return () => hooks.deregister();
}

/** Unchanged if it is not the expected version. */
function publishing(url: string, loaded: LoadedModule, { manifest, major, code }: Publisher): LoadedModule {
  try {
    const { version } = JSON.parse(readFileSync(new URL(manifest, url), 'utf8'));
    if (Number.parseInt(version, 10) === major && loaded.source != null) {
      return { ...loaded, source: `${loaded.source}\n${code}` };
    }
    warn(
      `Queries of pg are not traced: ${url} has version ${shown(version)}, but only ${major} is supported.`,
    );
  } catch (error) {
    warn(`Queries of pg are not traced: ${url} cannot be read: ${thrownText(error)}`);
  }
  return loaded;
}

function warn(problem: string): void {
  process.emitWarning(problem, 'TracewrightWarning');
}
