/** The clock of a playback, and RxJS's operators that use it. */
import { debounceTime, delay, interval, type SchedulerAction, Subject, take, timer, toArray } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { PlaybackError } from '../../lib/playback/playback-error.ts';
import { VirtualTime } from '../../lib/playback/virtual-time.ts';
import { cpuTimeOf } from '../base/cpu-time.ts';
import { at, EPOCH, secondsOf } from './fakes.ts';

let time: VirtualTime;
let lines: string[];
const note = (line: string) => () => void lines.push(`${line}@${secondsOf(time.now())}`);

beforeEach(() => {
  time = new VirtualTime();
  lines = [];
});

describe('before the first event', () => {
  it('there is no time', () => {
    expect(() => time.now()).toThrow(
      new PlaybackError(
        "There is no virtual time before the playback's first event, unless startTime is set.",
      ),
    );
  });

  it('work is postponed, and its delay counts from that event on', () => {
    time.schedule(note('after 2 s'), 2000);
    time.schedule(note('at once'));
    time.scheduleAt(at(11), note('at 11'));
    time.scheduleAt(at(3), note('before all'));
    expect(lines).toEqual([]);
    time.advanceTo(at(10));
    expect(lines).toEqual(['before all@10', 'at once@10']);
    time.advanceTo(at(20));
    expect(lines.slice(2)).toEqual(['at 11@11', 'after 2 s@12']);
  });

  it('postponed work can be cancelled', () => {
    time.schedule(note('never'), 1000).unsubscribe();
    time.advanceTo(at(0));
    time.advanceTo(at(5));
    expect(lines).toEqual([]);
  });
});

describe('as time goes on', () => {
  beforeEach(() => time.advanceTo(at(0)));

  it('due work runs in time order, and work due together in the order of scheduling', () => {
    time.schedule(note('third'), 3000);
    time.schedule(note('first'), 1000);
    time.schedule(note('second'), 1000);
    time.advanceTo(at(2.999));
    expect(lines).toEqual(['first@1', 'second@1']);
    time.advanceTo(at(3));
    expect(lines).toEqual(['first@1', 'second@1', 'third@3']);
  });

  it('work scheduled by due work runs on the way, too', () => {
    time.schedule(
      function (this: SchedulerAction<number>, left = 0) {
        note(`${left} left`)();
        if (left > 0) this.schedule(left - 1, 1000);
      },
      1000,
      2,
    );
    time.advanceTo(at(10));
    expect(lines).toEqual(['2 left@1', '1 left@2', '0 left@3']);
  });

  it('rescheduled work does not run at its former time', () => {
    const action = time.schedule(note('work'), 1000) as SchedulerAction<unknown>;
    action.schedule(undefined, 5000);
    time.advanceTo(at(10));
    expect(lines).toEqual(['work@5']);
  });

  it('it never goes back', () => {
    time.advanceTo(at(5));
    time.advanceTo(at(3));
    expect(secondsOf(time.now())).toBe(5);
    time.scheduleAt(at(1), note('late'));
    time.advanceTo(at(4));
    expect(lines).toEqual(['late@5']);
  });

  it('delays are exact to the nanosecond, although the time in milliseconds is not', () => {
    time.schedule(note('after 1.000001 ms'), 1.000001);
    time.advanceTo(EPOCH + 1_000_000n);
    expect(lines).toEqual([]);
    time.advanceTo(EPOCH + 1_000_001n);
    expect(lines).toHaveLength(1);
  });

  it('a delay of Infinity never ends, one that is not a number or negative ends at once', () => {
    time.schedule(note('never'), Number.POSITIVE_INFINITY);
    time.schedule(note('never'), Number.MAX_VALUE);
    time.schedule(note('NaN'), Number.NaN);
    time.schedule(note('-1'), -1);
    time.advanceTo(at(1e9));
    expect(lines).toEqual(['NaN@0', '-1@0']);
  });

  it('at the end, due work still runs, and nothing later', () => {
    time.schedule(note('now'));
    time.schedule(note('later'), 0.001);
    time.finish();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toBe('now@0');
  });
});

describe("RxJS's operators in virtual time", () => {
  it('timer and interval tick', () => {
    timer(1000, 2000, time).subscribe((tick) => note(`timer ${tick}`)());
    interval(1500, time)
      .pipe(take(2))
      .subscribe((tick) => note(`interval ${tick}`)());
    time.advanceTo(at(0));
    time.advanceTo(at(4));
    expect(lines).toEqual(['timer 0@1', 'interval 0@1.5', 'timer 1@3', 'interval 1@3']);
  });

  it('timer fires at a date, once there is a time', () => {
    time.start(at(0));
    timer(new Date(Number(at(7) / 1_000_000n)), time).subscribe(note('rings'));
    time.advanceTo(at(10));
    expect(lines).toEqual(['rings@7']);
  });

  it('delay and debounceTime wait', () => {
    const events = new Subject<string>();
    events.pipe(delay(1000, time)).subscribe((event) => note(`${event} delayed`)());
    events.pipe(debounceTime(1000, time)).subscribe((event) => note(`${event} and silence`)());
    for (const [event, seconds] of [
      ['a', 0],
      ['b', 0.5],
      ['c', 3],
    ] as const) {
      time.advanceTo(at(seconds));
      events.next(event);
    }
    time.advanceTo(at(10));
    expect(lines).toEqual([
      'a delayed@1',
      'b delayed@1.5',
      'b and silence@1.5',
      'c delayed@4',
      'c and silence@4',
    ]);
  });

  it('an operator that reads the time too early passes the error to its observer', () => {
    let error: unknown;
    timer(new Date(), time)
      .pipe(toArray())
      .subscribe({ error: (thrown) => (error = thrown) });
    expect(error).toBeInstanceOf(PlaybackError);
  });

  it('a hundred thousand simultaneous actions are no problem', () => {
    let runs = 0;
    const milliseconds = cpuTimeOf(() => {
      for (let i = 0; i < 100_000; i++) time.schedule(() => runs++, (i * 7919) % 100_000);
      time.advanceTo(at(0));
      time.advanceTo(at(100));
    });
    expect(runs).toBe(100_000);
    expect(milliseconds).toBeLessThan(5000);
  });
});
