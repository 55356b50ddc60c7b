// Parses the output of `tracerpt -of XML` into plain objects. It follows Windows' Event schema
// (http://schemas.microsoft.com/win/2004/08/events/event). tracerpt writes a fixed pattern, so regular expressions
// suffice: no comments, no CDATA, attributes in double quotes.

/**
 * @typedef {object} TracedEvent
 * @property {string} providerGuid lower case, without braces
 * @property {string} name of a TraceLogging event
 * @property {number} level
 * @property {number} opcode
 * @property {bigint} keywords
 * @property {number} processId
 * @property {string | undefined} activityId lower case, without braces; undefined when it is all zeros
 * @property {string | undefined} relatedActivityId
 * @property {Record<string, string>} fields as tracerpt prints them, without the blanks around
 */

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const noGuid = '00000000-0000-0000-0000-000000000000';

function unescaped(text) {
  return text.replace(/&(#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, _all, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return entities[name] ?? whole;
  });
}

/** The text of the first element with this name, without the spaces that tracerpt puts around it. */
function element(xml, name) {
  const [, text] = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`).exec(xml) ?? [];
  return text === undefined ? undefined : unescaped(text).trim();
}

function attribute(xml, elementName, name) {
  const [, value] = new RegExp(`<${elementName}\\s[^>]*?\\b${name}="([^"]*)"`).exec(xml) ?? [];
  return value === undefined ? undefined : unescaped(value);
}

function guid(text) {
  const bare = text?.replace(/[{}]/g, '').toLowerCase();
  return bare === noGuid ? undefined : bare;
}

function fields(eventData) {
  const data = eventData.matchAll(/<Data\s+Name="([^"]*)"\s*(?:\/>|>([^<]*)<\/Data>)/g);
  return Object.fromEntries(
    Array.from(data, ([, name, text = '']) => [unescaped(name), unescaped(text).trim()]),
  );
}

function part(xml, name) {
  return new RegExp(`<${name}(?:\\s[^>]*)?>.*?</${name}>`, 's').exec(xml)?.[0] ?? '';
}

/** @returns {TracedEvent} */
function tracedEvent(xml) {
  const system = part(xml, 'System');
  const rendering = part(xml, 'RenderingInfo');
  return {
    providerGuid: guid(attribute(system, 'Provider', 'Guid')) ?? noGuid,
    // TDH returns a TraceLogging event's name as the task's name, newer versions also as the event's
    name: element(rendering, 'EventName') ?? element(rendering, 'Task') ?? '',
    level: Number(element(system, 'Level')),
    opcode: Number(element(system, 'Opcode')),
    keywords: BigInt(element(system, 'Keywords') ?? 0),
    processId: Number(attribute(system, 'Execution', 'ProcessID')),
    activityId: guid(attribute(system, 'Correlation', 'ActivityID')),
    relatedActivityId: guid(attribute(system, 'Correlation', 'RelatedActivityID')),
    fields: fields(part(xml, 'EventData')),
  };
}

/**
 * @param {string} xml
 * @returns {TracedEvent[]} in file order
 */
export function parseTracerpt(xml) {
  return Array.from(xml.matchAll(/<Event\s[^>]*>.*?<\/Event>/gs), ([event]) => tracedEvent(event));
}

/** The text of a file written by tracerpt: UTF-16 if it begins with that byte order mark, otherwise UTF-8. */
export function tracerptText(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

const compared = ['name', 'level', 'opcode', 'keywords', 'activityId', 'relatedActivityId', 'fields'];

/** As text: the same for the same values, whatever the order of fields. */
function shown(value) {
  if (typeof value === 'bigint') return `0x${value.toString(16)}`;
  if (value === undefined) return 'none';
  return typeof value === 'object' ? JSON.stringify(Object.entries(value).sort()) : JSON.stringify(value);
}

/**
 * The problems of a recording: every expected event must be present once, in order, with every field and id.
 * @param {readonly TracedEvent[]} expected
 * @param {readonly TracedEvent[]} recorded by all providers and processes
 * @returns {string[]} in sentences
 */
export function recordingProblems(expected, recorded) {
  const [first] = expected;
  if (first === undefined) return ['No event is expected.'];
  const ours = recorded.filter(
    ({ providerGuid, processId }) => providerGuid === first.providerGuid && processId === first.processId,
  );
  const problems = [];
  if (ours.length !== expected.length) {
    problems.push(
      `Of ${expected.length} events ${ours.length} are recorded (of all providers: ${recorded.length}).`,
    );
  }
  for (const [index, event] of expected.entries()) {
    const found = ours[index];
    if (found === undefined) {
      problems.push(`Event ${index}, ${event.name}, is missing.`);
      continue;
    }
    for (const key of compared) {
      const [isNow, shouldBe] = [shown(found[key]), shown(event[key])];
      if (isNow !== shouldBe) {
        problems.push(`Event ${index}, ${event.name}: ${key} is ${isNow}, and not ${shouldBe}.`);
      }
    }
  }
  return problems;
}
