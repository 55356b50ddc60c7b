/** Type maps: from the raw events of a log to instances of classes. */
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { EventClass } from '../../lib/playback/event-type.ts';
import { ofType } from '../../lib/playback/of-type.ts';
import { Playback } from '../../lib/playback/playback.ts';
import type { PartitionableTypeMap, PlainTypeMap, RootTypeMap } from '../../lib/playback/type-map.ts';
import { TraceEvent } from '../../lib/trace/trace-event.ts';
import { at, FakeTraceEvent, fakeTrace } from './fakes.ts';

interface Line {
  readonly kind: string;
  readonly seconds: number;
  readonly text: string;
}

class Entry {
  readonly text: string;
  constructor({ text }: Line) {
    this.text = text;
  }
}
class Login extends Entry {
  static readonly kind = 'login';
}
class Logout extends Entry {
  static readonly kind = 'logout';
}
class LoginAgain extends Entry {
  static readonly kind = 'login';
}

const LINES: readonly Line[] = [
  { kind: 'login', seconds: 0, text: 'Ada' },
  { kind: 'noise', seconds: 1, text: 'zzz' },
  { kind: 'logout', seconds: 2, text: 'Ada' },
  { kind: 'login', seconds: 3, text: '' },
  { kind: 'login', seconds: 4, text: 'Grace' },
];

type EntryClass = (new (line: Line) => Entry) & { readonly kind?: string };

/** What it has been asked is written down. */
class KindMap implements PartitionableTypeMap<Line, string> {
  readonly made: string[] = [];
  readonly timed: string[] = [];

  timeOf(line: Line) {
    this.timed.push(line.kind);
    return at(line.seconds);
  }

  inputKey(line: Line) {
    return line.kind;
  }

  typeKey(type: EventClass) {
    return (type as EntryClass).kind;
  }

  transformTo(type: EventClass) {
    this.made.push(type.name);
    return (line: Line) => (line.text === '' ? null : new (type as EntryClass)(line));
  }
}

class EntryMap implements RootTypeMap<Line> {
  readonly base = Entry;
  timeOf = (line: Line) => at(line.seconds);
  transformTo = () => (line: Line) => new Entry(line);
}

class LateEntryMap extends EntryMap {
  override timeOf = (line: Line) => at(line.seconds + 1);
}

const texts = (entries: readonly Entry[]) => entries.map(({ text }) => text);

describe('a partitionable type map', () => {
  it('delivers instances of the requested classes', async () => {
    const playback = new Playback().addEvents(LINES, new KindMap());
    const logins = playback.bufferOutput(playback.getObservable(Login));
    const logouts = playback.bufferOutput(playback.getObservable(Logout));
    await playback.run();
    expect([texts(logins), texts(logouts)]).toEqual([['Ada', 'Grace'], ['Ada']]);
    expect(logins[0]).toBeInstanceOf(Login);
  });

  it('skips raw events with other keys before it reads anything in them', async () => {
    const map = new KindMap();
    const playback = new Playback().addEvents(LINES, map);
    playback.getObservable(Logout).subscribe();
    await playback.run();
    expect([map.made, map.timed]).toEqual([['Logout'], ['logout']]);
  });

  it('creates a transform for the first event that needs it, and only once', async () => {
    const map = new KindMap();
    const playback = new Playback().addEvents(LINES.slice(1), map);
    const made: string[][] = [];
    playback.getObservable(Logout).subscribe(() => made.push([...map.made]));
    playback.getObservable(Login).subscribe(() => made.push([...map.made]));
    expect(map.made).toEqual([]);
    await playback.run();
    expect(made).toEqual([['Logout'], ['Logout', 'Login']]);
    expect(map.made).toEqual(['Logout', 'Login']);
  });

  it('has one class per key: the first one requested', async () => {
    const playback = new Playback().addEvents(LINES, new KindMap());
    const logins = playback.bufferOutput(playback.getObservable(Login));
    const again = playback.bufferOutput(playback.getObservable(LoginAgain));
    await playback.run();
    expect([logins.length, again.length]).toEqual([2, 0]);
  });

  it('delivers instances of subclasses to a base class', async () => {
    const playback = new Playback().addEvents(LINES, new KindMap());
    const entries = playback.bufferOutput(playback.getObservable(Entry));
    playback.getObservable(Logout).subscribe();
    await playback.run();
    expect(entries).toEqual([new Logout(LINES[2] as Line)]);
  });

  it('adds known types to the timeline, even if nobody requests them', async () => {
    const playback = new Playback({ knownTypes: [Login] }).addEvents(LINES, new KindMap());
    const timeline = playback.bufferOutput(playback.getAll());
    await playback.run();
    expect(timeline.map(({ timestamp }) => timestamp)).toEqual([at(0), at(4)]);
  });

  it('supports counting what there is', async () => {
    const counts = await new Playback()
      .addEvents(LINES, new KindMap())
      .typeOccurrenceStatistics([Login, Logout]);
    expect([...counts.values()]).toEqual([2, 1]);
  });
});

