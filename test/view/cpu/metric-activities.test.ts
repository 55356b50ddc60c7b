import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { namedTimes } from '../../../lib/view/cpu/cpu-activities.ts';
import { MetricActivities } from '../../../lib/view/cpu/metric-activities.ts';
import { eventAt, switchedAt } from './events-at.ts';

const REQUEST = '00000011-0000-0000-0000-0000aabbccdd';
const QUERY = '00000011-0000-0000-0000-0000aabbccee';

const event = (timeMs: number, name: string, parts: Partial<TraceEvent> = {}) =>
  eventAt(timeMs, { name, ...parts });
const starts = [
  event(1, 'RequestStart', { opcode: 1, activityId: REQUEST }),
  event(1, 'QueryStart', { opcode: 1, activityId: QUERY, relatedActivityId: REQUEST }),
];

function read(events: readonly TraceEvent[], name: string, field?: string) {
  const metric = new MetricActivities((each) => each.name === name, field, undefined);
  for (const each of events) metric.add(each);
  metric.end();
  const rows = [...namedTimes(metric.activities.names(), ({ ns }) => ns)].map(({ node, path }) => [
    [...path, node.name].join(' > '),
    node.total.ns,
    node.self.ns,
    node.total.samples,
  ]);
  return { rows, withoutField: metric.withoutField };
}

describe('A metric', () => {
  it('counts events, or adds up a field, by activity and those around it', () => {
    const alloc = (timeMs: number, activityId?: string, bytes: unknown = 10n) =>
      event(timeMs, 'Alloc', { activityId, payload: { bytes } as TraceEvent['payload'] });
    const events = [...starts, alloc(2, REQUEST), alloc(3, QUERY, 5), alloc(4, QUERY, 'no number'), alloc(5)];
    expect(read(events, 'Alloc').rows).toEqual([
      ['App/Request', 3, 1, 3],
      ['App/Request > App/Query', 2, 2, 2],
      ['(no activity)', 1, 1, 1],
    ]);
    expect(read(events, 'Alloc', 'bytes')).toEqual({
      rows: [
        ['App/Request', 15, 10, 3],
        ['App/Request > App/Query', 5, 5, 2],
        ['(no activity)', 10, 10, 1],
      ],
      withoutField: 1,
    });
  });

  it('belongs to what its thread ran, if its events have no activity', () => {
    const disk = (timeMs: number, threadId: number) => event(timeMs, 'Disk', { threadId });
    const events = [...starts, switchedAt(2, QUERY), disk(3, 1), disk(3, 2), switchedAt(4), disk(5, 1)];
    expect(read(events, 'Disk').rows).toEqual([
      ['App/Request', 1, 0, 1],
      ['App/Request > App/Query', 1, 1, 1],
      ['(no activity)', 2, 2, 2],
    ]);
  });

  it('belongs to what its thread ran when it started, if it is reported later', () => {
    const collection = event(9, 'GarbageCollection', { payload: { startedAgoMSec: 6, durationMSec: 2.5 } });
    const events = [
      ...starts,
      switchedAt(1),
      switchedAt(2, REQUEST),
      switchedAt(4, QUERY),
      switchedAt(5),
      collection,
    ];
    expect(read(events, 'GarbageCollection', 'durationMSec').rows).toEqual([['App/Request', 2.5, 2.5, 1]]);
  });
});
