/** One thread's part in a user_events session, up to the tracer. */
import { afterEach, describe, expect, it } from 'vitest';
import { ThreadPart } from '../../../lib/eventpipe/user-events/thread-part.ts';
import type { TracepointWriter } from '../../../lib/eventpipe/user-events/tracepoint-event.ts';
import { defineEventSource, event, Level } from '../../../lib/index.ts';
import { NO_KIND } from '../../../lib/platform/passed-tracer.ts';
import type { UserEventsProvider } from '../../../lib/wire/diagnostics-ipc/tracing.ts';
import { scratch } from '../../../lib/wire/scratch.ts';
import { decodeTracepointV1 } from '../../../lib/wire/tracepoint-v1/decode.ts';
import { readTracepointV1Metadata } from '../../../lib/wire/tracepoint-v1/metadata.ts';
import { WRITE_INDEX_SIZE } from '../../../lib/wire/user-events.ts';

class FakeTracer implements TracepointWriter {
  /** As JSON shows them: tracepoint, event id, provider and name where the event brings its metadata. */
  readonly written: (number | string)[][] = [];
  recorded: readonly number[] = [0];
  /** Whether the tracer takes what is written. */
  takes = true;
  dropped = 0;

  /** Tracepoint and event id of each. */
  get routes(): unknown[] {
    return this.written.map(([tracepoint, eventId]) => [tracepoint, eventId]);
  }

  encoded = 0;
  readonly #kinds: string[] = [];
  readonly #described = new Set<number>();

  isRecorded(tracepoint: number): boolean {
    return this.recorded.includes(tracepoint);
  }

  kindOf(text: string): number {
    if (!this.#kinds.includes(text)) this.#kinds.push(text);
    return this.#kinds.indexOf(text);
  }

  isDescribed(kind: number): boolean {
    return this.#described.has(kind);
  }

  write(tracepoint: number, size: number, describes: number): boolean {
    this.encoded++;
    if (!this.takes) return false;
    const { eventId, metadata } = decodeTracepointV1(
      Uint8Array.from(scratch.subarray(WRITE_INDEX_SIZE, size)),
    );
    expect(metadata !== undefined).toBe(describes !== NO_KIND);
    const described = metadata && readTracepointV1Metadata(metadata);
    this.written.push([
      tracepoint,
      eventId,
      ...(described ? [`${described.provider}/${described.name}`] : []),
    ]);
    if (describes !== NO_KIND) this.#described.add(describes);
    return true;
  }

  drop(): void {
    this.dropped++;
  }
}

let number = 0;
/** Sources stay, so each test has one of another name. */
function newSource() {
  return defineEventSource(`Traced-${++number}`, {
    Plain: event({ number: 'uint32' }),
    Verbose: event({ number: 'uint32' }, { level: Level.Verbose }),
    Keyword: event({ number: 'uint32' }, { keywords: 2n }),
    Text: event({ text: 'string' }),
  });
}
type Source = ReturnType<typeof newSource>;

let part: ThreadPart;
afterEach(() => part.end());

function trace(source: Source, tracer: FakeTracer, ...providers: Partial<UserEventsProvider>[]) {
  const all = providers.map((provider) => ({
    name: source.name,
    keywords: 0xffff_ffff_ffff_ffffn,
    level: 5,
    arguments: undefined,
    tracepoints: { defaultName: 'All', sets: [] },
    ...provider,
  }));
  part = new ThreadPart(all, tracer);
}

function writeAll(source: Source): void {
  source.Plain({ number: 1 });
  source.Verbose({ number: 2 });
  source.Keyword({ number: 3 });
  source.Text({ text: '4' });
}

describe('the events of a thread', () => {
  it('are described once, in the first one that a tracer accepts', () => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, {});
    tracer.takes = false;
    source.Plain({ number: 0 });
    tracer.takes = true;
    for (const number of [1, 2, 3]) source.Plain({ number });
    expect(tracer.written).toEqual([
      [0, 1, `${source.name}/Plain`],
      [0, 1],
      [0, 1],
    ]);
  });

