/** `npm run bench -- --compare`: what became slower, even if the saved run comes from a different machine. */
import { describe, expect, it } from 'vitest';
import { compareReports, comparisonText } from '../../scripts/bench/compare.mjs';

const figure = (id: string, group: string, title: string, ns: number) => ({
  id,
  group,
  title,
  median: ns,
  best: ns * 0.9,
});

/** @param speed of the machine: what a C program takes, too */
const report = (speed: number, eventNs: number, disabledNs = 1) => ({
  groups: [
    {
      figures: [
        figure('null-c', 'devNull', 'C', 200 * speed),
        figure('null-event', 'devNull', 'an event', eventNs),
      ],
    },
    { figures: [figure('disabled-start', 'disabled', 'a Start event', disabledNs)] },
  ],
  reading: {
    rows: [
      {
        title: 'a trace',
        headers: { eventsPerSecond: 1000 / speed },
        payloads: { eventsPerSecond: 500 / speed },
        timesScan: 4,
      },
    ],
  },
});

describe('a comparison of two runs', () => {
  it('lists what became slower relative to the yardsticks of its group', () => {
    expect(comparisonText(compareReports(report(1, 400), report(1, 800)))).toBe(
      'slower 2.00x: devNull: an event\n1 slower, 0 faster, 3 the same, by ratio to the yardsticks of each run',
    );
  });

  it('does not report anything as slower on a slower machine', () => {
    const { changes } = compareReports(report(1, 400), report(3, 1200, 3));
    expect(changes.filter(({ isSame }) => !isSame)).toEqual([]);
  });

  it('ignores differences of a nanosecond', () => {
    const { changes } = compareReports(report(1, 400, 0.3), report(1, 400, 1.1));
    expect(changes.map(({ isSame }) => isSame)).toEqual([true, true, true, true]);
  });

  it('names what was not measured again', () => {
    const { missing } = compareReports(report(1, 400), { groups: [], reading: {} });
    expect(missing).toEqual([
      'devNull: an event',
      'disabled: a Start event',
      'reading all but payloads of a trace',
      'reading a trace',
    ]);
  });
});
