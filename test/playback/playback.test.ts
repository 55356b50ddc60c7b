/** The queries of a playback, and when their results arrive. */
import { EMPTY, from, map, Subject, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Playback } from '../../lib/playback/playback.ts';
import { PlaybackError } from '../../lib/playback/playback-error.ts';
import { TraceEvent } from '../../lib/trace/trace-event.ts';
import { A, at, B, C, FakeTraceEvent, fakeTrace, Numbered, secondsOf, timeOf } from './fakes.ts';

const EVENTS: readonly Numbered[] = [new A(1, 0), new B(2, 1), new C(3, 2), new A(4, 3)];
const played = () => new Playback().addEvents(EVENTS, timeOf);
const numbers = (events: readonly { readonly number: number }[]) => events.map(({ number }) => number);

describe('a playback queried for a class', () => {
  it('delivers its instances, and those of its subclasses', async () => {
    const playback = played();
    const [a, b] = [
      playback.bufferOutput(playback.getObservable(A)),
      playback.bufferOutput(playback.getObservable(B)),
    ];
    await playback.run();
    expect([numbers(a), numbers(b)]).toEqual([[1, 2, 4], [2]]);
  });

  it('delivers everything for a base class of all, and for Object', async () => {
    const playback = played();
    const numbered = playback.bufferOutput(playback.getObservable(Numbered));
    const objects = playback.bufferOutput(playback.getObservable(Object));
    await playback.run();
    expect([numbers(numbered), objects]).toEqual([[1, 2, 3, 4], EVENTS]);
  });

  it('delivers to queries for the subclass first, whichever was built first', async () => {
    const playback = played();
    const lines: string[] = [];
    playback.getObservable(Object).subscribe((event) => lines.push(`Object ${(event as Numbered).number}`));
    playback.getObservable(A).subscribe(({ number }) => lines.push(`A ${number}`));
    playback.getObservable(B).subscribe(({ number }) => lines.push(`B ${number}`));
    await playback.run();
    expect(lines.slice(2, 5)).toEqual(['B 2', 'A 2', 'Object 2']);
  });

  it('has one observable for all who request it', () => {
    const playback = played();
    expect(playback.getObservable(A)).toBe(playback.getObservable(A));
  });

  it('applies to inputs that are added later, too', async () => {
    const playback = new Playback();
    const events = playback.bufferOutput(playback.getObservable(A));
    await playback.addEvents(EVENTS, timeOf).run();
    expect(events).toHaveLength(3);
  });

  it('delivers only later events if built during the run', async () => {
    const playback = played();
    let late: Numbered[] = [];
    playback.getObservable(B).subscribe(() => {
      late = playback.bufferOutput(playback.getObservable(Numbered));
    });
    await playback.run();
    expect(numbers(late)).toEqual([3, 4]);
  });
});

describe('a playback of a trace', () => {
  const guid = 'dd5ef90a-6398-47a4-ad34-4dcecdef795f';
  const http = { provider: 'Http', providerGuid: guid };
  const parse = new FakeTraceEvent({ ...http, name: 'Parse', id: 2 });
  const newParse = new FakeTraceEvent({ ...http, name: 'Parse', id: 2, version: 1 });
  const send = new FakeTraceEvent({ ...http, name: 'FastSend', id: 12 });
  const other = new FakeTraceEvent({ provider: 'Other', name: 'Parse', id: 2 });
  const all = [parse, newParse, send, other];

  const eventsOf = async (ask: (playback: Playback) => unknown[]) => {
    const playback = new Playback().addTrace(fakeTrace([all.slice(0, 1), all.slice(1)]));
    const events = ask(playback);
    await playback.run();
    return events;
  };

  it.each([
    ['an id, of every version', { provider: 'Http', id: 2 }, [parse, newParse]],
    ['an id and a version', { provider: 'Http', id: 2, version: 1 }, [newParse]],
    ['a name', { provider: 'Http', name: 'FastSend' }, [send]],
    ['a GUID', { provider: guid, id: 12 }, [send]],
    ['a GUID in the way of the registry', { provider: `{${guid.toUpperCase()}}`, id: 12 }, [send]],
    ['what is not there', { provider: 'Http', id: 3 }, []],
  ])('delivers the events of a provider by %s', async (_, key, expected) => {
    expect(await eventsOf((playback) => playback.bufferOutput(playback.getObservable(key)))).toEqual(
      expected,
    );
  });

  it('delivers everything as TraceEvent', async () => {
    const events = await eventsOf((playback) => playback.bufferOutput(playback.getObservable(TraceEvent)));
    expect(events).toEqual(all);
  });

  it('delivers what satisfies a predicate', async () => {
    const events = await eventsOf((playback) =>
      playback.bufferOutput(playback.getObservable((event: TraceEvent) => event.version === 1)),
    );
    expect(events).toEqual([newParse]);
  });

  it('delivers an event once to a query that selects it in several ways', async () => {
    const events = await eventsOf((playback) =>
      playback.bufferOutput(
        playback.getAll(TraceEvent, { provider: guid, id: 2 }, { provider: 'Http', name: 'Parse' }),
      ),
    );
    expect(events).toHaveLength(all.length);
  });

  it('rejects what is not an event type', () => {
    const playback = new Playback();
    for (const type of [{ provider: 'Http' }, { provider: 'Http', id: 2.5 }, { id: 2 }, 'Http', null]) {
      expect(() => playback.getObservable(type as never)).toThrow(PlaybackError);
    }
    expect(() => playback.getObservable({ provider: 'Http', id: 70_000 })).toThrow(
      "{ provider: 'Http', id: 70000 } is not a type of events: pass an event of an event source, a class, { provider, id, version? } or { provider, name }.",
    );
  });
});

