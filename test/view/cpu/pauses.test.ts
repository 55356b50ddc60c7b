import { expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { Pauses } from '../../../lib/view/cpu/pauses.ts';
import { TraceActivities } from '../../../lib/view/trace-activities.ts';
import { eventAt, switchedAt } from './events-at.ts';

const ID = '00000011-0000-0000-0000-0000aabbccdd';
const event = (timeMs: number, name: string, parts: Partial<TraceEvent> = {}) =>
  eventAt(timeMs, { provider: 'Node.Runtime', name, ...parts });
const collection = (timeMs: number, startedAgoMSec: number, durationMSec: number) =>
  event(timeMs, 'GarbageCollection', { payload: { kind: 'scavenge', startedAgoMSec, durationMSec } });

it('Pauses are garbage collections with what ran then, and delays of the event loop', () => {
  const tracker = new TraceActivities();
  const pauses = new Pauses(tracker);
  for (const each of [
    event(1, 'RequestStart', { provider: 'App', opcode: 1, activityId: ID }),
    switchedAt(1),
    switchedAt(2, ID),
    switchedAt(6),
    event(7, 'EventLoop', { payload: { delayMaxMSec: 40 } }),
    event(7, 'EventLoop', { payload: { delayMaxMSec: 4 } }),
    collection(8, 5, 2),
    collection(8, 1.5, 1),
    collection(8, 1, 0.5),
    collection(8, -1, 5),
  ]) {
    tracker.add(each);
    pauses.add(each);
  }
  const shown = pauses.end().map(({ name, startNs, durationNs, activity }) => {
    return [name, startNs / 1e6, durationNs / 1e6, activity?.name];
  });
  expect(shown).toEqual([
    ['Garbage collection: scavenge', 3, 2, 'App/Request'],
    ['Garbage collection: scavenge', 6.5, 1, undefined],
    ['Event loop: longest delay in the second before', 7, 40, undefined],
  ]);
});
