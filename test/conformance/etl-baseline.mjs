/**
 * A baseline of Microsoft's TraceEvent: `EVENT` lines for the first few events of each name, with the values of their
 * fields, and `COUNT` lines with the number of events of each name.
 *
 *     EVENT 8,199.580: Provider/Name PID=1; TID=2; PName=x; ProceNum=7; DataLen=2; Field=8; ...
 *     COUNT Provider/Name:12
 */
import { dotnetEvent } from '../../dist/known/dotnet.js';
import { isKnownDifference, ourCount, ourName } from './etl-differences.mjs';

export function checkBaseline(file, text, events, report) {
  const lines = text.split(/\r?\n/);
  const byName = new Map();
  for (const event of events) {
    const name = `${event.provider}/${event.name}`;
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push(event);
  }
  for (const line of lines) {
    if (line.startsWith('COUNT ')) checkCount(file, line, byName, report);
  }
  const used = new Set();
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('EVENT ')) continue;
    const id = `${file}/baseline/${index + 1}`;
    report.try(id, () => checkEvent(id, parseLine(line), byName, used, report));
  }
}

function checkCount(file, line, byName, report) {
  const [, name, count] = /^COUNT (.*):(\d+)$/.exec(line) ?? [];
  const wanted = ourName(name) ?? name;
  const found = byName.get(wanted)?.length ?? 0;
  report.compare(`${file}/count/${name}`, String(found), String(ourCount(name, Number(count))));
}

function parseLine(line) {
  const [, time, name, rest] = /^EVENT ([\d,.]+): (\S+(?: \S+)*?) (PID=.*)$/.exec(line) ?? [];
  const values = Array.from(rest.matchAll(/([^=;\s][^=;]*)=(.*?);(?= |$)/gs), ([, field, value]) => [
    field,
    value,
  ]);
  return { time: Number(time.replaceAll(',', '')), name, values };
}

const HEAD = ['PID', 'TID', 'PName', 'ProceNum', 'DataLen'];

function checkEvent(id, { time, name, values }, byName, used, report) {
  const wanted = ourName(name);
  if (wanted === undefined) return;
  const head = Object.fromEntries(values);
  const isIt = (event) =>
    !used.has(event) &&
    Math.abs(Number(event.timeSinceStart) / 1e6 - time) < 0.0011 &&
    event.processor === Number(head.ProceNum) &&
    event.payloadBytes.length === Number(head.DataLen.replaceAll(',', ''));
  const event = byName.get(wanted)?.find(isIt);
  if (event === undefined) return report.fail(id, `there is no event ${name} at ${time}`);
  used.add(event);
  const problems = [];
  const same = (what, ours, theirs) => {
    if (
      isSame(ours, theirs) ||
      isNamed(event, what, ours, theirs) ||
      isKnownDifference(name, what, ours, theirs)
    )
      return;
    problems.push(`${what}: got ${shown(ours)}, expected ${theirs}`);
  };
  same('PID', event.processId ?? -1, head.PID);
  same('TID', event.threadId ?? -1, head.TID);
  for (const [field, theirs] of values.slice(HEAD.length)) {
    if (field in event.payload) same(field, event.payload[field], theirs);
  }
  if (event.payloadProblem !== undefined && values.length > HEAD.length) problems.push(event.payloadProblem);
  if (problems.length > 0) report.fail(id, `${name}: ${problems.join('; ')}`);
  else report.pass(id);
}

/** TraceEvent shows the names of numbers, which the payload here contains in addition. */
function isNamed(event, field, ours, theirs) {
  const description = dotnetEvent(event.providerGuid ?? '', event.id, event.version);
  const map = description?.fields.find(({ name }) => name === field)?.map;
  if (map === undefined) return false;
  const bits = [...map.names].filter(([bit]) => (ours & bit) !== 0).map(([, name]) => name);
  const text = map.names.get(ours) ?? (bits.join(', ') || 'None');
  return text === theirs || (theirs.endsWith('...') && text.startsWith(theirs.slice(0, -3)));
}

function shown(value) {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** TraceEvent shows decimals in groups of three digits, addresses in hex, and 20 characters of text. */
function isSame(ours, theirs) {
  if (typeof ours === 'boolean') return theirs === (ours ? 'True' : 'False');
  if (typeof ours === 'number' || typeof ours === 'bigint') return isSameNumber(ours, theirs);
  if (typeof ours !== 'string') return false;
  if (theirs.endsWith('...'))
    return ours.replaceAll(/\s/g, ' ').startsWith(theirs.slice(0, -3).replaceAll(/\s/g, ' '));
  return ours.trim() === theirs.trim();
}

function isSameNumber(ours, theirs) {
  if (/^0x[0-9a-f]+$/i.test(theirs)) return BigInt(ours) === BigInt(theirs);
  if (/^-?[\d,]+$/.test(theirs)) return BigInt(ours) === BigInt(theirs.replaceAll(',', ''));
  if (/^-?[\d,]+\.\d+$/.test(theirs))
    return Math.abs(Number(ours) - Number(theirs.replaceAll(',', ''))) < 0.001;
  if (/^\d\d\/\d\d\/\d\d /.test(theirs)) return dateText(ours).startsWith(theirs.replace(/\.*$/, ''));
  return false;
}

/** `20/07/29 00:07:10.69`, from a FILETIME. */
function dateText(fileTime) {
  const milliseconds = Number((BigInt(fileTime) - 116_444_736_000_000_000n) / 10_000n);
  return new Date(milliseconds).toISOString().slice(2).replace('T', ' ').replaceAll('-', '/');
}
