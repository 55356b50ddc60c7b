/**
 * Conformance with `nettrace/`, or any folder of such files: EventPipe traces, and TraceEvent's results for each.
 *
 * - `.expected.jsonl[.gz]`, `.events.jsonl`: every event with everything it has, in order, then the trace's head
 * - `.baseline.txt`: for each name the number of events, and the values of the first, as PerfView shows them
 * - `.error.json`: the file is rejected, after the events before the fault
 *
 * Where TraceEvent itself is wrong, or shows something in its own way, `nettrace-differences.mjs` says so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Guid } from '../../dist/activity/guid.js';
import { isActivityPath } from '../../dist/activity/path.js';
import { formatPerfViewActivityPath } from '../../dist/activity/perfview-path.js';
import { hexText } from '../../dist/base/bytes.js';
import { openNetTrace } from '../../dist/trace/nettrace/open-nettrace.js';
import { MemorySource } from '../../dist/trace/source/memory-source.js';
import { guidText } from '../../dist/wire/guid.js';
import { compareBaseline, milliseconds, perfViewName } from './nettrace-baseline.mjs';
import { KNOWN_DIFFERENCES, PAYLOAD_DIFFERENCES, withoutTableNumbers } from './nettrace-differences.mjs';

export const name = 'nettrace';

const TRACE = /\.(nettrace|netperf)$/;

export function applies(dir) {
  return folderOf(dir) !== undefined;
}

export async function run(dir, report) {
  const folder = folderOf(dir);
  const files = readdirSync(folder);
  for (const file of files.filter((entry) => TRACE.test(entry))) {
    const base = file.replace(TRACE, '');
    const answer = (ending) => (files.includes(ending) ? join(folder, ending) : undefined);
    const trace = await readTrace(join(folder, file));
    const lines =
      answer(`${base}.expected.jsonl.gz`) ??
      answer(`${base}.expected.jsonl`) ??
      answer(`${base}.events.jsonl`);
    const baseline = answer(`${file}.baseline.txt`);
    const error = answer(`${base}.error.json`);
    if (lines !== undefined) report.try(base, () => compareLines(base, trace, readLines(lines), report));
    if (baseline !== undefined)
      report.try(base, () => compareBaseline(base, trace.events, readLines(baseline), report));
    compareEnd(`${base}/end`, trace, error, report);
  }
}

/** The part of the data folder, or the folder itself. */
function folderOf(dir) {
  const holdsTraces = (folder) => existsSync(folder) && readdirSync(folder).some((file) => TRACE.test(file));
  return [join(dir, name), dir].find(holdsTraces);
}

async function readTrace(path) {
  const events = [];
  let reader;
  let error;
  try {
    reader = await openNetTrace(new MemorySource(readFileSync(path)));
    for await (const batch of reader.batches()) events.push(...batch);
  } catch (thrown) {
    error = thrown;
  }
  return { reader, events, error };
}

function readLines(path) {
  const bytes = readFileSync(path);
  const text = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  return text.split('\n').filter((line) => line !== '');
}

/** TraceEvent rejects a truncated trace with "Read past end of stream". */
function compareEnd(id, { error }, errorPath, report) {
  const expected = errorPath && JSON.parse(readFileSync(errorPath, 'utf8')).message;
  const found = error && (error.code === 'truncated' ? 'Read past end of stream.' : error.message);
  report.compare(id, String(found), String(expected));
}

function compareLines(base, trace, lines, report) {
  const expected = lines.map((line) => JSON.parse(line));
  const heads = expected.filter((line) => line.header !== undefined).map((line) => line.header);
  const events = expected.filter((line) => line.header === undefined);
  report.compare(`${base}/count`, String(trace.events.length), String(events.length));
  for (const [index, event] of events.entries()) {
    const found = trace.events[index];
    const id = `${base}/${index}`;
    if (found === undefined) continue;
    report.try(id, () => {
      const shown = shownEvent(found, index);
      compareObjects(id, base, shown, withoutTableNumbers(event, shown), report);
    });
  }
  for (const head of heads) {
    report.try(`${base}/head`, () => compareObjects(`${base}/head`, base, shownHead(trace), head, report));
  }
}