describe('the timeline', () => {
  it('contains the requested types, in order and with their times', async () => {
    const playback = played();
    const timeline = playback.bufferOutput(playback.getAll(B, C));
    await playback.run();
    expect(timeline).toEqual([
      { timestamp: at(1), value: EVENTS[1] },
      { timestamp: at(2), value: EVENTS[2] },
    ]);
  });

  it('contains everything if nothing was requested', async () => {
    const playback = played();
    const timeline = playback.bufferOutput(playback.getAll());
    await playback.run();
    expect(timeline.map(({ value }) => value)).toEqual(EVENTS);
  });
});

describe('startTime and endTime', () => {
  it('exclude earlier and later events, but not those at the limits', async () => {
    const playback = new Playback({ startTime: at(1), endTime: at(2) }).addEvents(EVENTS, timeOf);
    const events = playback.bufferOutput(playback.getObservable(Numbered));
    await playback.run();
    expect(numbers(events)).toEqual([2, 3]);
  });

  it('can be dates', async () => {
    const date = new Date(Number(at(2) / 1_000_000n));
    const playback = new Playback({ startTime: date }).addEvents(EVENTS, timeOf);
    const events = playback.bufferOutput(playback.getObservable(Numbered));
    await playback.run();
    expect(numbers(events)).toEqual([3, 4]);
    expect(() => new Playback({ endTime: new Date('no date') })).toThrow(PlaybackError);
  });

  it('set the virtual time before the first event', () => {
    expect(secondsOf(new Playback({ startTime: at(1) }).scheduler.now())).toBe(1);
  });
});

describe('virtual time', () => {
  it('runs due work before it delivers the event', async () => {
    const playback = played();
    const lines: string[] = [];
    playback.getObservable(Numbered).subscribe(({ number }) => lines.push(`event ${number}`));
    playback.scheduler.schedule(() => lines.push('1 s'), 1000);
    playback.scheduler.schedule(() => lines.push('0 s'));
    await playback.run();
    expect(lines).toEqual(['0 s', 'event 1', '1 s', 'event 2', 'event 3', 'event 4']);
  });

  it('does not move for late events', async () => {
    const playback = new Playback().addEvents([new A(1, 5), new A(2, 3), new A(3, 6)], timeOf);
    const times: number[] = [];
    playback.getObservable(A).subscribe(() => times.push(secondsOf(playback.scheduler.now())));
    await playback.run();
    expect(times).toEqual([5, 5, 6]);
  });

  it('at the end lets observers complete, then runs what is due at that time, and nothing later', async () => {
    const playback = played();
    const lines: string[] = [];
    const { scheduler } = playback;
    playback.getObservable(A).subscribe({
      next: ({ number }) => {
        if (number !== 4) return;
        scheduler.schedule(() => lines.push('due'));
        scheduler.schedule(() => lines.push('never'), 1);
      },
      complete: () => lines.push('complete'),
    });
    await playback.run();
    expect(lines).toEqual(['complete', 'due']);
  });
});

