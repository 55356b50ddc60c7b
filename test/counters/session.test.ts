/** Counters in an EventPipe session, as `tracewright counters` reads them from the trace. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { IncrementingEventCounter, Meter } from '../../lib/counters/index.ts';
import { startSession } from '../../lib/eventpipe/start-session.ts';
import { defineEventSource } from '../../lib/index.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { counterValues } from '../../lib/view/counter-values.ts';

it.each([4, 6] as const)(
  'a trace of version %i contains the counters of sources and meters',
  async (nettraceVersion) => {
    const name = `Counters-Session-${nettraceVersion}`;
    const counter = new IncrementingEventCounter(defineEventSource(name, {}), 'orders');
    const meter = new Meter(`${name}-Meter`);
    const sold = meter.createCounter('sold');
    const output = new PassThrough();
    const bytes = buffer(output);
    const session = startSession({
      providers: [
        { name, level: 4, keywords: 0n, arguments: { EventCounterIntervalSec: '0.1' } },
        {
          name: 'System.Diagnostics.Metrics',
          level: 4,
          keywords: 2n,
          arguments: { SessionId: 'S', Metrics: meter.name, RefreshInterval: '0.1' },
        },
      ],
      output,
      nettraceVersion,
    });
    counter.increment(3);
    sold.add(2);
    await delay(180);
    await session.close();
    counter.close();
    meter.close();
    const values: string[] = [];
    const trace = await openTrace(await bytes);
    for await (const batch of trace.batches()) {
      for (const event of batch) {
        for (const told of counterValues(event, 'S', 1))
          values.push(`${told.provider} ${told.name} ${told.value}`);
      }
    }
    expect(values).toContain(`${name} orders 3`);
    expect(values).toContain(`${name}-Meter sold 2`);
  },
);

it('each of two sessions has its own interval', async () => {
  const name = 'Counters-Two-Sessions';
  const counter = new IncrementingEventCounter(defineEventSource(name, {}), 'orders');
  const sessions = ['0.1', '0.3'].map((seconds) => {
    const output = new PassThrough();
    const bytes = buffer(output);
    const args = { EventCounterIntervalSec: seconds };
    const session = startSession({ providers: [{ name, level: 4, keywords: 0n, arguments: args }], output });
    return { session, bytes };
  });
  counter.increment(3);
  await delay(400);
  const intervals: string[][] = [];
  for (const { session, bytes } of sessions) {
    await session.close();
    const told: string[] = [];
    for await (const batch of (await openTrace(await bytes)).batches()) {
      for (const event of batch) {
        for (const { interval, value } of counterValues(event, '', 1)) told.push(`${interval} s: ${value}`);
      }
    }
    intervals.push(told);
  }
  counter.close();
  expect(intervals[0]?.slice(0, 2)).toEqual(['0.1 s: 3', '0.1 s: 0']);
  expect(intervals[1]?.slice(0, 1)).toEqual(['0.3 s: 3']);
});
