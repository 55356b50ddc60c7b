// The cases that compare tracewright with what applications use otherwise, in report order.

export const peerGroups = {
  files: 'An event with 3 fields into a file, until everything is written',
  countersIdle: 'A counter that nothing collects, without the loop around it',
  countersAsked: 'A counter that is collected ten times a second',
  imports: 'The time to import, in a new process',
};

/** Each round opens a file, which takes about 2 ms; longer rounds make this negligible. */
const FILE_ROUND = 5;

const fileCase = (id, title, module, workload, against) => ({
  id: `file-${id}`,
  group: 'files',
  title,
  node: { module, workload },
  longer: FILE_ROUND,
  ...(against === undefined ? {} : { against: `file-${against}` }),
});

const files = [
  fileCase('pino-sync', 'pino, default settings: each line at once', 'pino', 'sync'),
  fileCase('pino', 'pino, asynchronous, 4 KiB at a time', 'pino', 'async'),
  fileCase(
    'otel-log',
    'OpenTelemetry log record, batches of OTLP',
    'opentelemetry-file',
    'logRecord',
    'pino',
  ),
  fileCase('event', 'an event, a session', 'session', 'event', 'pino'),
  fileCase(
    'event-in-activity',
    'an event with an activity id, a session',
    'session',
    'eventInActivity',
    'pino',
  ),
  fileCase('span', 'OpenTelemetry span, batches of OTLP', 'opentelemetry-file', 'span'),
  fileCase('activity', 'an activity (Start and Stop), a session', 'session', 'activity', 'span'),
];

/** How a counter is written, and which case of each package does that. */
const counterForms = {
  plain: 'one value',
  labelled: 'with a label',
  increment: 'IncrementingEventCounter',
  mean: 'EventCounter',
  histogram: 'histogram',
};

const counterCase = (group, id, title, module, workload, form, against) => ({
  id: `${group}-${id}-${form}`,
  group,
  title: `${title}: ${counterForms[form]}`,
  node: { module, workload, arguments: [form] },
  ...(against === undefined ? {} : { against: `${group}-${against}` }),
});

const idle = (id, title, module, workload, form) =>
  counterCase(
    'countersIdle',
    id,
    title,
    module,
    workload,
    form,
    id === 'empty' ? undefined : againstEmpty(form),
  );
const againstEmpty = (form) => (form === 'labelled' ? 'empty-labelled' : 'empty-plain');

const countersIdle = [
  idle('empty', 'empty function', 'counters', 'empty', 'plain'),
  idle('ours', 'tracewright', 'counters', 'idle', 'increment'),
  idle('ours', 'tracewright', 'counters', 'idle', 'mean'),
  idle('ours', 'tracewright, meter', 'counters', 'idle', 'plain'),
  idle('otel-api', 'OpenTelemetry, no SDK registered', 'opentelemetry-metrics', 'apiOnly', 'plain'),
  idle('prom', 'prom-client', 'prom-client', 'idle', 'plain'),
  idle('otel', 'OpenTelemetry SDK', 'opentelemetry-metrics', 'idle', 'plain'),
  idle('empty', 'empty function', 'counters', 'empty', 'labelled'),
  idle('ours', 'tracewright, meter', 'counters', 'idle', 'labelled'),
  idle('otel-api', 'OpenTelemetry, no SDK registered', 'opentelemetry-metrics', 'apiOnly', 'labelled'),
  idle('prom', 'prom-client', 'prom-client', 'idle', 'labelled'),
  idle('otel', 'OpenTelemetry SDK', 'opentelemetry-metrics', 'idle', 'labelled'),
];

const asked = (id, title, module, form, against) =>
  counterCase('countersAsked', id, title, module, 'asked', form, against);

const countersAsked = [
  asked('prom', 'prom-client', 'prom-client', 'plain'),
  asked('otel', 'OpenTelemetry SDK', 'opentelemetry-metrics', 'plain', 'prom-plain'),
  asked('ours', 'tracewright', 'counters', 'increment', 'prom-plain'),
  asked('ours', 'tracewright', 'counters', 'mean', 'prom-plain'),
  asked('ours', 'tracewright, meter', 'counters', 'plain', 'prom-plain'),
  asked('prom', 'prom-client', 'prom-client', 'labelled'),
  asked('otel', 'OpenTelemetry SDK', 'opentelemetry-metrics', 'labelled', 'prom-labelled'),
  asked('ours', 'tracewright, meter', 'counters', 'labelled', 'prom-labelled'),
  asked('prom', 'prom-client', 'prom-client', 'histogram'),
  asked('otel', 'OpenTelemetry SDK', 'opentelemetry-metrics', 'histogram', 'prom-histogram'),
  asked('ours', 'tracewright, meter', 'counters', 'histogram', 'prom-histogram'),
];

const importCase = (specifier) => ({
  id: `import-${specifier}`,
  group: 'imports',
  title: specifier,
  imported: { specifier },
  ...(specifier === 'pino' ? {} : { against: 'import-pino' }),
});

const imports = [
  'pino',
  'prom-client',
  '@opentelemetry/api',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-node',
  'tracewright',
  'tracewright/counters',
  'tracewright/trace',
].map(importCase);

/** @type {readonly import('./cases.mjs').Case[]} */
export const peerCases = [...files, ...countersIdle, ...countersAsked, ...imports];