describe('running', () => {
  it('requires an input', async () => {
    await expect(new Playback().run()).rejects.toThrow('No input sequences were added to the Playback.');
  });

  it('rejects an input without events', () => {
    for (const feed of ['text', 5, null, {}]) {
      expect(() => new Playback().addEvents(feed as never, timeOf)).toThrow(PlaybackError);
    }
  });

  it('happens once, with inputs that were added before', async () => {
    const playback = played();
    await playback.run();
    expect(() => playback.start()).toThrow('A playback that has been started cannot be played again.');
    expect(() => playback.addEvents(EVENTS, timeOf)).toThrow('cannot be given more inputs.');
  });

  it('reports its duration', async () => {
    const playback = played();
    expect(playback.executionDuration).toBeUndefined();
    await playback.run();
    expect(playback.executionDuration).toBeGreaterThan(0);
  });

  it('counts the occurrences of each type in one pass', async () => {
    expect(await played().typeOccurrenceStatistics([A, B, C, Date])).toEqual(
      new Map<unknown, number>([
        [A, 3],
        [B, 1],
        [C, 1],
        [Date, 0],
      ]),
    );
  });

  it('closes a trace at its end', async () => {
    let closed = 0;
    await new Playback().addTrace(fakeTrace([], () => closed++)).run();
    expect(closed).toBe(1);
  });

  it('reports an error to all observers and its caller, after the events before it', async () => {
    const playback = new Playback().addTrace('/no/such/file.etl');
    let seen: unknown;
    playback.getObservable(TraceEvent).subscribe({ error: (error) => (seen = error) });
    await expect(playback.run()).rejects.toThrow('ENOENT');
    expect(seen).toMatchObject({ code: 'ENOENT' });
  });

  it('accepts an observable that ends or fails while it is subscribed to', async () => {
    await new Playback().addEvents(EMPTY, timeOf).run();
    const failing = new Playback().addEvents(
      throwError(() => new Error('gone')),
      timeOf,
    );
    await expect(failing.run()).rejects.toThrow('gone');
  });
});

describe('a query that fails', () => {
  it('ends by itself; the others continue', async () => {
    const playback = played();
    const failing = playback.getObservable(A).pipe(
      map((event) => {
        if (event.number === 2) throw new Error('a mistake');
        return event.number;
      }),
    );
    const lines: string[] = [];
    failing.subscribe({
      next: (number) => lines.push(String(number)),
      error: ({ message }) => lines.push(message),
    });
    const others = playback.bufferOutput(playback.getObservable(A));
    await playback.run();
    expect(lines).toEqual(['1', 'a mistake']);
    expect(numbers(others)).toEqual([1, 2, 4]);
  });
});

describe('a started playback', () => {
  it('misses nothing that is pushed from then on, and delivers it before the push returns', async () => {
    const feed = new Subject<Numbered>();
    const playback = new Playback().addEvents(feed, timeOf);
    const events = playback.bufferOutput(playback.getObservable(Numbered));
    const playing = playback.start();
    feed.next(new A(1, 0));
    expect(numbers(events)).toEqual([1]);
    feed.complete();
    await playing.finished;
  });

  it('can be stopped: its observers complete', async () => {
    const feed = new Subject<Numbered>();
    const playback = new Playback().addEvents(feed, timeOf);
    let isComplete = false;
    playback.getObservable(A).subscribe({ complete: () => (isComplete = true) });
    const playing = playback.start();
    expect(feed.observed).toBe(true);
    playing.close();
    await playing.finished;
    expect([feed.observed, isComplete]).toEqual([false, true]);
  });

  it('can be stopped by an observer, in the middle of a batch', async () => {
    const playback = played();
    const events: Numbered[] = [];
    const playing = playback.start();
    playback.getObservable(Numbered).subscribe((event) => {
      events.push(event);
      if (event.number === 2) playing.close();
    });
    await playing.finished;
    expect(numbers(events)).toEqual([1, 2]);
  });

  it('can be stopped while an input has nothing to deliver', async () => {
    let isReturned = false;
    const silent: AsyncIterable<Numbered> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          isReturned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const playing = new Playback().addEvents(silent, timeOf).start();
    playing.close();
    await playing.finished;
    expect(isReturned).toBe(true);
  });

  it('ends with the error of an event without a valid time', async () => {
    const playback = new Playback().addEvents(from(EVENTS), () => 5 as never);
    const events = playback.bufferOutput(playback.getObservable(A));
    await expect(playback.run()).rejects.toThrow(
      'The time of an event must be nanoseconds since 1970 as a bigint, or a valid Date, not 5.',
    );
    expect(events).toEqual([]);
  });
});
