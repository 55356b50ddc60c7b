// The package's entries, by file name. `npm run api` writes package.json's `exports` and `typesVersions` from them.

/** @type {Readonly<Record<string, string>>} each entry's module under lib/ */
export const entries = {
  index: 'index',
  auto: 'auto/index',
  console: 'integrations/console',
  counters: 'counters/index',
  diagnostics: 'diagnostics/index',
  etw: 'record/etw-session',
  'opentelemetry-metrics': 'integrations/opentelemetry-metrics',
  'opentelemetry-traces': 'integrations/opentelemetry-traces',
  otlp: 'integrations/otlp',
  pino: 'integrations/pino',
  playback: 'playback/index',
  'prom-client': 'integrations/prom-client',
  query: 'query/index',
  runtime: 'runtime/index',
  trace: 'trace/index',
  view: 'analysis/index',
  winston: 'integrations/winston',
};

/** Run, and imported by no application: CommonJS alone, which starts fastest and shares the entries' instance. */
export const program = {
  cli: 'cli/main',
  'inspector-visit': 'diagnostics/attach/inspector-visit',
  'open-port': 'diagnostics/server/open-diagnostic-port',
  'stand-in': 'diagnostics/server/stand-in-thread',
};

/**
 * Loaded with the first call of one of their functions: most applications call none, and each costs all of them when
 * they start.
 */
export const deferred = {
  automatic: 'auto/observed',
  'in-band-manifest': 'source/in-band-manifest',
  'manifest-format': 'source/manifest-format',
  'plain-format': 'source/plain-format',
  'session-parts': 'eventpipe/session-parts',
  sessions: 'eventpipe/start-session',
};

/** Waits at its top level, as modules alone can. */
export const registration = { name: 'diagnostics-register', module: 'diagnostics/register' };

/** `exports` and `typesVersions` of package.json: `tracewright` for the index, `tracewright/NAME` for each other entry. */
export function packageEntries() {
  const names = Object.keys(entries).filter((name) => name !== 'index');
  const conditions = (name, types, code) => ({
    types: `./dist/types/${name}.d.${types}`,
    module: `./dist/esm/${name}.js`,
    default: `./dist/cjs/${name}.${code}`,
  });
  const entry = (name) => ({
    import: conditions(name, 'ts', 'mjs'),
    require: conditions(name, 'cts', 'cjs'),
  });
  return {
    exports: {
      '.': entry('index'),
      ...Object.fromEntries(names.map((name) => [`./${name}`, entry(name)])),
      './diagnostics/register': { import: `./dist/cjs/${registration.name}.mjs` },
      './package.json': './package.json',
    },
    // For TypeScript's resolution `node10`, which knows no exports.
    typesVersions: { '*': Object.fromEntries(names.map((name) => [name, [`./dist/types/${name}.d.cts`]])) },
  };
}
