/** CPU time in the statistics by a field. */
import { expect, it } from 'vitest';
import { CpuStats } from '../../lib/cli/view/view-stats.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { SelectedStats, type StatsSelection } from '../../lib/view/activity-stats.ts';
import { type WrittenEvent, written } from '../view/written-events.ts';

const switched = (at: number, id?: string): WrittenEvent => ({
  name: 'Node.Runtime/ActivitySwitch',
  at,
  payload: { startedAgoMSec: 0 },
  ...(id !== undefined && { id }),
});
/** The thread uses the CPU until the next sample. */
const sampled = (at: number): WrittenEvent => ({
  name: 'Microsoft-DotNETCore-SampleProfiler/Sample',
  at,
  payload: { Type: 2 },
});
const login = (id: string, at: number, user: string): WrittenEvent => ({
  name: 'Login',
  id,
  at,
  payload: { user },
});

/** Two requests, each with a query, whose users become known late. */
const EVENTS: readonly WrittenEvent[] = [
  { name: 'RequestStart', id: '//1/1', at: 0 },
  switched(0, '//1/1'),
  sampled(1),
  { name: 'QueryStart', id: '//1/1/1', at: 2 },
  switched(2, '//1/1/1'),
  sampled(2.5),
  { name: 'QueryStop', id: '//1/1/1', at: 4 },
  switched(4, '//1/1'),
  sampled(4),
  login('//1/1', 4, 'alice'),
  { name: 'RequestStop', id: '//1/1', at: 5 },
  { name: 'RequestStart', id: '//1/2', at: 5, payload: { user: 'bob' } },
  switched(5, '//1/2'),
  sampled(5),
  sampled(6),
  { name: 'RequestStop', id: '//1/2', at: 7 },
  switched(7),
  sampled(7),
];

function cpuOf(selection: StatsSelection): Record<string, number> {
  const selected = new SelectedStats(selection);
  const reader = new CpuStats(selected);
  for (const event of EVENTS) reader.add(written(event) as TraceEvent);
  reader.end();
  return Object.fromEntries(
    selected.stats.names.map(({ name, group, cpuNs }) => [
      `${name.replace('Demo/', '')} ${group}`,
      Math.round(cpuNs / 1e3) / 1e3,
    ]),
  );
}

it('is that of the activities with a value, which may become known after the samples', () => {
  expect(cpuOf({ by: 'user' })).toEqual({
    'Request alice': 2.5,
    'Request bob': 2,
    'Query undefined': 1.5,
  });
  expect(cpuOf({ where: { user: 'bob' } })).toEqual({ 'Request undefined': 2 });
});

it('is that of the selected activities', () => {
  expect(cpuOf({ by: 'user', isRoot: (_, { task }) => task === 'Query' })).toEqual({
    'Query undefined': 1.5,
  });
});
