/**
 * `tracewright explain` names the cause of each slow request of a server that has a cause in each of its routes, while
 * other requests come all the time, and says how long each made the request wait, as the server itself has measured.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeEachNode } from './each-node.ts';

interface Explained {
  readonly field: string;
  readonly durationMSec: number;
  readonly sentence: string;
  readonly states: readonly {
    readonly state: string;
    readonly what: string;
    readonly msec: number;
    readonly atLeastMSec: number;
    readonly atMostMSec: number;
  }[];
}

interface Printed {
  /** What the server measured, by the request's path. */
  readonly truths: Readonly<Record<string, number>>;
  readonly explanation: { readonly activities: readonly Explained[] };
}

/** Its own code, which every cause needs some of. */
const OWN = ['running', 'offProcessor', 'collection', 'held'];
/**
 * What the first sentences say, and which states the server measured together: besides what it waited for, perhaps some
 * of its own code, which on a busy machine takes long.
 */
const CAUSES: Readonly<Record<string, { readonly sentence: RegExp; readonly states: readonly string[] }>> = {
  cpu: { sentence: /its own code ran \(.*burn/, states: OWN },
  gc: { sentence: /V8 collected garbage in its own code/, states: ['collection'] },
  'sync-fs': {
    sentence:
      /\(readFileSync, called by .*blocked the thread.*: synchronous I\/O|blocked the thread \(readFileSync/,
    states: ['offProcessor', 'running'],
  },
  exec: { sentence: /\(execFileSync, called by .*: a child process/, states: ['offProcessor', 'running'] },
  lock: { sentence: /blocked the thread.*: a lock/, states: ['offProcessor', 'running'] },
  cold: {
    sentence: /its own code ran \(loading modules\)/,
    states: ['running', 'offProcessor', 'collection'],
  },
  held: { sentence: /the loop ran GET \/hog\/:id \(.*burn/, states: ['held'] },
  'held-by-timer': { sentence: /the loop ran code outside of activities.* \(.*burn/, states: ['held'] },
  pool: { sentence: /for its turn, until GET \/pool\/:id let it go on/, states: ['pool'] },
  agent: {
    sentence: /for its turn, until GET \/agent\/:id let it go on|for a socket of the agent/,
    states: ['pool', 'child'],
  },
  pbkdf2: { sentence: /for the thread pool \(crypto\.pbkdf2\)/, states: ['threadPool', ...OWN] },
  dns: { sentence: /for dns\.resolve/, states: ['otherSide'] },
  'slow-lookup': {
    sentence: /for DNS of slow\.example/,
    states: ['child', 'otherSide', 'threadPool', ...OWN],
  },
  sleep: { sentence: /for a timer that it had set itself\./, states: ['timer'] },
  'n1-in-turn': { sentence: /9 calls of GET .*one after the other \(N\+1\)/, states: ['child', ...OWN] },
  'n1-in-parallel': { sentence: /9 calls of GET .*at the same time \(N\+1\)/, states: ['child', ...OWN] },
  downstream: {
    sentence: /for GET 127\.0\.0\.1:\d+\/slow(?:, at seeded-causes\.mjs:\d+)?\./,
    states: ['child'],
  },
  'slow-reader': { sentence: /for the reader of what it wrote/, states: ['otherSide'] },
  upload: { sentence: /for the request body/, states: ['otherSide'] },
  retry: {
    sentence: /between 3 calls of GET .*\/flaky.* of which 2 failed: it retries/,
    states: ['timer', ...OWN],
  },
};
/** Of three requests, the machine may disturb one. */
const ROUNDS = [0, 1, 2];
const ENOUGH = 2;
const SHARE = 0.05;
const MS = 3;

/** What was said about the requests to a route. */
interface Answers {
  readonly route: string;
  readonly right: number;
  readonly unknown: number;
  readonly wrong: readonly string[];
  /** How many of them waited as long as was said. */
  readonly measured: number;
  /** What the server measured, and what was said. */
  readonly times: readonly string[];
}

describeEachNode('tracewright explain', (run, major) => {
  let printed: Printed;
  beforeAll(async () => {
    printed = (await run('child/explain-programs/causes.mjs')) as Printed;
  }, 120_000);

  it('names the cause of each slow request', () => {
    const rows = Object.keys(CAUSES).map((route) => answersOf(printed, route));
    console.log(tableOf(`Node.js ${major}`, rows));
    expect(rows.filter(({ right }) => right < ENOUGH)).toEqual([]);
  });

  it('says how long it made the request wait', () => {
    const rows = Object.keys(CAUSES).map((route) => answersOf(printed, route));
    expect(rows.filter(({ measured }) => measured < ENOUGH)).toEqual([]);
  });

  it('adds up to the duration of each request', () => {
    for (const { states, durationMSec } of printed.explanation.activities) {
      expect(states.reduce((sum, { msec }) => sum + msec, 0)).toBeCloseTo(durationMSec, 6);
    }
  });

  // Node.js 20 tells neither.
  if (Number(major) < 22) return;
  it('names the line that made a call, and counts the modules that were loaded', () => {
    const program = readFileSync(join(import.meta.dirname, 'explain-programs/seeded-causes.mjs'), 'utf8');
    const line = program.split('\n').findIndex((text) => text.includes('const request = get(')) + 1;
    for (const { sentence } of requestsOf(printed, 'downstream')) {
      expect(sentence).toContain(`/slow, at seeded-causes.mjs:${line}.`);
    }
    for (const { sentence } of requestsOf(printed, 'cold')) {
      expect(sentence).toMatch(/ [\d.,]+ ms went into loading 201 modules\.$/);
    }
  });
});

function answersOf(printed: Printed, route: string): Answers {
  const { sentence, states } = CAUSES[route] as (typeof CAUSES)[string];
  const requests = requestsOf(printed, route);
  const isUnknown = (each: Explained) => each.sentence.includes('the trace does not say');
  const wrong = requests.filter((each) => !sentence.test(each.sentence));
  const waits = states.filter((state) => !OWN.includes(state));
  const times = requests.map((each) => {
    const [atLeast] = boundsOf(each, waits.length > 0 ? waits : states);
    const [, atMost] = boundsOf(each, [...new Set([...states, ...OWN])]);
    const truth = printed.truths[pathOf(each)] ?? 0;
    const tolerance = Math.max(MS, truth * SHARE);
    const isRight = truth >= atLeast - tolerance && truth <= atMost + tolerance;
    return { isRight, text: `${[truth, atLeast, atMost].map((ms) => ms.toFixed(0)).join('/')}` };
  });
  return {
    route,
    right: requests.length - wrong.length,
    unknown: wrong.filter(isUnknown).length,
    wrong: wrong.filter((each) => !isUnknown(each)).map((each) => each.sentence),
    measured: times.filter(({ isRight }) => isRight).length,
    times: times.map(({ text, isRight }) => (isRight ? text : `(${text})`)),
  };
}

/** Causes and what was said about them, for people. */
function tableOf(title: string, rows: readonly Answers[]): string {
  const lines = rows.map(
    ({ route, right, wrong, unknown, times }) =>
      `${route.padEnd(16)}${[right, wrong.length, unknown].map((count) => `${count}`.padStart(9)).join('')}  ${times.join(' ')}`,
  );
  const head = `${'Cause'.padEnd(16)}${['right', 'wrong', 'unknown'].map((each) => each.padStart(9)).join('')}  ms measured/at least/at most`;
  return [title, head, ...lines].join('\n');
}

/** Those that had to wait: of a pool, only the last ones. */
function requestsOf({ explanation }: Printed, route: string): Explained[] {
  const isQueued = route === 'pool' || route === 'agent';
  const paths = ROUNDS.map((round) => `/${route}/${round}${isQueued ? '6' : ''}`);
  return explanation.activities.filter((each) => paths.includes(pathOf(each)));
}

function pathOf({ field }: Explained): string {
  return field.replace('/pathAndQuery=', '');
}

function boundsOf({ states }: Explained, names: readonly string[]): [atLeast: number, atMost: number] {
  const all = states.filter(({ state }) => names.includes(state));
  return [
    all.reduce((sum, { atLeastMSec }) => sum + atLeastMSec, 0),
    all.reduce((sum, { atMostMSec }) => sum + atMostMSec, 0),
  ];
}
