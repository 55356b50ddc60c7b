/** `tracewright dump FILE`: the events of a recording, as text or as JSON lines. */
import { readFile } from 'node:fs/promises';
import { Guid } from '../activity/guid.ts';
import { formatActivityPath, isActivityPath } from '../activity/path.ts';
import { type Payload, payloadOf, type Value } from '../wire/decoded-field.ts';
import { eventHeaderEvents, type RecordedEvent } from '../wire/perf-data/eventheader-events.ts';
import { fileArguments } from './file-arguments.ts';

const USAGE = `Usage: tracewright dump [--json] FILE

Prints the events of FILE, a perf.data that perf has recorded user_events into (EventHeader events: those of
tracewright and of Microsoft's libraries), in the order of time: seconds since the first one, thread, provider
and event, activity path, fields.

  --json  one JSON object a line: 64-bit integers as strings, bytes in hex, what an event has not left out
`;

/** @throws UsageError */
export async function dumpCommand(args: readonly string[]): Promise<void> {
  const given = fileArguments('dump', USAGE, args, { json: { type: 'boolean' } });
  if (given === undefined) return;
  const line = given.values.json === true ? asJson : asText;
  let start: bigint | undefined;
  for (const recorded of eventHeaderEvents(await readFile(given.file))) {
    start ??= recorded.timeNs;
    process.stdout.write(`${line(recorded, recorded.timeNs - start)}\n`);
  }
}

function asText({ tid, event }: RecordedEvent, sinceStart: bigint): string {
  const seconds = (Number(sinceStart) / 1e9).toFixed(6).padStart(12);
  const thread = String(tid ?? '').padStart(8);
  const path = pathOf(event.activityId) ?? event.activityId ?? '-';
  const fields = Object.entries(payloadOf(event.fields)).map(
    ([name, value]) => `${name}=${JSON.stringify(asJsonValue(value))}`,
  );
  return `${seconds} ${thread}  ${event.provider}/${event.name}  ${path}  ${fields.join(' ')}`.trimEnd();
}

function asJson({ timeNs, pid, tid, cpu, event }: RecordedEvent): string {
  return JSON.stringify({
    provider: event.provider,
    name: event.name,
    // 0: the provider gives its events no ids.
    ...(event.id === 0 ? {} : { id: event.id, version: event.version }),
    level: event.level,
    opcode: event.opcode,
    keywords: `0x${event.keyword.toString(16)}`,
    processId: pid,
    threadId: tid,
    processor: cpu,
    // On the recorder's clock.
    time: String(timeNs),
    activityId: event.activityId,
    relatedActivityId: event.relatedActivityId,
    activityPath: pathOf(event.activityId),
    payload: asJsonValue(payloadOf(event.fields)),
  });
}

/** Undefined where there is no id, or one that is no path. */
function pathOf(activityId: string | undefined): string | undefined {
  const guid = activityId === undefined ? undefined : Guid.tryParse(activityId);
  return guid !== undefined && isActivityPath(guid) ? formatActivityPath(guid) : undefined;
}

type DecodedValue = Value | readonly Value[] | Payload | readonly Payload[];

function asJsonValue(value: DecodedValue): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(asJsonValue);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJsonValue(member)]));
  }
  return value;
}