  it('are not even encoded while nobody records their tracepoint', () => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, {});
    tracer.recorded = [];
    writeAll(source);
    expect(tracer).toMatchObject({ encoded: 0, dropped: 0 });
  });

  it('go to the tracepoint that lists their id, otherwise to the default one, otherwise nowhere', () => {
    const source = newSource();
    const tracer = new FakeTracer();
    tracer.recorded = [0, 1, 2];
    const sets = [{ name: 'Set', ids: [2] }];
    trace(
      source,
      tracer,
      { tracepoints: { defaultName: 'All', sets } },
      { tracepoints: { defaultName: undefined, sets: [{ name: 'Three', ids: [3] }] } },
    );
    writeAll(source);
    expect(tracer.routes).toEqual([
      [0, 1],
      [1, 2],
      [0, 3],
      [2, 3],
      [0, 4],
    ]);
  });

  it.each([
    ['allowed', { isAllowList: true, ids: [1, 3] }, [1, 3]],
    ['not denied', { isAllowList: false, ids: [1, 3] }, [2, 4]],
  ])('are those that are %s', (_, filter, ids) => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, { filter });
    writeAll(source);
    expect(tracer.routes).toEqual(ids.map((id) => [0, id]));
  });

  it.each([
    ['level', { level: 4 }, [1, 3, 4]],
    ['any of the keywords, or none', { keywords: 6n }, [1, 2, 3, 4]],
    ['other keywords, or none', { keywords: 4n }, [1, 2, 4]],
    ['no keywords, where 0 are asked for', { keywords: 0n }, [1, 2, 4]],
  ])('are those with the %s', (_, request, ids) => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, request);
    writeAll(source);
    expect(tracer.routes).toEqual(ids.map((id) => [0, id]));
  });

  it('that describe themselves have their own ids, the same for the same event', () => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, {});
    for (const name of ['One', 'Two', 'One']) source.write(name, { number: 1 });
    expect(tracer.written).toEqual([
      [0, 0xfffd, `${source.name}/One`],
      [0, 0xfffc, `${source.name}/Two`],
      [0, 0xfffd],
    ]);
  });

  it('that no tracer accepts are dropped and counted, and describe nothing', () => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, {});
    source.Text({ text: 'x'.repeat(4100) });
    source.Text({ text: 'x'.repeat(40_000) });
    expect(tracer).toMatchObject({ written: [], dropped: 2 });
    // Of these there is room for the first alone, without its description.
    source.Text({ text: 'x'.repeat(4080) });
    source.Text({ text: 'x' });
    expect(tracer.written).toEqual([
      [0, 4],
      [0, 4, `${source.name}/Text`],
    ]);
  });

  it('whose payload throws when read are dropped and counted', () => {
    const source = newSource();
    const tracer = new FakeTracer();
    trace(source, tracer, {});
    source.Text({
      get text(): string {
        throw new Error('not readable');
      },
    });
    expect(tracer).toMatchObject({ written: [], dropped: 1 });
  });

  it('come from sources that are defined later, and end with the session', () => {
    const tracer = new FakeTracer();
    const name = `Traced-${number + 1}`;
    part = new ThreadPart(
      [
        {
          name,
          keywords: 1n,
          level: 5,
          arguments: 'key=value',
          tracepoints: { defaultName: 'All', sets: [] },
        },
      ],
      tracer,
    );
    const source = newSource();
    const heard: unknown[] = [];
    source.onCommand(({ kind, level, anyKeyword, arguments: args }) =>
      heard.push([kind, level, anyKeyword, args]),
    );
    source.Plain({ number: 1 });
    part.end();
    part.end();
    source.Plain({ number: 2 });
    expect(source.Plain.enabled).toBe(false);
    expect(tracer.written).toHaveLength(1);
    expect(heard).toEqual([
      ['enable', 5, 1n, { key: 'value' }],
      ['disable', 0, 0n, {}],
    ]);
  });

  it('do not count in the source’s own statistics', () => {
    const source = newSource();
    trace(source, new FakeTracer(), {});
    const before = source.stats();
    writeAll(source);
    expect(source.stats()).toEqual(before);
  });
});
