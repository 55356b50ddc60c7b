/** An event as a line of text: seconds, thread, provider and event, activity, fields. */
import { jsonValue, type TraceEvent } from '../trace/trace-event.ts';

export function eventText(event: TraceEvent): string {
  const seconds = (Number(event.timeSinceStart) / 1e9).toFixed(6).padStart(12);
  const thread = String(event.threadId ?? '').padStart(8);
  const activity = event.activityPath ?? event.activityId ?? '-';
  const fields = Object.entries(event.payload).map(([name, value]) => `${name}=${asShown(value)}`);
  if (event.payloadProblem !== undefined) fields.push(`(${event.payloadProblem})`);
  return `${seconds} ${thread}  ${event.provider}/${event.name}  ${activity}  ${fields.join(' ')}`.trimEnd();
}

/** Large integers without the quotes that they have in JSON. */
function asShown(value: TraceEvent['payload'][string]): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(jsonValue(value));
}
