/** What a report shows above its activities: counters, the event loop and garbage collections over time. */
import { describe, expect, it } from 'vitest';
import { type Track, textAt, valueText } from '../../../lib/pages/tracks.ts';
import { type WrittenEvent, written } from '../written-events.ts';
import { reportOf } from './read-report.ts';

const tracksOf = (...events: WrittenEvent[]) => reportOf(events.map(written)).then(({ data }) => data.tracks);

const counter = (at: number, payload: object): WrittenEvent => ({
  name: 'System.Runtime/EventCounters',
  at,
  payload: { '': { Payload: { CounterType: 'Mean', ...payload } as never } },
});
const shown = ({ title, unit, times, values }: Track) => ({
  title,
  unit,
  points: Array.from(times, (ns, point) => [ns / 1e6, values[point]]),
});

describe('the tracks of a report', () => {
  it('are the counters of event sources and meters, rates per second', async () => {
    const rate = { CounterType: 'Sum', Series: 'Interval=2000', DisplayUnits: 'B' };
    const tracks = await tracksOf(
      counter(1000, { Name: 'cpu-usage', DisplayName: 'CPU Usage', DisplayUnits: '%', Mean: 12.5 }),
      counter(2000, { Name: 'cpu-usage', DisplayName: 'CPU Usage', DisplayUnits: '%', Mean: 50 }),
      counter(2000, { Name: 'alloc-rate', DisplayName: 'Allocation Rate', Increment: 4000, ...rate }),
      {
        name: 'System.Diagnostics.Metrics/GaugeValuePublished',
        at: 2500,
        payload: { meterName: 'Shop', instrumentName: 'queue', tags: 'kind=mail', unit: '', lastValue: '7' },
      },
    );
    expect(tracks.map(shown)).toEqual([
      {
        title: 'CPU Usage',
        unit: '%',
        points: [
          [1000, 12.5],
          [2000, 50],
        ],
      },
      { title: 'Allocation Rate', unit: 'B/s', points: [[2000, 2000]] },
      { title: 'Shop queue kind=mail', unit: '', points: [[2500, 7]] },
    ]);
  });

  it('are garbage collections at the time when they happened, of Node.js and .NET', async () => {
    const collection = (at: number, startedAgoMSec: number, durationMSec: number, kind: string) => ({
      name: 'Node.Runtime/GarbageCollection',
      at,
      payload: { startedAgoMSec, durationMSec, kind },
    });
    const ofDotNet = (name: string, at: number, payload: WrittenEvent['payload']): WrittenEvent => ({
      name: `Microsoft-Windows-DotNETRuntime/GC/${name}`,
      at,
      processId: 7,
      payload: payload ?? {},
    });
    const [node, dotNet] = await tracksOf(
      { name: 'Other', at: 0 },
      collection(500, 300, 20, 'markSweepCompact'),
      collection(501, 400, 1, 'scavenge'),
      ofDotNet('Start', 600, { Count: 1, Depth: 2, Type: 0 }),
      ofDotNet('Stop', 630, { Count: 1 }),
      ofDotNet('Stop', 640, { Count: 2 }),
    );
    expect(shown(node as Track).points).toEqual([
      [101, 1e6],
      [200, 20e6],
    ]);
    expect(textAt(node as Track, 210e6, 0)).toBe('markSweepCompact 20 ms');
    expect(textAt(node as Track, 150e6, 0)).toBe('');
    expect(textAt(dotNet as Track, 631e6, 2e6)).toBe('generation 2 30 ms');
  });

  it('are the event loop and the memory of each thread of Node.js, the longest delay first', async () => {
    const loop = { delayMaxMSec: 30, delayP99MSec: 12, utilization: 0.25 };
    const heap = { usedHeapSize: 20_000_000n, externalMemory: 5n, residentSetSize: 60_000_000n };
    const tracks = await tracksOf(
      { name: 'Node.Runtime/HeapStatistics', at: 1, payload: heap },
      { name: 'Node.Runtime/EventLoop', at: 1, payload: loop },
      { name: 'Node.Runtime/EventLoop', at: 1, threadId: 2, payload: loop },
    );
    expect(tracks.map(({ title }) => title)).toEqual([
      'Event-loop delay, longest',
      'Event-loop delay, longest',
      'Event-loop utilization',
      'Event-loop utilization',
      'Heap in use',
      'External memory',
      'Resident memory',
      'Event-loop delay, p99',
      'Event-loop delay, p99',
    ]);
    const [delay, , share, , inUse] = tracks as [Track, Track, Track, Track, Track];
    expect([delay, share, inUse].map((track) => valueText(track, track.most))).toEqual([
      '30 ms',
      '25 %',
      '20.0 MB',
    ]);
    // A value is of the time before it; after the last one nothing is known.
    expect([textAt(delay, 0, 0), textAt(delay, 2e6, 0)]).toEqual(['30 ms', '']);
  });

  it('have no values that are not numbers, and no times outside of what numbers can say', async () => {
    const tracks = await tracksOf(
      { name: 'Node.Runtime/EventLoop', at: 1, payload: { delayMaxMSec: 'x', delayP99MSec: Number.NaN } },
      { name: 'Node.Runtime/constructor', at: 2 },
      {
        name: 'Node.Runtime/GarbageCollection',
        at: 3,
        payload: { startedAgoMSec: -1e300, durationMSec: 1, kind: 'odd' },
      },
      ...Array.from({ length: 300 }, (_, index) => counter(4, { Name: `c${index}`, Mean: index })),
    );
    expect(tracks.length).toBe(200);
    expect(tracks[0]?.times[0]).toBe(Number.MAX_SAFE_INTEGER);
  });
});
