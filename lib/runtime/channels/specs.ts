/**
 * A tool's request for channels: the argument `FilterAndPayloadSpecs`, one channel per line, in the language of .NET's
 * DiagnosticSourceEventSource. See docs/channels.md.
 */

/** A field of an event: `Name=path.to.value`. */
interface FieldSpec {
  readonly name: string;
  /** The path is empty for the message itself. */
  readonly path: readonly string[];
}

export interface ChannelSpec {
  /** The name of a channel, or of a TracingChannel without what Node.js adds to it. */
  readonly source: string;
  /** Which of the source's events; undefined for all. */
  readonly event: string | undefined;
  /** The event, or for a whole TracingChannel the pair of events, to write: `Activity1Start`, `Activity1`. */
  readonly activity: string | undefined;
  /** Whether the message's own properties are fields, too. */
  readonly hasImplicit: boolean;
  readonly fields: readonly FieldSpec[];
}

/** The event of an ordinary channel. */
export const MESSAGE = 'message';
/** The events of a TracingChannel. */
export const CALL_EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

const MAX_FIELDS = 100;
const MAX_PATH = 16;

const EVENT = `(?:${[MESSAGE, ...CALL_EVENTS].join('|')})`;
const WITH_ACTIVITY = /^(?<head>.*?)@(?<activity>(?:Recursive)?Activity\w*)(?::(?<fields>.*))?$/s;
const WITH_EVENT = new RegExp(`^(?<head>.*/${EVENT})(?::(?<fields>.*))?$`, 's');
const WITH_FIELDS = /^(?<head>.*):(?<fields>[^:]*)$/s;
/** Text after a colon that may be fields, or the rest of a channel's name: `mysql2:query`. */
const AMBIGUOUS = /^[\w.]+$/;

/** Whether .NET treats the line as one about an ActivitySource. */
export function isOfActivitySource(line: string): boolean {
  return line.startsWith('[AS]');
}

/** The non-empty lines. */
export function specLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The channels that a line selects: two if it is ambiguous, since a channel that nobody publishes costs nothing. */
export function parseSpec(line: string): ChannelSpec[] {
  const parts = (WITH_ACTIVITY.exec(line) ?? WITH_EVENT.exec(line) ?? WITH_FIELDS.exec(line))?.groups;
  const { head = line, activity, fields = '' } = parts ?? {};
  const spec = { ...sourceAndEvent(head), activity, ...parseFields(fields) };
  const isWholeName = activity === undefined && spec.event === undefined && AMBIGUOUS.test(fields);
  return isWholeName ? [spec, { ...sourceAndEvent(line), activity, ...parseFields('') }] : [spec];
}

/** A name with a slash is split only before an event's name. */
function sourceAndEvent(head: string): Pick<ChannelSpec, 'source' | 'event'> {
  const slash = head.lastIndexOf('/');
  const event = head.slice(slash + 1);
  const isEvent = slash >= 0 && (event === MESSAGE || CALL_EVENTS.some((name) => name === event));
  return isEvent ? { source: head.slice(0, slash), event } : { source: head, event: undefined };
}

function parseFields(text: string): Pick<ChannelSpec, 'hasImplicit' | 'fields'> {
  const hasImplicit = !text.startsWith('-');
  const fields = (hasImplicit ? text : text.slice(1))
    .split(';')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .slice(0, MAX_FIELDS)
    .map(parseField);
  return { hasImplicit, fields };
}

function parseField(text: string): FieldSpec {
  const equals = text.indexOf('=');
  const path = text
    .slice(equals + 1)
    .split('.')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MAX_PATH);
  return { name: equals < 0 ? (path.at(-1) ?? '') : text.slice(0, equals).trim(), path };
}