describe('a root type map', () => {
  it('is inactive until its base is requested', async () => {
    const asleep = new Playback().addEvents(LINES, [new EntryMap()]);
    const none = asleep.bufferOutput(asleep.getObservable(Login));
    const nothing = asleep.bufferOutput(asleep.getAll());
    await asleep.run();
    expect([none, nothing]).toEqual([[], []]);

    const awake = new Playback().addEvents(LINES, [new EntryMap()]);
    const all = awake.bufferOutput(awake.getObservable(Entry));
    await awake.run();
    expect(all).toHaveLength(LINES.length);
  });
});

describe('a plain type map', () => {
  it('turns every raw event into an instance of its one class', async () => {
    const map: PlainTypeMap<Line> = {
      type: Login,
      timeOf: ({ seconds }) => at(seconds),
      transformTo: () => (line) => new Login(line),
    };
    const playback = new Playback().addEvents(LINES, map);
    const logins = playback.bufferOutput(playback.getObservable(Login));
    await playback.run();
    expect(logins).toHaveLength(LINES.length);
  });
});

describe('several type maps of one input', () => {
  it('each contribute their instances for a raw event', async () => {
    const playback = new Playback().addEvents(LINES, [new KindMap(), new EntryMap()]);
    const logins = playback.bufferOutput(playback.getObservable(Login));
    const all = playback.bufferOutput(playback.getObservable(Entry));
    await playback.run();
    expect([logins.length, all.length]).toEqual([2, LINES.length + 2]);
  });

  it('have to agree on the time', async () => {
    const playback = new Playback().addEvents(LINES, [new KindMap(), new LateEntryMap()]);
    playback.getAll(Login, Entry).subscribe({ error: () => {} });
    await expect(playback.run()).rejects.toThrow(
      `Several type maps return different times for one event: KindMap ${at(0)}, LateEntryMap ${at(1)}.`,
    );
  });

  it('have to be type maps', () => {
    expect(() => new Playback().addEvents(LINES, [new KindMap(), {} as KindMap])).toThrow(
      'type map 2 is not a type map: with timeOf and transformTo, it must be a PartitionableTypeMap (inputKey, typeKey), a RootTypeMap (base) or a PlainTypeMap (type).',
    );
    expect(() => new Playback().addEvents(LINES, null as never)).toThrow('type map 1 is not a type map');
  });
});

describe('a type map of a trace', () => {
  it('delivers instances of classes as well as the events themselves', async () => {
    const events = LINES.map(
      ({ kind, seconds, text }) => new FakeTraceEvent({ name: kind, seconds, payload: { text } }),
    );
    const map: PartitionableTypeMap<TraceEvent, string> = {
      timeOf: ({ timestamp }) => timestamp,
      inputKey: ({ name }) => name,
      typeKey: (type) => (type as EntryClass).kind,
      transformTo: (type) => (event) =>
        new (type as EntryClass)({ kind: event.name, seconds: 0, text: String(event.payload.text) }),
    };
    const playback = new Playback().addTrace(fakeTrace([events]), { typeMaps: [map] });
    const all = playback.bufferOutput(playback.getAll(TraceEvent, Logout));
    await playback.run();
    expect(all.map(({ value }) => value.constructor.name)).toEqual([
      'FakeTraceEvent',
      'FakeTraceEvent',
      'Logout',
      'FakeTraceEvent',
      'FakeTraceEvent',
      'FakeTraceEvent',
    ]);
  });
});

describe('ofType', () => {
  it('selects one type from an observable, without a playback', async () => {
    const logins = from(LINES).pipe(ofType(Login, new KindMap()), toArray());
    expect(texts(await lastValueFrom(logins))).toEqual(['Ada', 'Grace']);
  });

  it('needs no type map for events that already are instances', async () => {
    const events = [new Login(LINES[0] as Line), new Logout(LINES[2] as Line)];
    expect(await lastValueFrom(from(events).pipe(ofType(Logout), toArray()))).toEqual([events[1]]);
  });
});
