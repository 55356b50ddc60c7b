// `npm run bench -- --compare FILE`: what became slower since a run saved with --json. The machine may be different or
// busier: each time counts as a ratio to the yardsticks of its own run, which are the cases without tracewright.
import { cases } from './cases.mjs';
import { markdownTable } from './table.mjs';

/** The difference between runs of the same code on a busy machine. */
const SAME = 1.15;
/** The difference, in nanoseconds, that V8's compilation of the same code can make. */
const SAME_NS = 1;

/** Prefixes of the ids of cases that run nothing of tracewright. */
const YARDSTICKS = [
  /^empty-/,
  /-c(-threads)?$/,
  /^await-plain$/,
  /^file-(pino|otel|span)/,
  /^sites-(bare|flag|work)/,
  /^counters\w+-(empty|otel|prom)/,
  /^import-(?!tracewright)/,
  /^(server|automatic)-\w+-(bare|storage|pino|otel)/,
];

export const isYardstick = ({ id }) => YARDSTICKS.some((pattern) => pattern.test(id));

const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

const figuresOf = ({ groups }) =>
  new Map(groups.flatMap(({ figures }) => figures.map((figure) => [figure.id, figure])));

/** The yardsticks' times: those of the case's group, if it has any that are long enough. */
function yardstickGrowth(group, before, after) {
  const grown = (candidates) =>
    candidates
      .map(({ id }) => [before.get(id), after.get(id)])
      .filter(([old, now]) => old?.best > SAME_NS && now?.best > SAME_NS)
      .map(([old, now]) => now.best / old.best);
  const all = cases.filter(isYardstick);
  const own = grown(all.filter((each) => each.group === group));
  const growths = own.length > 0 ? own : grown(all);
  return growths.length > 0 ? geometricMean(growths) : 1;
}

/**
 * Reading has its own yardstick: a loop over the same bytes.
 * @param {{ rows?: readonly import('./reading/index.mjs').ReadingRow[] }} reading
 */
function timesOfReading({ rows = [] }) {
  return new Map(
    rows.flatMap(({ title, headers, payloads, timesScan }) => [
      [`reading all but payloads of ${title}`, timesScan],
      [`reading ${title}`, (timesScan * headers.eventsPerSecond) / payloads.eventsPerSecond],
    ]),
  );
}

/**
 * @typedef {object} Change
 * @property {string} title
 * @property {number} growth of its ratio to the yardsticks: above 1 it became slower
 * @property {boolean} isSame within the difference of two runs of the same code
 */

/**
 * @returns {{ changes: Change[], missing: string[] }} everything but the yardsticks; and what was only measured before
 */
export function compareReports(before, after) {
  const [old, now] = [figuresOf(before), figuresOf(after)];
  const ours = [...old.values()].filter((figure) => !isYardstick(figure));
  const changes = ours
    .filter(({ id }) => now.has(id))
    .map((figure) => {
      const current = now.get(figure.id);
      const yardstick = yardstickGrowth(figure.group, old, now);
      const expected = { median: figure.median * yardstick, best: figure.best * yardstick };
      // If only the median or only the best differs, that may be a busy moment.
      const property = isCloser('best', 'median', current, expected) ? 'best' : 'median';
      return changeOf(`${figure.group}: ${figure.title}`, current[property], expected[property], SAME_NS);
    });
  const reading = timesOfReading(before.reading);
  const readingNow = timesOfReading(after.reading);
  for (const [title, times] of reading) {
    if (readingNow.has(title)) changes.push(changeOf(title, readingNow.get(title), times, 0));
  }
  const missing = [
    ...ours.filter(({ id }) => !now.has(id)).map(({ group, title }) => `${group}: ${title}`),
    ...[...reading.keys()].filter((title) => !readingNow.has(title)),
  ];
  return { changes, missing };
}

const isCloser = (one, other, current, expected) => {
  const distance = (property) => Math.abs(Math.log(growthOf(current[property], expected[property])));
  return distance(one) < distance(other);
};

/** For times too short to measure, at least a tenth of a nanosecond. */
const growthOf = (current, expected) => Math.max(current, 0.1) / Math.max(expected, 0.1);

/** @param {number} slack difference to ignore */
function changeOf(title, current, expected, slack) {
  const growth = growthOf(current, expected);
  const isSame = Math.abs(current - expected) <= slack || (growth < SAME && growth > 1 / SAME);
  return { title, growth, isSame };
}

export function comparisonText({ changes, missing }) {
  const told = changes.filter(({ isSame }) => !isSame).sort((a, b) => b.growth - a.growth);
  const line = ({ title, growth }) =>
    growth > 1 ? `slower ${growth.toFixed(2)}x: ${title}` : `faster ${(1 / growth).toFixed(2)}x: ${title}`;
  const same = changes.length - told.length;
  return [
    ...told.map(line),
    `${told.filter(({ growth }) => growth > 1).length} slower, ${told.filter(({ growth }) => growth < 1).length} faster, ${same} the same, by ratio to the yardsticks of each run`,
    ...missing.map((title) => `not measured this time: ${title}`),
  ].join('\n');
}

/** Two reports whose cases ran in turns: their medians need no yardstick. */
export function pairsAsMarkdown(before, after) {
  const old = figuresOf(before);
  const rows = [...figuresOf(after).values()]
    .filter(({ id }) => old.has(id))
    .map(({ id, group, title, median, best }) => {
      const was = old.get(id);
      const ratio = (now, then) => growthOf(now, then).toFixed(2);
      const times = [was.median, median].map((ns) => ns.toFixed(1));
      return [`${group}: ${title}`, ...times, ratio(median, was.median), ratio(best, was.best)];
    });
  const columns = ['', 'before, ns', 'now, ns', 'ratio', 'ratio of the best'];
  return markdownTable([columns, ...rows]);
}
