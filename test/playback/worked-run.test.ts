/**
 * One run of Tx's own Playback, reproduced exactly: two inputs, a class and its subclass, and windows of five seconds
 * in virtual time. The expected output was recorded from the original.
 */
import { count, map, mergeMap, windowTime } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Playback } from '../../lib/playback/playback.ts';
import { A, B, C, type Numbered, secondsOf, timeOf } from './fakes.ts';

const FIRST: readonly Numbered[] = [new A(1, 0), new B(2, 2), new A(3, 6), new C(9, 7)];
const SECOND: readonly Numbered[] = [new A(10, 1), new C(11, 2), new A(12, 12)];

describe('a playback of two inputs', () => {
  it('yields the same as Tx', async () => {
    const lines: string[] = [];
    const playback = new Playback().addEvents(FIRST, timeOf).addEvents(SECOND, timeOf);
    playback.getObservable(B).subscribe(({ number }) => lines.push(`B${number}`));
    playback
      .getObservable(A)
      .subscribe((event) => lines.push(event instanceof B ? 'seen as A, too' : `A${event.number}`));
    playback.getObservable(C).subscribe(({ number }) => lines.push(`C${number}`));
    playback
      .getObservable(A)
      .pipe(
        windowTime(5000, playback.scheduler),
        mergeMap((window) => window.pipe(count())),
        map((events) => `W:${events}@${secondsOf(playback.scheduler.now())}`),
      )
      .subscribe((line) => lines.push(line));
    await playback.run();
    expect(lines).toEqual([
      'A1',
      'A10',
      'B2',
      'seen as A, too',
      'C11',
      'W:3@5',
      'A3',
      'C9',
      'W:1@10',
      'A12',
      'W:1@12',
    ]);
  });
});
