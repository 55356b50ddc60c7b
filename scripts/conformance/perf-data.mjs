/**
 * Conformance of `perf-data/`: a recording of `perf record` and what Microsoft's C++ decoder
 * (LinuxTracepoints) makes of it: one line for each sample, in file order.
 *
 * EventHeader samples must give the same text. Of other tracepoints the name, the values of all fields, time, processor, process
 * and thread must be the same.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderEventJson } from '../../dist/wire/eventheader/render-json.js';
import { eventHeaderBytesOf, eventHeaderEvents } from '../../dist/wire/perf-data/eventheader-events.js';
import { readPerfData } from '../../dist/wire/perf-data/file.js';
import { readTracepointValue } from '../../dist/wire/perf-data/tracepoint-value.js';
import { readObjectLines } from './reference-text.mjs';

export const name = 'perf-data';

export function applies(dir) {
  return existsSync(join(dir, 'perf-data'));
}

export function run(dir, report) {
  const path = join(dir, 'perf-data', 'perf.data');
  if (!existsSync(path)) return;
  const expected = readObjectLines(`${path}.linux.json`);
  const bytes = readFileSync(path);
  const file = readPerfData(bytes);
  const samples = [...file.records()].filter((record) => record.kind === 'sample');
  for (const [index, sample] of samples.entries()) {
    const id = `sample/${index}`;
    report.try(id, () => runSample(id, file, sample, expected[index] ?? '{}', report));
  }
  if (samples.length !== expected.length) {
    report.fail('samples', `got ${samples.length} samples, expected ${expected.length}`);
  }
  report.try('time-order', () => runTimeOrder(bytes, expected, report));
}

function runSample(id, file, sample, expected, report) {
  const { pid, tid, cpu, timeNs } = sample;
  const time = wallTimeText(timeNs + (file.session.wallTimeOffsetNs ?? 0n));
  const eventHeader = eventHeaderBytesOf(sample);
  if (eventHeader !== undefined) {
    const options = { sample: { time, cpu, pid, tid } };
    report.compare(id, renderEventJson(eventHeader.tracepointName, eventHeader.data, options), expected);
    return;
  }
  const { system, name: tracepointName, fields } = sample.tracepoint;
  const values = fields.map((field) => [
    field.name,
    readTracepointValue(field, sample.raw, file.session.littleEndian),
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

/** All events come, and none before an earlier one. */
function runTimeOrder(bytes, expected, report) {
  const events = [...eventHeaderEvents(bytes)];
  const isSorted = events.every((event, i) => i === 0 || events[i - 1].timeNs <= event.timeNs);
  const count = expected.filter((line) => JSON.parse(line).meta.level !== undefined).length;
  report.compare(
    'time-order',
    `${events.length} events, sorted: ${isSorted}`,
    `${count} events, sorted: true`,
  );
}

/** The reference shows some integers in hex, by their declared type. */
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
