// Events that nobody wants, as applications write them: at many call sites, to many sources whose events have the same
// names. Next to them the same with a flag.
import { defineEventSource, event as eventOf } from 'tracewright';
import { KEY, payload, threeFields } from '../source.mjs';

const SOURCES = 20;
const EVENTS = [
  'RequestStart',
  'RequestStop',
  'QueryStart',
  'QueryStop',
  'Hit',
  'Miss',
  'Retry',
  'Open',
  'Close',
  'Tick',
];
const LITERAL = '{ key: KEY, size: i, ratio: 0.25 }';

/** The body of a call site, given the event's name; `i` is a different number each time. */
const bodies = {
  bare: () => '',
  flag: () => 'if (state.isOn) state.record(payload);',
  event: (name) => `log.${name}(payload);`,
  lazy: (name) => `log.${name}(() => (${LITERAL}));`,
  enabled: (name) => `if (log.${name}.enabled) return 0;`,
  flagLiteral: () => `if (state.isOn) state.record(${LITERAL});`,
  literal: (name) => `log.${name}(${LITERAL});`,
  flagEscaping: () => `const made = ${LITERAL}; state.kept = made; if (state.isOn) state.record(made);`,
  escaping: (name) => `const made = ${LITERAL}; state.kept = made; log.${name}(made);`,
  flagClosure: () => 'return state.call(() => { if (state.isOn) state.record(payload); return i; });',
  closure: (name) => `return state.call(() => { log.${name}(payload); return i; });`,
  flagMethod: () => 'return service.flag(i);',
  method: () => 'return service.event(i);',
  work: () => 'return (() => i + 1)();',
  activity: (name) => `return log.activity('${activityOf(name)}', payload, () => i + 1);`,
  run: (name) => `return log.${activityOf(name)}.run(payload, () => i + 1);`,
};

const activityOf = (name) => (name.startsWith('Request') ? 'Request' : 'Query');

const define = (number) =>
  defineEventSource(
    `Tracewright-Benchmark-${number}`,
    Object.fromEntries(EVENTS.map((name) => [name, eventOf(threeFields)])),
  );

/**
 * As in a module: V8 learns about each call site separately. Only for code that exists nowhere else: V8 reuses what it
 * has learned about the same text.
 */
const make = (code, names, values) => new Function(...names, code)(...values);

function siteOf(form, number, name, holders) {
  const { log, state } = holders;
  const service = make(
    `return new (class Service${number}${name} {
      #log = log;
      flag(i) { if (state.isOn) state.record(payload); return i; }
      event(i) { this.#log.${name}(payload); return i; }
    })();`,
    ['log', 'state', 'payload'],
    [log, state, payload],
  );
  const all = { ...holders, service, payload, KEY };
  const code = `return function site${number}${name}(i) { ${bodies[form](name)} return i; };`;
  return make(code, Object.keys(all), Object.values(all));
}

/** @param {keyof typeof bodies} form */
export function sites(form) {
  const all = [];
  for (let number = 0; number < SOURCES; number++) {
    const state = { isOn: false, record: () => {}, call: (work) => work(), kept: undefined };
    const holders = { log: define(number), state };
    for (const name of EVENTS) all.push(siteOf(form, number, name, holders));
  }
  const order = inNoOrder(all);
  return (iterations) => {
    let sum = 0;
    for (let i = 0; i < iterations; i++) sum += order[i % ORDERED](i);
    return sum;
  };
}

const ORDERED = 4096;

/** The same in each run. */
function inNoOrder(functions) {
  let random = 12345;
  return Array.from({ length: ORDERED }, () => {
    random = (random * 1103515245 + 12345) % 2 ** 31;
    return functions[Math.floor((random / 2 ** 31) * functions.length)];
  });
}
