// The package's entries, by file name; package.json's `exports` maps paths to them.

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
  view: 'view/index',
  winston: 'integrations/winston',
};

/** Of these entries, those that read traces. */
export const reading = ['playback', 'query', 'trace', 'view'];

/** Run, and imported by nobody: CommonJS alone, which starts fastest and shares the entries' instance. */
export const program = { cli: 'cli/main', 'stand-in': 'diagnostics/server/stand-in-thread' };

/** Waits at its top level, as modules alone can. */
export const registration = { name: 'diagnostics-register', module: 'diagnostics/register' };
