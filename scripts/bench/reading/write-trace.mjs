// `node scripts/bench/reading/write-trace.mjs OUT.nettrace BYTES`, or `OUT.data SAMPLES`: writes a trace of any size, to
// try the command on. The first has the activities of a busy server; the second repeats the samples of a perf.data of
// the folder that TRACEWRIGHT_DATA names. --sql-length makes larger events.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeLargeActivities } from './large-activities.mjs';
import { writeLargePerfData } from './large-perf-data.mjs';

const {
  positionals: [path = '', size = ''],
  values,
} = parseArgs({ allowPositionals: true, options: { 'sql-length': { type: 'string' } } });

function write() {
  const count = Number(size);
  if (!(count > 0)) throw new Error(`The size is not a number: "${size}".`);
  if (path.endsWith('.nettrace')) {
    const sqlLength = values['sql-length'];
    return writeLargeActivities(path, { bytes: count, ...(sqlLength && { sqlLength: Number(sqlLength) }) });
  }
  if (!path.endsWith('.data')) throw new Error(`"${path}" ends neither in .nettrace nor in .data.`);
  const folder = process.env.TRACEWRIGHT_DATA;
  if (!folder) throw new Error('TRACEWRIGHT_DATA names no folder of traces.');
  return writeLargePerfData(path, join(folder, 'perf-data/perf.data'), count);
}

const events = write();
process.stdout.write(`${path}: ${events} events, ${statSync(path).size} bytes\n`);
