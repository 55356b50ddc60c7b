/**
 * Compares the events of a nettrace with a `.baseline.txt`: for each name the number of events, and the first one's
 * values, as PerfView shows them.
 */
import { ATTRIBUTES_NOT_IN_TRACE, NAME_DIFFERENCES, NAMES_NOT_IN_BASELINE } from './nettrace-differences.mjs';

/** `GC/Start`, as PerfView shows names. */
export function perfViewName({ taskName, opcodeName }) {
  return opcodeName === 'Info' || opcodeName === undefined ? taskName : `${taskName}/${opcodeName}`;
}

/** An event's time since the start of the trace. */
export function milliseconds(event) {
  return Number(event.timeSinceStart) / 1e6;
}

const BASELINE_LINE = /^(?<event>.+?), (?<count>\d+), <Event (?<attributes>.*)$/;

/** For each name the count, and the first event's times, ids and fields. */
export function compareBaseline(base, traceEvents, texts, report) {
  const byName = groupBy(traceEvents, eventName);
  const lines = texts.map((line) => BASELINE_LINE.exec(line.replace(/^\ufeff/, ''))?.groups);
  for (const line of lines.filter((groups) => groups !== undefined)) {
    const events = byName.get(line.event) ?? [];
    const id = `${base}/baseline/${line.event}`;
    report.compare(`${id}/count`, String(events.length), line.count);
    if (events.length > 0) report.try(id, () => compareAttributes(id, events[0], line.attributes, report));
  }
  const names = new Set(lines.map((groups) => groups?.event));
  const others = [...byName.keys()].filter((key) => !names.has(key) && !NAMES_NOT_IN_BASELINE.has(key));
  report.compare(`${base}/baseline/names`, others.join(), '');
}

function eventName(event) {
  const found = `${event.provider}/${perfViewName(event)}`;
  return NAME_DIFFERENCES.reduce((text, { ours, theirs }) => text.replace(ours, theirs), found);
}

function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** What PerfView shows besides the fields. */
const OTHER_ATTRIBUTES = new Set(['PName', 'ProviderName', 'EventName', 'FormattedMessage']);

function compareAttributes(id, event, attributes, report) {
  const notInTrace = ATTRIBUTES_NOT_IN_TRACE.get(perfViewName(event));
  const found = { MSec: milliseconds(event).toFixed(4), PID: event.processId, TID: event.threadId };
  for (const [, key, text] of attributes.split('>')[0].matchAll(/([\w.]*)="([^"]*)"/g)) {
    if (OTHER_ATTRIBUTES.has(key) || notInTrace?.includes(key)) continue;
    const expected = text.trim();
    const ours = key in found ? String(found[key]) : inFormOf(expected, event.payload[key]);
    report.compare(`${id}/${key}`, ours, expected);
  }
}

/** Our value, formatted as PerfView formatted its own. */
function inFormOf(expected, value) {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber && /^0x/.test(expected)) {
    return `0x${BigInt.asUintN(64, BigInt(value))
      .toString(16)
      .toUpperCase()
      .padStart(expected.length - 2, '0')}`;
  }
  if (isNumber && /^-?\d+\.\d+(E[-+]\d+)?$/.test(expected)) return fifteenDigits(value);
  if (isNumber && /^-?[\d,]+$/.test(expected)) return value.toLocaleString('en-US');
  // TraceEvent's name for a number.
  if (isNumber && /^[A-Za-z]/.test(expected)) return expected;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'object')
    return escaped(
      JSON.stringify(value)
        .replace(/([{,])/g, '$1 ')
        .replace(/}/g, ' }'),
    );
  return escaped(String(value));
}

/** As .NET Framework formats a double: the first 15 of its 17 digits, and a small exponent in two. */
function fifteenDigits(value) {
  const text = String(Number(value.toPrecision(15)));
  if (Math.abs(value) >= 1e-4) return text;
  return Number(value.toPrecision(15))
    .toExponential()
    .toUpperCase()
    .replace(/E-(\d)$/, 'E-0$1');
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
