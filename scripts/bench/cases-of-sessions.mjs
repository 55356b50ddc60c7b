// What sessions cost where applications notice: several sessions, many kinds of events, different payloads, and
// servers.

export const sessionGroups = {
  sessions: 'An event into the files of several sessions',
  kinds: 'An event of one of many kinds, into a session',
  payloads: 'An event with other payloads, into a session',
  servers: 'A request to a server that writes ten events in two activities: CPU time of the server',
  automatic: 'A request to a server, traced without a change to it: CPU time of the server',
};

const sessionCase = (group, workload, argument, title, against) => ({
  id: `${group}-${argument}`,
  group,
  title,
  node: { module: 'session', workload, arguments: [argument] },
  ...(against === undefined ? {} : { against: `${group}-${against}` }),
});

const sessions = [1, 8, 64].map((count) => ({
  ...sessionCase(
    'sessions',
    'inSessions',
    count,
    count === 1 ? 'one session' : `${count} sessions`,
    count === 1 ? undefined : 1,
  ),
  longer: 5,
}));

const kinds = [1, 1000, 10_000].map((count) =>
  sessionCase(
    'kinds',
    'kinds',
    count,
    count === 1 ? 'one kind' : `${count} kinds`,
    count === 1 ? undefined : 1,
  ),
);

const payloads = [
  '3 fields',
  '10 fields',
  '30 fields',
  'double[1000]',
  'double[1000], a Float64Array',
  '8000 bytes',
].map((name) =>
  sessionCase('payloads', 'payloadOf', name, name, name === '3 fields' ? undefined : '3 fields'),
);

const serverVariants = {
  bare: 'the server alone',
  storage: 'an AsyncLocalStorage around each request',
  idle: 'tracewright, disabled',
  listener: 'tracewright, a listener',
  session: 'tracewright, a session',
  pino: 'pino, ten lines',
  otelHttp: "OpenTelemetry's http instrumentation alone: a span",
  otelSpans: 'the same, a second span, and ten events of the first',
};

const automaticVariants = {
  bare: 'the server alone',
  port: 'a diagnostic port is open, and nobody asks',
  canary: 'a listener to the delays of the thread pool, by canaries',
  autoIdle: 'tracewright/auto, nobody records',
  autoKept: 'tracewright/auto, activities kept for tracewright now',
  autoSession: 'tracewright/auto, into a session',
  autoRing: 'tracewright/auto, into a flight recorder with all triggers',
  otelNowhere: "OpenTelemetry's http instrumentation, a batch exporter to nowhere",
};

const serverCases = (group, variants) =>
  ['http', 'fastify'].flatMap((framework) =>
    Object.entries(variants).map(([variant, title]) => ({
      id: `${group}-${framework}-${variant}`,
      group,
      title: `${framework}: ${title}`,
      server: { framework, variant },
      ...(variant === 'bare' ? {} : { against: `${group}-${framework}-bare` }),
      ...(variant === 'session' ? { beside: `${group}-${framework}-otelHttp` } : {}),
      ...(variant === 'autoSession' ? { beside: `${group}-${framework}-otelNowhere` } : {}),
    })),
  );

const servers = [
  ...serverCases('server', serverVariants).map((each) => ({ ...each, group: 'servers' })),
  ...serverCases('automatic', automaticVariants),
];

/** @type {readonly import('./cases.mjs').Case[]} */
export const sessionCases = [...sessions, ...kinds, ...payloads, ...servers];
