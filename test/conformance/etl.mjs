/**
 * Conformance with `etl/`: logs of Windows 7 to 11, with an independent reader's results for every record, and those of
 * Microsoft's TraceEvent for the events.
 *
 * - `NAME.etl.expected.jsonl.gz`: a line for each record, in time order
 * - `NAME.etl.head.jsonl`: the first of these lines
 * - `NAME.etl.summary.json`: the file's header, counts, and the SHA-256 of all lines
 * - `NAME.baseline.txt`: see `etl-baseline.mjs`
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { checkBaseline } from './etl-baseline.mjs';
import { readEtlEvents } from './etl-events.mjs';
import { logFile, pythonJson, recordRows } from './etl-record-lines.mjs';

export const name = 'etl';

export function applies(dir) {
  return existsSync(join(dir, 'etl'));
}

export async function run(dir, report) {
  const folder = join(dir, 'etl');
  for (const file of readdirSync(folder).filter((file) => file.endsWith('.etl'))) {
    const path = join(folder, file);
    try {
      const log = recordRows(readFileSync(path));
      const events = await readEtlEvents(path, manifestsOf(path));
      checkRecords(file, path, log, report);
      checkOrder(file, log, events, report);
      const baseline = path.replace(/\.etl$/, '.baseline.txt');
      if (existsSync(baseline)) checkBaseline(file, readFileSync(baseline, 'utf8'), events, report);
    } catch (error) {
      report.fail(file, `threw ${error.stack}`);
    }
  }
}

/** A manifest next to the log, with its name. */
function manifestsOf(path) {
  const manifest = path.replace(/\.etl$/, '.man');
  return existsSync(manifest) ? [readFileSync(manifest, 'utf8')] : [];
}

function checkRecords(file, path, { header, rows }, report) {
  const lines = rows.map(pythonJson);
  const expected = expectedLines(path);
  for (const [index, line] of expected.entries()) {
    report.compare(`${file}/record/${index}`, lines[index] ?? 'nothing', line);
  }
  const summary = readIfThere(`${path}.summary.json`);
  if (summary === undefined) return;
  const { records, withActivityId, withRelated, logfileHeader, counts, sha256ofSortedJsonl } =
    JSON.parse(summary);
  const same = (what, found, wanted) =>
    report.compare(`${file}/${what}`, pythonJson(found), pythonJson(wanted));
  same('records', lines.length, records);
  same(
    'withActivityId',
    rows.filter(({ activityId }) => /[1-9a-f]/.test(activityId ?? '')).length,
    withActivityId,
  );
  same('withRelated', rows.filter((row) => row.relatedActivityId !== undefined).length, withRelated);
  // Searched as text in the summary, since its numbers are too large for JSON.parse.
  const found = pythonJson(logFile(header)).replaceAll(' ', '');
  const isThere = summary.replaceAll(/\s/g, '').includes(`"logfileHeader":${found}`);
  same('logfileHeader', isThere ? 'the same' : found, isThere ? 'the same' : logfileHeader);
  const byKind = new Map();
  for (const row of rows) byKind.set(kindOf(row), (byKind.get(kindOf(row)) ?? 0) + 1);
  same('counts', Object.fromEntries([...byKind].sort()), Object.fromEntries(Object.entries(counts).sort()));
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  same('all records', hash.digest('hex'), sha256ofSortedJsonl);
}

function kindOf({ type, provider, group, id, version, opcode }) {
  return `${type}|${provider ?? group}|id=${id ?? 'None'}|v=${version}|op=${opcode}`;
}

function expectedLines(path) {
  const packed = `${path}.expected.jsonl.gz`;
  const text = existsSync(packed)
    ? gunzipSync(readFileSync(packed)).toString()
    : (readIfThere(`${path}.head.jsonl`) ?? '');
  return text.split('\n').filter((line) => line !== '');
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The events are all records except the log header, in the order of the reference's lines. */
function checkOrder(file, { rows }, events, report) {
  const wanted = rows.slice(1).map(({ filetime, proc, dataLen }) => `${filetime} ${proc} ${dataLen}`);
  const found = events.map((event) => {
    const fileTime = event.timestamp / 100n + 116_444_736_000_000_000n;
    return `${fileTime} ${event.processor} ${event.payloadBytes.length}`;
  });
  report.compare(`${file}/order`, found.join('\n'), wanted.join('\n'));
}
