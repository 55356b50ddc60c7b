/** Several inputs: their order, what is retained of them, and what happens if one is silent or fails. */
import { setTimeout as delay } from 'node:timers/promises';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Playback } from '../../lib/playback/playback.ts';
import { A, FakeTraceEvent, fakeTrace, type Numbered, slowly, timeOf } from './fakes.ts';

/** Numbers in the order in which they are given. */
async function merged(
  ...inputs: readonly (readonly [number: number, seconds: number][])[]
): Promise<number[]> {
  const playback = new Playback();
  for (const input of inputs) {
    playback.addEvents(
      input.map(([number, seconds]) => new A(number, seconds)),
      timeOf,
    );
  }
  const events = playback.bufferOutput(playback.getObservable(A));
  await playback.run();
  return events.map(({ number }) => number);
}

describe('inputs are merged', () => {
  it('by time', async () => {
    expect(
      await merged(
        [
          [1, 0],
          [4, 3],
        ],
        [
          [2, 1],
          [5, 4],
        ],
        [[3, 2]],
      ),
    ).toEqual([1, 2, 3, 4, 5]);
  });

  it('in the order in which they were added, for equal times', async () => {
    expect(
      await merged(
        [
          [1, 0],
          [2, 0],
        ],
        [[3, 0]],
        [[4, 0]],
      ),
    ).toEqual([1, 2, 3, 4]);
    expect(
      await merged(
        [[2, 1]],
        [
          [1, 0],
          [3, 1],
        ],
      ),
    ).toEqual([1, 2, 3]);
  });

  it('without changing the order of each input, even if its times go back', async () => {
    expect(
      await merged(
        [
          [1, 0],
          [2, 5],
          [3, 2],
          [4, 6],
        ],
        [
          [5, 3],
          [6, 5],
        ],
      ),
    ).toEqual([1, 5, 2, 3, 6, 4]);
  });

  it('in any number', async () => {
    const inputs = Array.from({ length: 100 }, (_, input) =>
      Array.from({ length: 50 }, (_, i): [number, number] => [i * 100 + input, i * 100 + input]),
    );
    expect(await merged(...inputs)).toEqual(Array.from({ length: 5000 }, (_, number) => number));
  });
});

describe('for each input', () => {
  it('no more than one batch is read ahead while another one is waited for', async () => {
    let given = 0;
    function* batches() {
      for (;;) {
        given++;
        yield [new FakeTraceEvent({ seconds: given })];
      }
    }
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = slowly([new A(1, 5)], () => gate);
    const playback = new Playback().addTrace(fakeTrace(batches())).addEvents(slow, timeOf);
    const order: string[] = [];
    playback.getAll().subscribe(({ value }) => {
      order.push(value instanceof A ? 'slow' : 'fast');
      if (order.length === 6) playing.close();
    });
    const playing = playback.start();
    await delay(20);
    expect([given, order]).toEqual([1, []]);
    open();
    await playing.finished;
    expect(order).toEqual(['fast', 'fast', 'fast', 'fast', 'fast', 'slow']);
  });

  it('what an observable pushes meanwhile is kept', async () => {
    const feed = new Subject<Numbered>();
    const playback = new Playback().addEvents(feed, timeOf).addEvents([new A(2, 1), new A(4, 3)], timeOf);
    const events = playback.bufferOutput(playback.getObservable(A));
    const playing = playback.start();
    feed.next(new A(1, 0));
    feed.next(new A(3, 2));
    await delay(5);
    feed.next(new A(5, 4));
    feed.complete();
    await playing.finished;
    expect(events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });

  it('but not without a limit: then it ends with an error that says what helps', async () => {
    const feed = new Subject<Numbered>();
    const playback = new Playback().addEvents(feed, timeOf).addEvents(new Subject<Numbered>(), timeOf);
    let count = 0;
    playback.getAll().subscribe({ next: () => count++, error: () => {} });
    const playing = playback.start();
    await delay(5);
    const event = new A(0, 0);
    for (let i = 0; i < 1_100_000; i++) feed.next(event);
    expect(feed.observed).toBe(false);
    playing.close();
    await playing.finished;
    expect(count).toBe(0);
  });
});

describe('a silent input', () => {
  const others: readonly Numbered[] = [new A(1, 1), new A(2, 2)];

  it('is waited for', async () => {
    const feed = new Subject<Numbered>();
    const playback = new Playback().addEvents(others, timeOf).addEvents(feed, timeOf);
    const events = playback.bufferOutput(playback.getObservable(A));
    const playing = playback.start();
    await delay(30);
    expect(events).toEqual([]);
    feed.next(new A(0, 0));
    feed.complete();
    await playing.finished;
    expect(events.map(({ number }) => number)).toEqual([0, 1, 2]);
  });

  it('is waited for no longer than maxWaitMs; then its events are delivered as they arrive', async () => {
    const feed = new Subject<Numbered>();
    const playback = new Playback({ maxWaitMs: 10 }).addEvents(others, timeOf).addEvents(feed, timeOf);
    const events = playback.bufferOutput(playback.getObservable(A));
    const playing = playback.start();
    await delay(60);
    expect(events.map(({ number }) => number)).toEqual([1, 2]);
    feed.next(new A(0, 0));
    await delay(5);
    expect(events.map(({ number }) => number)).toEqual([1, 2, 0]);
    feed.complete();
    await playing.finished;
  });

  it('can be stopped', async () => {
    const feed = new Subject<Numbered>();
    const playing = new Playback().addEvents(others, timeOf).addEvents(feed, timeOf).start();
    await delay(5);
    playing.close();
    await playing.finished;
    expect(feed.observed).toBe(false);
  });

  it('rejects a maxWaitMs that is not a number', () => {
    expect(() => new Playback({ maxWaitMs: Number.NaN })).toThrow(
      'maxWaitMs must be a number of at least 0, not NaN.',
    );
  });
});

describe('an input that fails', () => {
  async function* failing() {
    yield new A(1, 0);
    yield new A(3, 2);
    throw new Error('the disk is gone');
  }

  it('ends all queries with its error after its earlier events, and closes the others', async () => {
    let isClosed = false;
    const trace = fakeTrace(
      [[new FakeTraceEvent({ seconds: 1 })], [new FakeTraceEvent({ seconds: 3 })]],
      () => {
        isClosed = true;
      },
    );
    const playback = new Playback().addEvents(failing(), timeOf).addTrace(trace);
    const events = playback.bufferOutput(playback.getAll());
    const errors: unknown[] = [];
    playback.getObservable(A).subscribe({ error: (error) => errors.push(error) });
    playback.getObservable(Object).subscribe({ error: (error) => errors.push(error) });
    await expect(playback.run()).rejects.toThrow('the disk is gone');
    expect(events.map(({ value }) => (value instanceof A ? value.number : 2))).toEqual([1, 2, 3]);
    expect(errors.map(String)).toEqual(['Error: the disk is gone', 'Error: the disk is gone']);
    expect(isClosed).toBe(true);
  });

  it('in the middle of a batch delivers what precedes the fault', async () => {
    const events = [new A(1, 0), new A(2, 1), { time: 'none' } as unknown as Numbered];
    const playback = new Playback().addEvents(events, timeOf).addEvents([new A(9, 9)], timeOf);
    const given = playback.bufferOutput(playback.getObservable(Object));
    await expect(playback.run()).rejects.toThrow("not 'none'");
    expect(given).toHaveLength(2);
  });
});
