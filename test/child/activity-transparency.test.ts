/** A listener changes nothing for the application: each case runs with and without one. */
import { beforeAll, expect, it } from 'vitest';
import { describeEachNode } from './each-node.ts';

interface Case {
  readonly name: string;
  /** What the application saw. */
  readonly untraced: readonly string[];
  readonly traced: readonly string[];
  /** Starts, and Stops with their success. */
  readonly heard: readonly string[];
}
interface Report {
  readonly lines: readonly Case[];
  readonly stats: object;
  readonly problems: readonly string[];
}

const FAILED = [
  'a rejected promise',
  'a rejected promise that nobody handles',
  'a promise that is rejected later and nobody handles',
  'a promise that rejects with a revoked proxy',
  'a promise that rejects with an error without a message',
  'a rejected promise with a method',
  'a rejected promise of a class of its own',
  'a rejected promise of another realm',
  'a generator that an error is thrown into',
  'a generator that throws',
  'an async generator that throws',
  'an async generator that rejects, which nobody handles',
  'an iterator by hand that throws',
  'what events.on gives',
  'an error, thrown',
  'nothing, thrown',
  'a revoked proxy, thrown',
  'an error without a message, thrown',
  'an error whose message is no text, thrown',
  'an object that cannot be shown, thrown',
];

describeEachNode('activity()', (run) => {
  let report: Report;
  beforeAll(async () => {
    report = (await run('child/activity-programs/transparency.mjs')) as Report;
  });

  it('gives the application the same result as without a listener', () => {
    expect(report.lines.length).toBeGreaterThan(80);
    const seen = (way: 'traced' | 'untraced') => report.lines.map((line) => [line.name, line[way]]);
    expect(seen('traced')).toEqual(seen('untraced'));
  });

  it('does so while activity switches are observed', async () => {
    const { lines } = (await run('child/activity-programs/transparency.mjs', 'switches')) as Report;
    expect(lines.map(({ name, traced }) => [name, traced])).toEqual(
      report.lines.map(({ name, untraced }) => [name, untraced]),
    );
  });

  it('writes one Start and one Stop, whatever the work returns or throws', () => {
    const heard = report.lines.map(({ name, heard }) => [name, heard]);
    expect(heard).toEqual(
      report.lines.map(({ name }) => [name, ['Start', `Stop ${!FAILED.includes(name)}`]]),
    );
    expect(report.problems).toEqual([]);
    expect(report.stats).toMatchObject({ dropped: {}, badValues: 0 });
  });
});
