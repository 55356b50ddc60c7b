/** .NET's events of tasks: in a session that asks for them, every run of an activity is a task. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sharedActivities } from '../../lib/activity/shared.ts';
import { defineEventSource, type EventSource, event, eventSources, startSession } from '../../lib/index.ts';
import { enableRuntimeEvents } from '../../lib/runtime/index.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';

const TPL = 'System.Threading.Tasks.TplEventSource';
const log = defineEventSource('Test-Tasks', { RequestStart: event(), RequestStop: event(), Point: event() });
enableRuntimeEvents();

async function recorded(providers: string): Promise<TraceEvent[]> {
  const output = new PassThrough();
  const bytes = buffer(output);
  const session = startSession({ providers, output });
  const request = () =>
    log.activity('Request', {}, async () => {
      await sleep(1);
      log.Point();
      await sleep(1);
    });
  await Promise.all([request(), request()]);
  await session.close();
  const events: TraceEvent[] = [];
  for await (const batch of (await openTrace(await bytes)).batches()) events.push(...batch);
  return events;
}

describe('Events of tasks', () => {
  it('have the names, ids and fields of .NET, and the activity that runs', async () => {
    const events = await recorded(`Test-Tasks,${TPL}:0xC3:4`);
    const tasks = events.filter(({ provider }) => provider === TPL);
    expect(new Set(tasks.map(({ id, name }) => `${id} ${name}`))).toEqual(
      new Set(['7 TaskScheduled', '8 TaskStarted', '9 TaskCompleted']),
    );
    const ids = (id: number) =>
      tasks.filter((each) => each.id === id).map(({ payload }) => Number(payload.TaskID));
    // The last has not ended when the session does.
    expect(ids(9)).toEqual(ids(8).slice(0, -1));
    expect(ids(7)).toEqual(expect.arrayContaining(ids(8)));
    // The two requests take turns, and each of their points is in a task of their own.
    let running: unknown;
    const owners = new Map<unknown, unknown>();
    for (const each of events) {
      if (each.provider === TPL && each.id === 8) running = each.payload.TaskID;
      if (each.provider === TPL && each.id === 8) owners.set(running, each.activityId);
      if (each.name === 'Point') expect(owners.get(running)).toBe(each.activityId);
    }
    expect(events.filter(({ name }) => name === 'Point')).toHaveLength(2);
  });

  // TraceEvent's default for the provider is 0x1FF; .NET has 0x10000 to 0x40000 as well.
  it.each(['0x1', '0x2', '0x3', '0x102', '0x1FF', '0x40002', '0x701FF', '0xFFFFFFFF'])(
    'are written for each request that names their keywords, whatever else it names: %s',
    async (keywords) => {
      const events = await recorded(`Test-Tasks,${TPL}:${keywords}:4`);
      const ids = new Set(events.filter(({ provider }) => provider === TPL).map(({ id }) => id));
      expect([...ids].sort()).toEqual([7, 8, 9]);
    },
  );

  it('are not written for sessions that want activity ids only, or everything', async () => {
    for (const providers of [`Test-Tasks,${TPL}:0x80:4`, `Test-Tasks,${TPL}`, '*']) {
      const events = await recorded(providers);
      expect(events.some(({ name }) => name === 'Point')).toBe(true);
      expect(events.filter(({ provider }) => provider === TPL)).toEqual([]);
    }
  });
});

describe('The request for activity ids', () => {
  const flow = () => sharedActivities().flow.active;
  const ends = async () => {
    while (flow()) await sleep(20);
  };

  it('turns the flow on although nobody wants a Start, as long as it is there, and has a tracepoint', async () => {
    for (const providers of [`${TPL}:0x80:4`, TPL]) {
      const session = startSession({ providers, output: new PassThrough().resume() });
      // Longer than it takes to notice that nobody wants a Start.
      await sleep(1100);
      expect(flow()).toBe(true);
      await session.close();
      await ends();
    }
    const [tasks] = eventSources().filter(({ name }) => name === TPL);
    expect((tasks as EventSource).tracepoints).toContain('System_Threading_Tasks_TplEventSource_L4K80');
  });

  it.each([`${TPL}:0x2:4`, `${TPL}:0x80:3`])('is not %s', async (providers) => {
    const session = startSession({ providers, output: new PassThrough().resume() });
    await ends();
    await session.close();
  });
});
