/**
 * One program, unchanged, on a Linux kernel under perf and in node.exe with a recorder of ETW: the same events,
 * with the same fields, levels, keywords, ids and activities.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { activityPath } from '../../lib/index.ts';
import { payloadOf } from '../../lib/wire/decoded-field.ts';
import * as guest from '../kernel/guest.ts';
import { decodeEventHeader, type EventHeaderEvent } from '../wire/eventheader/decode-event.ts';
import { readPerfData } from '../wire/perf-data/perf-data-file.ts';
import { callsOf } from './etw-call.ts';
import { etwEvent } from './etw-event.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const programs = fileURLToPath(new URL('programs', import.meta.url));
const skipped = skipReason ?? guest.skipReason('uml');

/** Of an event, what both systems have. */
type Comparable = Readonly<Record<string, unknown>>;

async function recordedByEtw(): Promise<Comparable[]> {
  const { calls } = await runProgram('programs/everything.mjs', {
    recorder: true,
    args: ['./record-etw.mjs'],
  });
  return callsOf(calls, 'write').map((call) => {
    expect(call.delivered, 'whether a session got the event').toBe(true);
    const { payload, tag, ...event } = etwEvent(call);
    return {
      name: event.name,
      id: event.id,
      version: event.version,
      level: event.level,
      opcode: event.opcode,
      keyword: event.keyword,
      tag,
      activity: pathOf(event.activityId),
      related: pathOf(event.relatedActivityId),
      payload,
    };
  });
}

async function recordedByLinux(): Promise<Comparable[]> {
  const folder = mkdtempSync('/tmp/tracewright-test-');
  try {
    const events = '/sys/kernel/tracing/events/user_events';
    await guest.runScript(
      `cd '${programs}'
      (node everything.mjs ./record-perf.mjs >/run/result) & program=$!
      until [ -e ${events}/Tracewright_Everything_L1K0 ]; do sleep 0.05; done
      perf record -q -a -e 'user_events:Tracewright_Everything_*' -o ${folder}/perf.data \
        sh -c "while kill -0 $program 2>/dev/null; do sleep 0.1; done" >&2
      wait $program && cat /run/result`,
      { rw: [folder] },
    );
    return eventsIn(readFileSync(join(folder, 'perf.data'))).map((event) => ({
      name: event.name,
      id: event.id,
      version: event.version,
      level: event.level,
      opcode: event.opcode,
      keyword: event.keyword,
      tag: event.tag,
      activity: pathOf(event.activityId),
      related: pathOf(event.relatedActivityId),
      payload: payloadOf(event.fields),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With their tags, which a trace's events do not show. All were recorded on the guest's only processor: in order. */
function eventsIn(perfData: Uint8Array): EventHeaderEvent[] {
  const events: EventHeaderEvent[] = [];
  for (const record of readPerfData(perfData).records()) {
    if (record.kind !== 'sample' || record.raw === undefined || record.tracepoint === undefined) continue;
    const { name, eventHeaderOffset } = record.tracepoint;
    events.push(decodeEventHeader(name, record.raw.subarray(eventHeaderOffset)));
  }
  return events;
}

function pathOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : activityPath(id);
}

/**
 * With EventHeader's times, seconds since 1970, for Windows' 100 ns since 1601; and its IPv4 addresses, which
 * TraceLogging, whose only counted address is IPv6's, holds mapped.
 */
function asOnLinux(event: Comparable): Comparable {
  const payload = event.payload as { time?: bigint; ipv4?: string };
  if (payload.time === undefined) return event;
  const time = (payload.time - 116_444_736_000_000_000n) / 10_000_000n;
  return { ...event, payload: { ...payload, time, ipv4: payload.ipv4?.replace('::ffff:', '') } };
}

describe.skipIf(skipped !== undefined)(suiteName('one program on both systems'), () => {
  it('writes the same events', { timeout: 120_000 }, async () => {
    const [etw, linux] = await Promise.all([recordedByEtw(), recordedByLinux()]);
    expect(etw.length).toBe(17);
    expect(etw.map(asOnLinux)).toEqual(linux);
    const others = linux.find((event) => event.name === 'Others');
    expect(others).toMatchObject({
      id: 1000,
      version: 3,
      level: 2,
      opcode: 9,
      tag: 0x1234,
      activity: '//1/1/1',
    });
  });
});
