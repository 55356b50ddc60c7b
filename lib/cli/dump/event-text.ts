/** An event as a line of text: seconds, thread, provider and event, activity, fields. */
import { printableJson } from '../../base/printable.ts';
import { jsonField, type TraceEvent } from '../../trace/trace-event.ts';
import { quoted } from '../../view/payload-json.ts';

export function eventText(event: TraceEvent): string {
  const seconds = (event.nsSinceStart / 1e9).toFixed(6).padStart(12);
  const thread = String(event.threadId ?? '').padStart(8);
  const activity = event.activityPath ?? event.activityId ?? '-';
  const message = event.isMessage ? event.message : undefined;
  let fields = message === undefined ? fieldsText(event) : ` ${quoted(message)}`;
  if (event.payloadProblem !== undefined) fields += ` (${event.payloadProblem})`;
  return `${seconds} ${thread}  ${event.provider}/${event.name}  ${activity} ${fields}`.trimEnd();
}

/** Each field follows a space. */
function fieldsText(event: TraceEvent): string {
  const { payload, hexFields } = event;
  let text = '';
  for (const name in payload) {
    const value = payload[name] as TraceEvent['payload'][string];
    text += ` ${name}=${plain(event.fieldText(name)) ?? asShown(name, value, hexFields)}`;
  }
  return text;
}

/** Like numbers, names and times stand without quotes; what would be read as more than one of them does not. */
function plain(text: string | undefined): string | undefined {
  return text === undefined || /^[\w.:|+-]+$/.test(text) ? text : quoted(text);
}

/** Numbers without the quotes that JSON puts around large and hexadecimal ones. */
function asShown(
  name: string,
  value: TraceEvent['payload'][string],
  hexFields: TraceEvent['hexFields'],
): string {
  if (typeof value === 'string') return quoted(value);
  const json = jsonField(name, value, hexFields);
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  return isNumber ? String(json) : printableJson(JSON.stringify(json));
}
