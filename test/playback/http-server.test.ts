/** Tx's own example, on the trace that its tests use: the requests of an IIS server. The counts are those of Tx. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, filter, map, mergeMap, take, windowTime } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { EventClass } from '../../lib/playback/event-type.ts';
import { Playback } from '../../lib/playback/playback.ts';
import type { PartitionableTypeMap } from '../../lib/playback/type-map.ts';
import { TraceEvent } from '../../lib/trace/trace-event.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';

const HTTP = 'dd5ef90a-6398-47a4-ad34-4dcecdef795f';
const PARSE = { provider: HTTP, id: 2, version: 0 };
const FAST_SEND = { provider: HTTP, id: 12 };

const isSkipped = dataFolder === undefined && !dataIsRequired;
const fileOf = (name: string) => join(dataFolder ?? '', 'etl', name);

class Parse {
  static readonly eventId = 2;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  toString() {
    return `Parsed request with URI ${this.url}`;
  }
}

const parseMap: PartitionableTypeMap<TraceEvent, number> = {
  timeOf: ({ timestamp }) => timestamp,
  inputKey: ({ providerGuid, id }) => (providerGuid === HTTP ? id : -1),
  typeKey: (type: EventClass & { readonly eventId?: number }) => type.eventId,
  transformTo:
    () =>
    ({ payload }) =>
      new Parse(String(payload.Url)),
};

function newPlayback(): Playback {
  const manifests = [readFileSync(fileOf('HTTP_Server.man'), 'utf8')];
  return new Playback().addTrace(fileOf('HTTP_Server.etl'), { manifests, typeMaps: [parseMap] });
}

describe.skipIf(isSkipped)(`HTTP_Server.etl${isSkipped ? ` (${SKIP_REASON})` : ''}`, () => {
  it('has 291 Parse and 289 FastSend among 2041 events', async () => {
    const counts = await newPlayback().typeOccurrenceStatistics([PARSE, FAST_SEND, TraceEvent]);
    expect([...counts.values()]).toEqual([291, 289, 2041]);
  });

  it('has 2041 + 291 events, unchanged and as instances of a class', async () => {
    const playback = newPlayback();
    const timeline = playback.bufferOutput(playback.getAll(TraceEvent, Parse));
    await playback.run();
    expect(timeline).toHaveLength(2041 + 291);
    const first = timeline.find(({ value }) => value instanceof Parse);
    expect(String(first?.value)).toBe('Parsed request with URI http://georgis2:80/windir.txt');
  });

  it('starts with the connection that Tx finds first', async () => {
    const playback = newPlayback();
    const events = playback.bufferOutput(playback.getObservable(TraceEvent).pipe(take(1)));
    await playback.run();
    expect(events[0]).toMatchObject({
      id: 21,
      opcode: 28,
      task: 4,
      keywords: 0x8000000000000010n,
      activityId: '00000100-0000-0003-193d-42fb30bbcb01',
      timestamp: (129402940472257591n - 116444736000000000n) * 100n,
    });
  });

  it('shows how long requests took, and how many ended in each five seconds of the trace', async () => {
    const playback = newPlayback();
    const sent = playback.getObservable(FAST_SEND);
    const requests = playback.getObservable(PARSE).pipe(
      mergeMap((begin) =>
        sent.pipe(
          filter(({ activityId }) => activityId === begin.activityId),
          take(1),
          map((end) => end.timestamp - begin.timestamp),
        ),
      ),
    );
    const durations = playback.bufferOutput(requests);
    const windows = playback.bufferOutput(
      requests.pipe(
        windowTime(5000, playback.scheduler),
        mergeMap((window) => window.pipe(count())),
      ),
    );
    await playback.run();
    expect(durations).toHaveLength(289);
    expect(durations.filter((duration) => duration <= 0n)).toEqual([]);
    expect(windows).toEqual([30, 44, 54, 57, 56, 48]);
  });
});