function compareObjects(id, base, found, expected, report) {
  const keys = Object.keys(expected);
  const values = keys.map((key) => {
    const known = KNOWN_DIFFERENCES.find((difference) => difference.file === base && difference.key === key);
    return known?.answer === expected[key] && known?.ours === found[key] ? known?.answer : found[key];
  });
  const pairs = keys.map((key, i) => [
    key,
    key === 'payload' ? sameNulls(values[i], expected[key]) : values[i],
  ]);
  report.compare(id, JSON.stringify(Object.fromEntries(pairs)), JSON.stringify(expected, plainEnums));
}

/** For enums, the trace contains only the number; the names are TraceEvent's. */
function plainEnums(_key, value) {
  return value?.enum !== undefined && value.value !== undefined ? value.value : value;
}

/** Fields beyond the end of the payload are absent here, null there. */
function sameNulls(payload, expected) {
  const absent = Object.keys(expected).filter((key) => expected[key] === null && !(key in payload));
  return { ...payload, ...Object.fromEntries(absent.map((key) => [key, null])) };
}

/** An event in the form of the answers. */
function shownEvent(event, index) {
  return {
    n: index,
    provider: event.provider,
    providerGuid: event.providerGuid,
    id: event.id,
    name: perfViewName(event),
    task: event.task,
    taskName: event.taskName,
    opcode: event.opcode,
    opcodeName: event.opcodeName,
    level: event.level,
    keywords: `0x${event.keywords.toString(16)}`,
    version: event.version,
    timestamp: timeText(event.timestamp),
    relMSec: milliseconds(event),
    qpc: String(event.ticks),
    pid: event.processId,
    tid: event.threadId,
    // TraceEvent cannot represent an unknown processor.
    cpu: event.processor ?? 0,
    activityId: event.activityId ?? null,
    activityPath: pathOf(event.activityId),
    relatedActivityId: event.relatedActivityId ?? null,
    relatedActivityPath: pathOf(event.relatedActivityId),
    payload: shownPayload(event),
    payloadLength: event.payloadBytes.length,
    payloadHex: hexText(event.payloadBytes),
    labels: shownLabels(event),
  };
}

function shownHead({ reader, events, error }) {
  // Rejected on opening: it has no head.
  if (reader === undefined) throw error;
  const { info, progress } = reader;
  const last = events.at(-1);
  const { ExpectedCPUSamplingRate, ...others } = info.properties;
  // TraceEvent shows as properties only what the trace contains as such: version 6.
  const properties = info.formatVersion < 6 ? others : info.properties;
  return {
    fileFormatVersion: info.formatVersion,
    pointerSize: info.pointerSize,
    processors: info.processors ?? 0,
    sessionStart: timeText(info.startTime),
    sessionEnd: timeText(last?.timestamp ?? info.startTime),
    eventsLost: progress.lostEvents,
    properties: Object.fromEntries(Object.entries(properties).sort()),
  };
}

/** `2025-02-03T04:05:16.0000000Z` */
function timeText(ns) {
  const ticks = ns / 100n;
  const seconds = new Date(Number(ticks / 10_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(ticks % 10_000_000n).padStart(7, '0')}Z`;
}

function pathOf(activityId) {
  const guid = activityId && Guid.parse(activityId);
  return guid && isActivityPath(guid) ? formatPerfViewActivityPath(guid) : null;
}

/** TraceEvent prints trace ids as GUIDs, and span ids as decimal numbers. */
function shownLabels(event) {
  const { TraceId, SpanId, ...pairs } = event.labels ?? {};
  return [
    ['ActivityId', event.activityId],
    ['RelatedActivityId', event.relatedActivityId],
    ['TraceId', TraceId && guidText(Buffer.from(TraceId, 'hex'))],
    ['SpanId', SpanId && String(BigInt(`0x${SpanId}`))],
    ...Object.entries(pairs).map(([key, value]) => [key, String(value)]),
  ]
    .filter(([, value]) => value !== undefined)
    .map(([k, v]) => ({ k, v }));
}

function shownPayload(event) {
  const payload = JSON.parse(JSON.stringify(event.payload, plainNumbers));
  const name = perfViewName(event);
  return PAYLOAD_DIFFERENCES.find((difference) => difference.event.test(name))?.shown(payload) ?? payload;
}

function plainNumbers(_key, value) {
  return typeof value === 'bigint' ? String(value) : value;
}
