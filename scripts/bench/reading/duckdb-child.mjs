// What DuckDB takes for the table of events that `tracewright export --parquet` writes besides others: through its
// appender, value by value, then copied to Parquet. Arguments: the file for CPU time and peak memory, the folder to
// write to, and the trace.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openTrace } from '../../../dist/trace/open-trace.js';
import { PayloadJson } from '../../../dist/view/payload-json.js';

// CommonJS; scripts/extra-packages.mjs installs it, so it may be missing when types are checked.
const { DuckDBInstance } = createRequire(import.meta.url)('@duckdb/node-api');

const COLUMNS = {
  trace: 'VARCHAR',
  ts_ns: 'BIGINT',
  ts_since_start_ns: 'BIGINT',
  pid: 'BIGINT',
  tid: 'BIGINT',
  cpu: 'BIGINT',
  provider: 'VARCHAR',
  provider_guid: 'VARCHAR',
  name: 'VARCHAR',
  id: 'BIGINT',
  version: 'BIGINT',
  level: 'BIGINT',
  opcode: 'BIGINT',
  task: 'BIGINT',
  keywords: 'BIGINT',
  activity_id: 'VARCHAR',
  activity_path: 'VARCHAR',
  related_activity_id: 'VARCHAR',
  payload: 'VARCHAR',
};

const [figures, folder, path] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
await connection.run(`CREATE TABLE events (${columns.join(', ')})`);
const appender = await connection.createAppender('events');
const payloads = new PayloadJson();
const big = (value) => (value === undefined ? undefined : BigInt(value));
for await (const batch of (await openTrace(path)).batches()) {
  for (const event of batch) append(event);
}
appender.closeSync();
mkdirSync(folder, { recursive: true });
await connection.run(
  `COPY events TO '${join(folder, 'events.parquet')}' (FORMAT parquet, COMPRESSION snappy)`,
);
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
writeFileSync(figures, JSON.stringify({ cpuSeconds, maxRssBytes: maxRSS * 1024 }));

/** In the order of the columns. */
function append(event) {
  const values = [
    path,
    event.timestamp,
    event.timeSinceStart,
    big(event.processId),
    big(event.threadId),
    big(event.processor),
    event.provider,
    event.providerGuid,
    event.name,
    ...[event.id, event.version, event.level, event.opcode, event.task].map(big),
    event.keywords,
    event.activityId,
    event.activityPath,
    event.relatedActivityId,
    payloads.text(event),
  ];
  for (const value of values) {
    if (value === undefined) appender.appendNull();
    else if (typeof value === 'bigint') appender.appendBigInt(value);
    else appender.appendVarchar(value);
  }
  appender.endRow();
}
