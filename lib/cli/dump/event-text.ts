/** An event as a line of text: seconds, thread, provider and event, activity, fields. */
import { printableJson } from '../../base/printable.ts';
import { jsonField, type TraceEvent } from '../../trace/trace-event.ts';

export function eventText(event: TraceEvent): string {
  const seconds = (Number(event.timeSinceStart) / 1e9).toFixed(6).padStart(12);
  const thread = String(event.threadId ?? '').padStart(8);
  const activity = event.activityPath ?? event.activityId ?? '-';
  const { hexFields } = event;
  const message = event.isMessage ? event.message : undefined;
  const fields =
    message === undefined
      ? Object.entries(event.payload).map(
          ([name, value]) =>
            `${name}=${plain(event.fieldText(name)) ?? asShown(value, jsonField(name, value, hexFields))}`,
        )
      : [printableJson(JSON.stringify(message))];
  if (event.payloadProblem !== undefined) fields.push(`(${event.payloadProblem})`);
  return `${seconds} ${thread}  ${event.provider}/${event.name}  ${activity}  ${fields.join(' ')}`.trimEnd();
}

/** Like numbers, names and times stand without quotes; what would be read as more than one of them does not. */
function plain(text: string | undefined): string | undefined {
  return text === undefined || /^[\w.:|+-]+$/.test(text) ? text : printableJson(JSON.stringify(text));
}

/** Numbers without the quotes that JSON puts around large and hexadecimal ones. */
function asShown(value: TraceEvent['payload'][string], json: unknown): string {
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  return isNumber ? String(json) : printableJson(JSON.stringify(json));
}
