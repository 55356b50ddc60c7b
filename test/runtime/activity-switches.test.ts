import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedActivities } from '../../lib/activity/shared.ts';
import { currentActivityId, defineEventSource, event, Level, listen, startSession } from '../../lib/index.ts';
import type { WrittenEvent } from '../../lib/listen/written-event.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';

const source = enableRuntimeEvents();
const log = defineEventSource('Switching-Service', { WorkStart: event(), WorkStop: event() });
const { flow } = sharedActivities();
const isObserved = () => (flow as unknown as { onSwitch: unknown }).onSwitch !== undefined;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  expect(isObserved()).toBe(false);
});

function listening(filter?: Parameters<typeof listen>[2]) {
  const events: WrittenEvent[] = [];
  const subscription = listen(source, (written) => void events.push(written), filter);
  ends.push(() => subscription.close());
  return events;
}

function recording(providers: string) {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const session = startSession({ providers, output });
  ends.push(() => session.stop());
}

describe('Activity switches', () => {
  it('are observed only for those who ask for their keyword', () => {
    listening();
    listening({ level: Level.Verbose });
    listening({ keywords: RuntimeKeywords.GC });
    expect(isObserved()).toBe(false);
    listening({ keywords: RuntimeKeywords.ActivitySwitches });
    expect(isObserved()).toBe(true);
  });

  it('are not observed for sessions of all events, but for those that name them', () => {
    recording('*');
    recording('Node.Runtime');
    recording('Node.Runtime:10:Verbose');
    expect(isObserved()).toBe(false);
    recording('*,Node.Runtime:10:0');
    expect(isObserved()).toBe(true);
  });

  it('say which activity runs, from the first moment', () => {
    const events = listening({ keywords: RuntimeKeywords.ActivitySwitches });
    const work = listen(log, () => {});
    ends.push(() => work.close());
    const busy = () => {
      for (const end = performance.now() + 0.2; performance.now() < end; );
    };
    busy();
    let id: string | undefined;
    log.activity('Work', {}, () => {
      id = currentActivityId();
      busy();
    });
    busy();
    const switches = events.filter(({ name }) => name === 'ActivitySwitch');
    expect(switches.map(({ activityId }) => activityId)).toEqual([undefined, id, undefined]);
    expect(switches[0]).toMatchObject({ payload: { startedAgoMSec: 0 } });
  });
});
