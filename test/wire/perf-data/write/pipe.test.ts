import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../../lib/trace/open-trace.ts';
import type { Trace } from '../../../../lib/trace/trace.ts';
import type { TraceEvent } from '../../../../lib/trace/trace-event.ts';
import {
  attrRecord,
  clockRecord,
  PIPE_HEADER,
  tracingDataRecord,
  wholeRecordsSize,
} from '../../../../lib/wire/perf-data/write/pipe.ts';
import { FINISHED_ROUND } from '../../../../lib/wire/perf-data/write/records.ts';
import { facts, sample } from './recorded.ts';

const [tracepoint, sideBand] = facts.events;
if (tracepoint === undefined || sideBand === undefined) throw new Error('The recording has two events.');
const start = [PIPE_HEADER, attrRecord(sideBand), clockRecord(facts.clock)];
const described = [tracingDataRecord(facts.tracingData), attrRecord(tracepoint)];

async function* inPieces(parts: readonly Uint8Array[], size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.concat(parts);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function eventsOf(trace: Trace): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  for await (const event of trace) events.push(event);
  return events;
}

describe('a pipe of recorded events', () => {
  it.each([1, 7, 64, 100_000])('reads back as what was recorded, in chunks of %i bytes', async (size) => {
    const parts = [...start, ...described, sample(2000n), sample(1000n), FINISHED_ROUND];
    const trace = await openTrace(inPieces(parts, size));
    expect(trace.info).toMatchObject({ startTime: facts.clock.wall, hasWallTime: true });
    const events = await eventsOf(trace);
    expect(events.map(({ provider, name, timeSinceStart }) => [provider, name, timeSinceStart])).toEqual([
      ['P', 'E', 500n],
      ['P', 'E', 1500n],
    ]);
    expect(events[0]?.payload).toEqual({ i: 9 });
  });

  it('may announce an event after others have been recorded', async () => {
    const later = { ...tracepoint, ids: [99n] };
    const sampleOfLater = sample(3000n);
    new DataView(sampleOfLater.buffer).setBigUint64(8, 99n, true);
    const parts = [...start, ...described, sample(1000n), attrRecord(later), sampleOfLater];
    const events = await eventsOf(await openTrace(inPieces(parts, 1000)));
    expect(events.map(({ name }) => name)).toEqual(['E', 'E']);
  });

  it('is cut between records', () => {
    const one = sample(1n);
    const both = Buffer.concat([one, FINISHED_ROUND]);
    const sizes = [0, 7, one.length - 1, one.length, one.length + 7, both.length];
    expect(sizes.map((size) => wholeRecordsSize(both.subarray(0, size)))).toEqual([
      0,
      0,
      0,
      one.length,
      one.length,
      both.length,
    ]);
  });

  it('is not held up by a damaged record, which its reader reports', () => {
    expect(wholeRecordsSize(new Uint8Array(20))).toBe(20);
  });
});
