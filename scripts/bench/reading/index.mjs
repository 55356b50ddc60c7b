// Measures reading: the largest available traces and two enlarged ones, each in a separate process.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../lib/run.mjs';
import { measureCommands } from './commands.mjs';
import { writeLargeActivities } from './large-activities.mjs';
import { writeLargeEtl } from './large-etl.mjs';

const child = join(import.meta.dirname, 'read-child.mjs');
const largeSize = { full: 1 << 30, quick: 64 << 20 };

const given = [
  ['objver4.nettrace', 'nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace'],
  ['only_managed_samples.nettrace', 'nettrace/only_managed_samples.nettrace'],
  ['net.4.5.2.x64.etl (compressed)', 'etl/net.4.5.2.x64.etl'],
  ['HTTP_Server.etl', 'etl/HTTP_Server.etl'],
  ['perf.data', 'perf-data/perf.data'],
];

/**
 * @typedef {object} ReadingRow
 * @property {string} title
 * @property {number} megabytes
 * @property {{ eventsPerSecond: number, megabytesPerSecond: number }} headers without payloads
 * @property {{ eventsPerSecond: number, megabytesPerSecond: number }} payloads
 * @property {number} timesScan how many times longer than a loop over the bytes of the file
 * @property {number} maxRssMegabytes of the process that reads headers
 */

/**
 * @returns {{ rows: ReadingRow[], commands: import('./commands.mjs').CommandRow[], verdicts: object[] }
 *   | { reason: string }}
 */
export function measureReading({ dataFolder, quick, progress }) {
  if (!dataFolder) return { reason: 'TRACEWRIGHT_DATA names no folder of traces.' };
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-bench-'));
  try {
    const size = largeSize[quick ? 'quick' : 'full'];
    const large = `${Math.round(size / 1e6)} MB`;
    progress(`a trace of ${large}`);
    const etl = join(folder, 'large.etl');
    const nettrace = join(folder, 'large.nettrace');
    writeLargeEtl(etl, dataFolder, size);
    writeLargeActivities(nettrace, { bytes: size });
    const files = [
      ...given.map(([title, path]) => [title, join(dataFolder, path)]).filter(([, path]) => existsSync(path)),
      [`HTTP_Server.etl, repeated, ${large}`, etl],
      [`a .nettrace (V6) of ${large}`, nettrace],
    ];
    const rows = files.map(([title, path]) => {
      progress(`reading ${title}`);
      return measureFile(title, path);
    });
    const commands = measureCommands({ folder, dataFolder, quick, progress });
    return { rows, commands: commands.rows, verdicts: [...verdictsOf(rows), ...commands.verdicts] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measureFile(title, path) {
  const read = (task) => JSON.parse(run(process.execPath, [child, path, task]));
  const scan = read('scan');
  const headers = read('headers');
  const rate = ({ events, seconds, size }) => ({
    eventsPerSecond: events / seconds,
    megabytesPerSecond: size / 1e6 / seconds,
  });
  return {
    title,
    megabytes: statSync(path).size / 1e6,
    headers: rate(headers),
    payloads: rate(read('payloads')),
    timesScan: headers.seconds / scan.seconds,
    maxRssMegabytes: headers.maxRssBytes / 1e6,
  };
}

function verdictsOf(rows) {
  const nettraces = rows.filter(({ title }) => title.includes('.nettrace'));
  const etl = rows.filter(({ title }) => title.includes('.etl') && !title.includes('compressed'));
  const large = rows.filter(({ megabytes }) => megabytes > 1000);
  const least = (list, of) => Math.min(...list.map(of));
  return [
    atLeast(
      'nettrace, without payloads: 1 million events/s',
      least(nettraces, (row) => row.headers.eventsPerSecond),
      1e6,
    ),
    atLeast(
      'nettrace with payloads: 300,000 events/s',
      least(nettraces, (row) => row.payloads.eventsPerSecond),
      3e5,
    ),
    atLeast(
      '.etl, uncompressed, without payloads: 200 MB/s',
      least(etl, (row) => row.headers.megabytesPerSecond),
      200,
    ),
    ...(large.length === 0
      ? []
      : [
          atMost(
            'a trace of 1 GB takes at most 300 MB of memory',
            Math.max(...large.map((row) => row.maxRssMegabytes)),
            300,
          ),
        ]),
  ];
}

const figureOf = (value) => Math.round(value).toLocaleString('en');

function atLeast(text, value, limit) {
  return { text, verdict: value >= limit ? 'met' : 'missed', figure: figureOf(value) };
}

function atMost(text, value, limit) {
  return { text, verdict: value <= limit ? 'met' : 'missed', figure: figureOf(value) };
}
