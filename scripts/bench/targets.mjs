// The targets, and the figures to which each applies; the worst of them counts.

/**
 * @typedef {object} Target
 * @property {string} text
 * @property {readonly string[]} ids of the cases
 * @property {'median' | 'difference' | 'ratio' | 'share'} property of their figures
 * @property {number} limit
 */

/** @type {readonly Target[]} */
export const targets = [
  {
    text: 'a disabled event costs at most 2 ns more than an empty function call',
    ids: ['samePayload', 'lazyPayload', 'enabled', 'noPayload', 'start'].map((form) => `disabled-${form}`),
    property: 'difference',
    limit: 2,
  },
  {
    text: 'a disabled event with an object literal costs at most 5 ns more',
    ids: ['disabled-objectLiteral'],
    property: 'difference',
    limit: 5,
  },
  {
    text: 'a disabled activity() scope costs at most 2 ns more',
    ids: ['disabled-scope'],
    property: 'difference',
    limit: 2,
  },
  {
    text: 'at many call sites of many sources, a disabled event costs at most 2 ns more than if (flag)',
    ids: ['event', 'lazy', 'enabled', 'closure', 'method'].map((form) => `sites-${form}`),
    property: 'difference',
    limit: 2,
  },
  {
    text: 'there, a disabled event with an object literal costs at most 5 ns more',
    ids: ['sites-literal', 'sites-escaping'],
    property: 'difference',
    limit: 5,
  },
  {
    text: 'an event to /dev/null takes at most 1.5 times what C takes',
    ids: ['null-event'],
    property: 'ratio',
    limit: 1.5,
  },
  {
    text: "our own part of an event to /dev/null, which the addon's write alone does not have: at most 50 ns",
    ids: ['null-own'],
    property: 'difference',
    limit: 50,
  },
  {
    text: 'a text in another script takes at most twice as long per byte as ASCII',
    ids: ['text-latin', 'text-cjk', 'text-emoji', 'text-concatenated'],
    property: 'ratio',
    limit: 2,
  },
  {
    text: 'an event to a recorded tracepoint takes at most 1.5 times what C takes',
    ids: ['tracepoint-event'],
    property: 'ratio',
    limit: 1.5,
  },
  {
    text: 'an await takes as long as in plain Node while nothing listens (within a tenth)',
    ids: ['await-nobodyListens', 'await-listenerGone'],
    property: 'ratio',
    limit: 1.1,
  },
  {
    text: 'on Node.js 24 and later, an await takes as long while something listens (within a tenth)',
    ids: ['await-listening-24', 'await-listening-26'],
    property: 'ratio',
    limit: 1.1,
  },
  {
    text: 'an event into a file costs less than a line of pino',
    ids: ['file-event', 'file-event-in-activity'],
    property: 'ratio',
    limit: 1,
  },
  {
    text: 'an event with an activity id into a session: at most 500 ns',
    ids: ['file-event-in-activity'],
    property: 'median',
    limit: 500,
  },
  {
    text: 'an activity into a session: at most 1,500 ns',
    ids: ['file-activity'],
    property: 'median',
    limit: 1500,
  },
  {
    text: 'a request to an http server that writes into a session takes at most 1.5 times the plain one',
    ids: ['server-http-session'],
    property: 'ratio',
    limit: 1.5,
  },
  {
    text: 'an activity into a file costs a third of an OpenTelemetry span',
    ids: ['file-activity'],
    property: 'ratio',
    limit: 1 / 3,
  },
  {
    text: 'an event into the files of 64 sessions costs at most 5 times one into one file',
    ids: ['sessions-64'],
    property: 'ratio',
    limit: 5,
  },
  {
    text: 'an event of one of 10,000 kinds costs a session at most twice one of the only kind',
    ids: ['kinds-10000'],
    property: 'ratio',
    limit: 2,
  },
  {
    text: "a session adds to a server's request at most a fifth of what OpenTelemetry's http instrumentation adds",
    ids: ['server-http-session', 'server-fastify-session'],
    property: 'share',
    limit: 0.2,
  },
  {
    text: "a request's automatic activity, into a session, adds at most a fifth of what OpenTelemetry's adds",
    ids: ['automatic-http-autoSession', 'automatic-fastify-autoSession'],
    property: 'share',
    limit: 0.2,
  },
  {
    text: 'a counter that nothing collects costs at most 2 ns more than an empty function call',
    ids: ['increment', 'mean', 'plain'].map((form) => `countersIdle-ours-${form}`),
    property: 'difference',
    limit: 2,
  },
  {
    text: 'a counter with a label that nothing collects costs at most 5 ns more',
    ids: ['countersIdle-ours-labelled'],
    property: 'difference',
    limit: 5,
  },
  {
    text: 'a collected counter costs no more than the same one of prom-client',
    ids: ['plain', 'labelled', 'histogram'].map((form) => `countersAsked-ours-${form}`),
    property: 'difference',
    limit: 0,
  },
  {
    text: 'importing tracewright takes no longer than importing pino',
    ids: ['import-tracewright'],
    property: 'ratio',
    limit: 1,
  },
];
