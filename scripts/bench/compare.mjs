// `npm run bench -- --compare FILE`: what became slower since a run that was saved with --json. The machine may be
// another, or busier: each time counts as a ratio to the yardsticks of its own run, which are what is measured
// without tracewright.
import { cases } from './cases.mjs';

/** What another run of the same code differs by, on a busy machine. */
const SAME = 1.15;
/** Nanoseconds by which a time that short differs through what V8 makes of the same code. */
const SAME_NS = 1;

/** Cases that run nothing of tracewright, by how their ids begin. */
const YARDSTICKS = [
  /^empty-/,
  /-c(-threads)?$/,
  /^await-plain$/,
  /^otel-(api|noop)$/,
  /^file-(pino|otel|span)/,
  /^sites-(bare|flag|work|span|activeSpan)/,
  /^counters\w+-(empty|otel|prom)/,
  /^import-(?!tracewright)/,
  /^server-\w+-(bare|storage|pino|otel)/,
];

export const isYardstick = ({ id }) => YARDSTICKS.some((pattern) => pattern.test(id));

const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

const figuresOf = ({ groups }) =>
  new Map(groups.flatMap(({ figures }) => figures.map((figure) => [figure.id, figure])));

/** What the yardsticks took, of the case's group where it has some that can be told from none. */
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
 * @property {boolean} isSame within what two runs of the same code differ by
 */

/** @returns {{ changes: Change[], missing: string[] }} what is no yardstick; and what was measured only before */
export function compareReports(before, after) {
  const [old, now] = [figuresOf(before), figuresOf(after)];
  const ours = [...old.values()].filter((figure) => !isYardstick(figure));
  const changes = ours
    .filter(({ id }) => now.has(id))
    .map((figure) => {
      const current = now.get(figure.id);
      const yardstick = yardstickGrowth(figure.group, old, now);
      const expected = { median: figure.median * yardstick, best: figure.best * yardstick };
      // What only the median or only the best says may be a busy moment.
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

/** Of what takes no time that could be told, at least a tenth of a nanosecond. */
const growthOf = (current, expected) => Math.max(current, 0.1) / Math.max(expected, 0.1);

/** @param {number} slack difference that does not count */
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
