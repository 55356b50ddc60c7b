/** What a report says about why activities were slow, as its page decodes it. */
import { describe, expect, it } from 'vitest';
import { LaneSource } from '../../../lib/pages/activity-lanes.ts';
import { SimulatedLoop } from '../explain/simulated-loop.ts';
import { during, type WrittenEvent, written } from '../written-events.ts';
import { reportOf } from './read-report.ts';

const read = (events: readonly WrittenEvent[], limits?: { events: number; activities: number }) =>
  reportOf(events.map(written), {}, limits).then(({ data }) => data);

/** Requests of a few routes, each for something else. */
function requests(routes: number, ofEach: number): WrittenEvent[] {
  return Array.from({ length: routes * ofEach }, (_, index) => {
    const at = index * 20;
    const pathAndQuery = `/route${index % routes}/${index}`;
    return during(['Request', `//1/${index + 1}`, at, at + 1 + (index % 7)]).map((event) => ({
      ...event,
      payload: event.name === 'RequestStart' ? { method: 'GET', pathAndQuery } : {},
    }));
  }).flat();
}

describe('the explanations in a report', () => {
  it('divide the durations of activities into states that add up to them', async () => {
    const { events } = new SimulatedLoop(3).simulate(40);
    const { activities, header } = await read(events);
    const { activities: explained } = header.explanations;
    expect(explained.length).toBeGreaterThan(5);
    for (const { activity, states } of explained) {
      const totalNs = states.reduce((sum, { ns }) => sum + ns, 0);
      expect(totalNs).toBe(activities.durationNs(activity));
      for (const { ns, atLeastNs } of states) expect(atLeastNs).toBeLessThanOrEqual(ns);
    }
  });

  it('are bounded, and have the slowest of every kind', async () => {
    const { activities, header } = await read(requests(12, 50));
    const { activities: explained, count } = header.explanations;
    expect(count).toBe(600);
    expect(explained.length).toBeLessThanOrEqual(200);
    const kinds = new Set(explained.map(({ activity }) => activities.title(activity)));
    expect(kinds.size).toBe(12);
    expect([...kinds]).toContain('GET /route7/:id');
  });

  it('are only about activities that the report contains', async () => {
    const { activities, header } = await read(requests(2, 10), { events: 1000, activities: 5 });
    for (const { activity } of header.explanations.activities) expect(activity).toBeLessThan(5);
    expect(activities.count).toBe(5);
  });

  it('say what the next recording should have, and are not there for a trace without activities', async () => {
    const { header } = await read(requests(1, 2));
    expect(header.explanations.hints.join('\n')).toContain('Node.Runtime:20:0');
    expect(header.explanations.activities[0]?.states.map(({ state }) => state)).toEqual(['unknown']);
    const none = await read([{ name: 'Log', at: 1 }]);
    expect(none.header.explanations).toEqual({ activities: [], count: 0, totals: [], hints: [] });
  });
});

describe('the lanes of an activity', () => {
  it('have what the account says: as much of its own code as it ran', async () => {
    const { events } = new SimulatedLoop(5).simulate(40);
    const data = await read(events);
    const lanes = new LaneSource(data);
    for (const { activity, states } of data.header.explanations.activities) {
      const { from, to, lanes: shown } = lanes.lanesOf(activity);
      const loop = shown.find(({ title }) => title === 'Event loop');
      if (loop === undefined) continue;
      for (const bar of loop.bars) {
        expect(bar.from).toBeGreaterThanOrEqual(from);
        expect(bar.to).toBeLessThanOrEqual(to);
      }
      const ranNs = states
        .filter(({ state }) => state === 'running' || state === 'offProcessor')
        .reduce((sum, { atLeastNs }) => sum + atLeastNs, 0);
      const own = shown[0]?.bars.reduce((sum, bar) => sum + bar.to - bar.from, 0) ?? 0;
      expect(own).toBeGreaterThanOrEqual(ranNs * 0.98);
    }
  });

  it('merge what is too short to tell apart, however many runs there are', async () => {
    const run = (number: number) => ({
      name: 'Node.Runtime/ActivityRun',
      at: number * 0.02,
      payload: { number, startedAgoMSec: 0.01, durationMSec: 0.01, cpuMSec: -1 },
    });
    const events = [
      ...during(['Request', '//1/1', 0, 300]),
      ...Array.from({ length: 14_000 }, (_, index) => run(index + 1)),
    ].sort((a, b) => a.at - b.at);
    const data = await read(events);
    const { lanes } = new LaneSource(data).lanesOf(0);
    const loop = lanes.find(({ title }) => title === 'Event loop');
    expect(loop?.bars.length).toBeGreaterThan(0);
    expect(loop?.bars.length).toBeLessThan(1300);
  });
});
