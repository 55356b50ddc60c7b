/** Activities that begin and end while nobody wants their events. */
import { afterEach, describe, expect, it } from 'vitest';
import { sharedActivities } from '../../lib/activity/shared.ts';
import {
  activityPath,
  currentActivityId,
  defineEventSource,
  event,
  type KeptActivities,
  keepActivities,
  listen,
  type SourceCommand,
  traceHeaders,
} from '../../lib/index.ts';
import type { WrittenEvent } from '../../lib/listen/written-event.ts';

const log = defineEventSource('Kept', {
  RequestStart: event({ url: 'string' }, { traceContext: true }),
  RequestStop: event({ success: 'bool' }),
  Note: event(),
  MessageStart: event({}, { traceContext: true }),
  MessageStop: event(),
});

const keepers: KeptActivities[] = [];
function keep(): KeptActivities {
  const keeper = keepActivities();
  keepers.push(keeper);
  return keeper;
}
afterEach(() => {
  for (const keeper of keepers.splice(0)) keeper.close();
});

const pathInside = () =>
  log.activity('Request', { url: '/' }, () => activityPath(currentActivityId() ?? 'none'));

describe('an activity while nothing listens', () => {
  it('exists only if activities are kept', () => {
    expect(pathInside()).toBe('none');
    const keeper = keep();
    expect(pathInside()).toMatch(/^\/\/1\/\d+$/);
    keeper.close();
    expect(pathInside()).toBe('none');
  });

  it('exists until everybody who keeps it has released it', () => {
    const first = keep();
    const second = keep();
    first.close();
    first.close();
    expect(pathInside()).not.toBe('none');
    second.close();
    expect(pathInside()).toBe('none');
  });

  it('begins and ends, also with bare Start and Stop and with its handle, and belongs to a trace', async () => {
    keep();
    const outside = currentActivityId();
    const handle = log.RequestStart({ url: '/' });
    expect(currentActivityId()).toBe(handle.id);
    expect(traceHeaders().traceparent).toMatch(/^00-/);
    log.RequestStop({ success: true });
    expect(currentActivityId()).toBe(outside);
    await log.activity('Request', { url: '/' }, async () => {
      await Promise.resolve();
      expect(currentActivityId()).toBeDefined();
    });
  });

  it('has its place in its trace once somebody asks, whoever asks first', () => {
    keep();
    const own = () => sharedActivities().flow.context?.activity;
    const spanOf = ({ traceparent = '' }) => traceparent.split('-').slice(1, 3);
    log.activity('Request', { url: '/outer' }, () => {
      expect(own()?.trace).toBeUndefined();
      const starts: WrittenEvent['payload'][] = [];
      const subscription = listen(log, ({ name, payload }) => {
        if (name === 'MessageStart') starts.push(payload);
      });
      const inner = log.activity('Message', {}, traceHeaders);
      subscription.close();
      const [traceId, spanId] = spanOf(traceHeaders());
      expect(spanOf(traceHeaders())).toEqual([traceId, spanId]);
      expect(starts).toMatchObject([{ traceId, spanId: spanOf(inner)[1], parentSpanId: spanId }]);
    });
  });

  it('creates no payload and writes nothing', () => {
    keep();
    const before = log.stats();
    const payload = () => {
      throw new Error('Nobody wants it.');
    };
    log.activity('Request', payload, () => {});
    expect(log.stats()).toEqual(before);
    expect(log.RequestStart.enabled).toBe(false);
    expect(log.Note.enabled).toBe(false);
  });

  it('also exists for sources defined later, and no longer for closed ones', () => {
    keep();
    const later = defineEventSource('Kept-Later', { RunStart: event(), RunStop: event({ success: 'bool' }) });
    expect(later.activity('Run', {}, currentActivityId)).toBeDefined();
    later.close();
    expect(later.activity('Run', {}, currentActivityId)).toBeUndefined();
    const reused = defineEventSource('Kept-Reused', { A: event(), B: event() });
    expect([reused.A.enabled, reused.B.enabled]).toEqual([false, false]);
  });

  it('is the same one for a listener added meanwhile', () => {
    keep();
    log.activity('Request', { url: '/' }, () => {
      const ids: (string | undefined)[] = [];
      const subscription = listen(log, ({ activityId }) => void ids.push(activityId));
      log.Note();
      expect(ids).toEqual([currentActivityId()]);
      subscription.close();
      expect(currentActivityId()).toBe(ids[0]);
    });
  });

  it('is announced to the command handlers of its source', () => {
    const commands: SourceCommand['kind'][] = [];
    log.onCommand(({ kind }) => void commands.push(kind));
    keep().close();
    expect(commands).toEqual(['enable', 'disable']);
  });
});
