/**
 * Conformance with `perf-data/`: recordings by `perf record`, and how Microsoft's C++ decoder (LinuxTracepoints)
 * interprets them: next to `NAME`, `NAME.linux.json` with one line per sample, in file order.
 *
 * EventHeader samples must yield the same text. For other tracepoints the name, the values of all fields, time,
 * processor, process and thread must be the same. Opened as a trace, the file must yield an event for each sample, in
 * time order, with the same name, values, ids, level, keywords, opcode and activities.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPerfData } from '../../dist/trace/perf-data/open-perf-data.js';
import { openFile } from '../../dist/trace/source/file-source.js';
import { jsonValue } from '../../dist/trace/trace-event.js';
import { readTracepointValue } from '../../dist/wire/perf-data/tracepoint-value.js';
import { loadTestModule } from '../../scripts/lib/test-module.mjs';
import { readObjectLines } from './reference-text.mjs';

const { renderEventJson } = await loadTestModule('test/wire/eventheader/render-json.ts');
const { readPerfData } = await loadTestModule('test/wire/perf-data/perf-data-file.ts');

export const name = 'perf-data';

export function applies(dir) {
  return recordingsIn(dir).length > 0;
}

export async function run(dir, report) {
  const recordings = recordingsIn(dir);
  for (const { path, prefix } of recordings) {
    const expected = readObjectLines(`${path}.linux.json`);
    report.try(`${prefix}samples`, () => runSamples(path, prefix, expected, report));
    await report.tryAsync(`${prefix}trace`, () => runTrace(path, prefix, expected, report));
  }
}

function runSamples(path, prefix, expected, report) {
  const { session, records } = readPerfData(readFileSync(path));
  const samples = [...records()].filter((record) => record.kind === 'sample');
  for (const [index, sample] of samples.entries()) {
    const id = `${prefix}sample/${index}`;
    report.try(id, () => runSample(id, session, sample, expected[index] ?? '{}', report));
  }
  if (samples.length !== expected.length) {
    report.fail(`${prefix}samples`, `got ${samples.length} samples, expected ${expected.length}`);
  }
}

/** With the beginning of their cases' ids: none for the original one. */
function recordingsIn(dir) {
  const folder = join(dir, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => existsSync(join(folder, `${file}.linux.json`)))
    .map((file) => ({ path: join(folder, file), prefix: file === 'perf.data' ? '' : `${file}/` }));
}

function runSample(id, session, sample, expected, report) {
  const { pid, tid, cpu, timeNs } = sample;
  const time = wallTimeText(timeNs + (session.wallTimeOffsetNs ?? 0n));
  const { system, name: tracepointName, fields, eventHeaderOffset } = sample.tracepoint;
  if (eventHeaderOffset !== undefined) {
    const options = { sample: { time, cpu, pid, tid } };
    report.compare(
      id,
      renderEventJson(tracepointName, sample.raw.subarray(eventHeaderOffset), options),
      expected,
    );
    return;
  }
  const values = fields.map((field) => [
    field.name,
    readTracepointValue(field, sample.raw, session.littleEndian),
  ]);
  const found = {
    n: `${system}:${tracepointName}`,
    ...Object.fromEntries(values),
    meta: { time, cpu, pid, tid },
  };
  report.compare(
    id,
    JSON.stringify(found, numbersAsText),
    JSON.stringify(JSON.parse(expected), numbersAsText),
  );
}

/** The same samples as a trace's events, which arrive in time order: their positions give the file order. */
async function runTrace(path, prefix, expected, report) {
  const events = [];
  try {
    const reader = await openPerfData(await openFile(path), { manifests: [] });
    for await (const batch of reader.batches()) events.push(...batch);
  } catch (error) {
    report.fail(`${prefix}trace`, `threw ${error.stack}`);
    return;
  }
  const isSorted = events.every((event, i) => i === 0 || events[i - 1].timestamp <= event.timestamp);
  report.compare(
    `${prefix}trace`,
    `${events.length} events, sorted: ${isSorted}`,
    `${expected.length} events, sorted: true`,
  );
  events.sort((a, b) => a.position - b.position);
  for (const [index, event] of events.entries()) {
    const id = `${prefix}trace/${index}`;
    report.try(id, () => runTraceEvent(id, event, parseExactly(expected[index] ?? '{}'), report));
  }
}

