/** What the command takes on large traces, with little memory to use: CPU time and peak memory. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../lib/run.mjs';
import { writeLargeActivities } from './large-activities.mjs';
import { writeLargePerfData } from './large-perf-data.mjs';

const child = join(import.meta.dirname, 'command-child.mjs');
/** V8 ends the process where it needs more. */
const HEAP_MEGABYTES = 512;

const toNowhere = (format) => ['export', '--format', format, '-o', '/dev/null'];
const ofSamples = [['stats'], ['dump', '--json']];
const ofActivities = [
  ['stats'],
  ['dump'],
  ['dump', '--json'],
  ['view', '--stats'],
  ['explain'],
  ['report', '-o', '/dev/null'],
  ...['nettrace', 'csv', 'perfetto', 'speedscope', 'otlp'].map(toNowhere),
];

/**
 * @typedef {object} CommandRow
 * @property {string} title the command and its trace
 * @property {number} megabytes
 * @property {number} events
 * @property {number} cpuSeconds of all threads
 * @property {number} maxRssMegabytes
 */

/** @returns {{ rows: CommandRow[], verdicts: object[] }} */
export function measureCommands({ folder, dataFolder, quick, progress }) {
  const count = quick ? 100_000 : 1_000_000;
  const rows = [];
  const measure = (path, events, commands) => {
    for (const command of commands) {
      progress(`${command.join(' ')} of ${path}`);
      rows.push(measureCommand(folder, path, events, command));
    }
  };
  const activities = join(folder, 'activities.nettrace');
  const lake = join(folder, 'lake');
  const toFolder = ['export', '--parquet', lake];
  measure(activities, writeLargeActivities(activities, { events: count }), [...ofActivities, toFolder]);
  const runs = join(folder, 'runs.nettrace');
  measure(runs, writeLargeActivities(runs, { events: count, hasRuns: true }), [
    ['view', '--stats'],
    ['explain'],
  ]);
  const samples = join(folder, 'perf.data');
  const given = join(dataFolder, 'perf-data/perf.data');
  measure(samples, writeLargePerfData(samples, given, count), ofSamples);
  if (!quick) {
    const large = join(folder, 'large-activities.nettrace');
    const events = writeLargeActivities(large, { bytes: 1 << 30, sqlLength: 1000 });
    measure(large, events, [...ofActivities, toFolder]);
  }
  return { rows, verdicts: quick ? [] : verdictsOf(rows, activities, runs, samples) };
}

function measureCommand(folder, path, events, command) {
  const figures = join(folder, 'figures.json');
  run(process.execPath, [`--max-old-space-size=${HEAP_MEGABYTES}`, child, figures, ...command, path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const title = command.filter((argument) => !argument.startsWith('/') && argument !== '-o').join(' ');
  return rowOf(figures, path, events, title);
}

function rowOf(figures, path, events, title) {
  const { cpuSeconds, maxRssBytes } = JSON.parse(readFileSync(figures, 'utf8'));
  return {
    title,
    path,
    megabytes: statSync(path).size / 1e6,
    events,
    cpuSeconds,
    maxRssMegabytes: maxRssBytes / 1e6,
  };
}

function verdictsOf(rows, activities, runs, samples) {
  const secondsOf = (title, path = activities) =>
    rows.find((row) => row.path === path && row.title === title)?.cpuSeconds ?? Number.NaN;
  const explainTimes = (path) => secondsOf('explain', path) / secondsOf('view --stats', path);
  const most = Math.max(...rows.map(({ maxRssMegabytes }) => maxRssMegabytes));
  return [
    atMost('`view --stats` of 1 million events takes at most 3 s of CPU', secondsOf('view --stats'), 3, 's'),
    atMost('`report` of 1 million events takes at most 6 s of CPU', secondsOf('report'), 6, 's'),
    atMost(
      '`dump --json` of 1 million events takes at most 3.3 s of CPU',
      secondsOf('dump --json'),
      3.3,
      's',
    ),
    atMost('`stats` of 1 million samples takes at most 2.4 s of CPU', secondsOf('stats', samples), 2.4, 's'),
    atMost(
      '`dump --json` of 1 million samples takes at most 6 s of CPU',
      secondsOf('dump --json', samples),
      6,
      's',
    ),
    atMost('`explain` takes at most 1.5 times as long as `view --stats`', explainTimes(activities), 1.5, 'x'),
    atMost('so it does of a trace that says what the loop ran', explainTimes(runs), 1.5, 'x'),
    atMost(
      '`export --parquet` of 1 million events takes at most 4 s of CPU',
      secondsOf('export --parquet'),
      4,
      's',
    ),
    atMost('no command takes more than 300 MB of memory', most, 300, 'MB'),
  ];
}

function atMost(text, value, limit, unit) {
  return { text, verdict: value <= limit ? 'met' : 'missed', figure: `${value.toFixed(1)} ${unit}` };
}
