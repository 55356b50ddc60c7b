/** The ids of an activity and everything in it as a regular expression. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../lib/activity/guid.ts';
import { parseActivityPath } from '../../lib/activity/path.ts';
import { activityIdPattern } from '../../lib/activity/path-pattern.ts';
import { pathId } from '../view/path-id.ts';

const whole = (path: string) => new RegExp(`^${activityIdPattern(path).source}$`);

/** Numbers of every length in the code, by a generator with a seed (xorshift). */
function pathsOfNumbers(count: number): number[][] {
  let state = 0x2545f491;
  const random = (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const limits = [3, 3, 11, 16, 300, 5000, 70_000, 2 ** 24 + 9, 2 ** 32];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random(6) }, () => random(limits[random(limits.length)] as number)),
  );
}

const textOf = (numbers: readonly number[]) => `/${numbers.map((number) => `/${number}`).join('')}`;

function fits(numbers: readonly number[]): boolean {
  try {
    return parseActivityPath(Guid.parse(pathId(textOf(numbers))))?.numbers.join() === numbers.join();
  } catch {
    return false;
  }
}

describe("the pattern of an activity's ids", () => {
  it('has the nibbles of the path, and any others', () => {
    expect(activityIdPattern('//1/1').source).toBe(
      '[0-9a-fA-F]{6}11-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}',
    );
    expect(activityIdPattern('//1/1/10/2').source).toBe(
      '[0-9a-fA-F]{4}[aA]211-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}',
    );
    expect(activityIdPattern('/#4321/1/1/').source).toBe(activityIdPattern('//1/1').source);
  });

  it('matches ids that .NET wrote, in both cases, and only those in the activity', () => {
    const pattern = whole('//1/1/256');
    expect('0000c111-0000-0000-0000-00005f4a9e59').toMatch(pattern);
    expect('1000C111-0000-0000-0000-00005F4A9E69').toMatch(pattern);
    expect('000bc011-0000-0000-0000-00005f49a959').not.toMatch(pattern);
  });

  it('matches the children of large numbers that .NET 9 and older wrote', () => {
    const id = Guid.fromBytes(Buffer.from('11c10000100000000000000000000000', 'hex'));
    const path = new Guid(id.w0, id.w1, id.w2, id.w0 + id.w1 + id.w2 + 0x599d99ad);
    expect(parseActivityPath(path)?.numbers).toEqual([1, 1, 256, 1]);
    expect(path.toString()).toMatch(whole('//1/1/256/1'));
    expect(path.toString()).not.toMatch(whole('//1/1/256/2'));
  });

  it('matches every id in the activity, in any process, and none beside it', () => {
    const paths = pathsOfNumbers(400).filter(fits);
    expect(paths.length).toBeGreaterThan(200);
    for (const numbers of paths) {
      const pattern = whole(textOf(numbers));
      for (const others of paths) {
        const isInside = numbers.every((number, i) => others[i] === number);
        const id = pathId(textOf(others), others.length * 1000);
        expect([textOf(others), pattern.test(id)]).toEqual([textOf(others), isInside]);
      }
      for (const below of [1, 11, 256, 70_000].map((number) => [...numbers, number]).filter(fits)) {
        expect(pathId(textOf(below), 4321)).toMatch(pattern);
      }
    }
  });

  it('matches ids whose path was too long', () => {
    expect(pathId('//1/1/6$77', 4321)).toMatch(whole('//1/1/6'));
    expect(pathId('//1/1/6$77', 4321)).toMatch(whole('//1/1/6$77'));
    expect(pathId('//1/1/6$78', 4321)).not.toMatch(whole('//1/1/6$77'));
  });

  it('exists only for paths', () => {
    expect(() => activityIdPattern('1/1')).toThrow('"1/1" is not an activity path, such as //1/1/6.');
    expect(() => activityIdPattern('//1/4294967296')).toThrow('it does not fit at /4294967296.');
    expect(() => activityIdPattern(`/${'/1'.repeat(25)}`)).toThrow('does not fit at /1.');
  });
});
