/** The events of an event source, selected by its own functions: the same query on a trace and on a live feed. */
import { map, Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defineEventSource, event, listen, type WrittenEvent } from '../../lib/index.ts';
import { Playback } from '../../lib/playback/playback.ts';
import { FakeTraceEvent, fakeTrace } from './fakes.ts';

const log = defineEventSource('Playback-Test', {
  RequestStart: event({ url: 'string' }, { id: 7 }),
  RequestStop: event({ success: 'bool' }),
  Note: event({ text: 'string' }),
});

const written = new Observable<WrittenEvent>((observer) => {
  const subscription = listen(log, (heard) => observer.next(heard));
  return () => subscription.close();
});

/** The query of this file. */
const urls = (playback: Playback) =>
  playback.bufferOutput(playback.getObservable(log.RequestStart).pipe(map(({ payload }) => payload.url)));

describe("an event source's function", () => {
  it('identifies its event, without showing that', () => {
    expect(log.RequestStart.identity).toEqual({
      provider: 'Playback-Test',
      providerGuid: log.guid,
      name: 'RequestStart',
      id: 7,
    });
    expect(Object.isFrozen(log.RequestStart.identity)).toBe(true);
    expect(log.RequestStart.identity).toBe(log.RequestStart.identity);
    expect(Object.keys(log.RequestStart)).toEqual([]);
  });

  it('selects its event in a trace: by name, or by id if the trace has no names', async () => {
    const provider = 'Playback-Test';
    const trace = fakeTrace([
      [
        new FakeTraceEvent({ provider, name: 'RequestStart', payload: { url: '/by-name' } }),
        new FakeTraceEvent({ provider: 'Another', name: 'RequestStart', payload: { url: '/not-ours' } }),
        new FakeTraceEvent({ provider, name: 'RequestStop', payload: { success: true } }),
        new FakeTraceEvent({ provider: log.guid, providerGuid: log.guid, id: 7, payload: { url: '/by-id' } }),
        new FakeTraceEvent({ provider, name: 'RequestStart', id: 7, payload: { url: '/by-both' } }),
      ],
    ]);
    const playback = new Playback().addTrace(trace);
    const answer = urls(playback);
    await playback.run();
    expect(answer).toEqual(['/by-name', '/by-id', '/by-both']);
  });

  it('selects its event in a trace of Linux, where its provider has the name of its tracepoints', async () => {
    const trace = fakeTrace([
      [
        new FakeTraceEvent({ provider: 'Playback_Test', name: 'RequestStart', payload: { url: '/linux' } }),
        new FakeTraceEvent({
          provider: 'Playback_Test',
          providerGuid: '082256f5-7e74-534a-d7aa-b5a2c4825e57',
          name: 'RequestStart',
          payload: { url: '/another' },
        }),
      ],
    ]);
    const playback = new Playback().addTrace(trace);
    const answer = urls(playback);
    const byName = playback.bufferOutput(
      playback.getObservable({ provider: 'Playback-Test', name: 'RequestStart' }),
    );
    await playback.run();
    expect(answer).toEqual(['/linux']);
    expect(byName).toHaveLength(1);
  });

  it('selects its event in a live feed', async () => {
    const playback = new Playback().addEvents(written, ({ timestamp }) => timestamp);
    const answer = urls(playback);
    const playing = playback.start();
    expect(log.RequestStart.enabled).toBe(true);
    log.RequestStart({ url: '/live' });
    log.Note({ text: 'not asked for' });
    playing.close();
    log.RequestStart({ url: '/late' });
    await playing.finished;
    expect(answer).toEqual(['/live']);
    expect(log.RequestStart.enabled).toBe(false);
  });
});