function runTraceEvent(id, event, { n, meta, ...payload }, report) {
  const withoutZeros = (value) => (value === 0 || value === '0x0' ? undefined : value);
  const found = {
    n: `${event.provider}:${event.name}`,
    time: wallTimeText(event.timestamp),
    cpu: event.processor,
    pid: event.processId,
    tid: event.threadId,
    id: withoutZeros(event.id),
    version: event.id === 0 ? undefined : withoutZeros(event.version),
    level: withoutZeros(event.level),
    keyword: withoutZeros(`0x${event.keywords.toString(16).toUpperCase()}`),
    opcode: withoutZeros(event.opcode),
    activity: event.activityId,
    relatedActivity: event.relatedActivityId,
    problem: event.payloadProblem,
  };
  const { tag, ...told } = meta;
  const wanted = { n, ...told };
  if (wanted.id === undefined) delete wanted.version;
  for (const key of Object.keys(found)) wanted[key] ??= undefined;
  const inOrder = (object) => JSON.stringify(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (inOrder(found) !== inOrder(wanted)) return report.compare(id, inOrder(found), inOrder(wanted));
  if (isSame(event.payload, payload)) return report.pass(id);
  report.compare(id, JSON.stringify(jsonValue(event.payload)), JSON.stringify(payload));
}

/** JSON whose integers keep all digits: as text if JavaScript's numbers cannot. */
function parseExactly(json) {
  return JSON.parse(json.replace(/([:[,])(-?\d{16,})(?=[,\]}])/g, '$1"$2"'));
}

/** Whether a value matches what the reference shows. */
function isSame(value, shown) {
  if (Array.isArray(value)) {
    return (
      Array.isArray(shown) &&
      value.length === shown.length &&
      value.every((element, i) => isSame(element, shown[i]))
    );
  }
  if (value instanceof Uint8Array)
    return Buffer.from(value).toString('hex') === String(shown).replaceAll(' ', '');
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value);
    return (
      names.sort().join() === Object.keys(shown).sort().join() &&
      names.every((member) => isSame(value[member], shown[member]))
    );
  }
  if (typeof value === 'number' || typeof value === 'bigint') return isSameNumber(value, shown);
  return value === shown;
}

function isSameNumber(number, shown) {
  if (typeof shown === 'number') {
    const tolerance = Number.isInteger(shown) ? 0 : Math.abs(shown) * 1e-7;
    return Math.abs(Number(number) - shown) <= tolerance;
  }
  const [, errno] = /\((-?\d+)\)$/.exec(shown) ?? [];
  if (errno !== undefined) return String(number) === errno;
  if (/^\d+-\d\d-\d\dT/.test(shown)) {
    const milliseconds = Date.parse(`${shown.replace(/^(\d{5})-/, '+0$1-')}Z`);
    return Number(number) * 1000 === milliseconds;
  }
  if (/^-?nan$/i.test(shown)) return Number.isNaN(number);
  if (/^-?inf$/i.test(shown)) return number === (shown.startsWith('-') ? -Infinity : Infinity);
  return BigInt(number) === BigInt(shown);
}

/** The reference shows some integers in hex, depending on their declared type. */
function numbersAsText(key, value) {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && /^0x[0-9A-F]+$/.test(value)) return String(BigInt(value));
  return key !== '' && typeof value === 'number' ? String(value) : value;
}

/** `2024-03-28T00:45:12.640913120Z` */
function wallTimeText(ns) {
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`;
}
