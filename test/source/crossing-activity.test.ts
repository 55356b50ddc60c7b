/** Activities that cross processes: W3C's ids on their Starts, paths inside. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineEventSource, event, runInActivity, traceHeaders } from '../../lib/index.ts';
import { Heard } from './heard.ts';

const log = defineEventSource('Crossing-Test', {
  ConsumeStart: event({ queue: 'string' }, { traceContext: true }),
  ConsumeStop: event(),
  SendStart: event({}, { traceContext: true }),
  SendStop: event(),
  JobStart: event(),
  JobStop: event(),
  Note: event(),
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PARENT = `00-${TRACE}-${SPAN}-01`;

let heard: Heard;
beforeEach(() => {
  heard = new Heard(log);
});
afterEach(() => heard.close());

/** The ids on the Starts, in order. */
const starts = () =>
  heard.events
    .filter(({ payload }) => 'traceId' in payload)
    .map(
      ({ payload }) =>
        payload as { readonly traceId: string; readonly spanId: string; readonly parentSpanId: string },
    );

describe('an activity that crosses processes', () => {
  it('begins a trace if it has no parent, and keeps its own fields', () => {
    log.activity('Consume', { queue: 'orders' }, () => log.Note());
    expect(heard.lines).toEqual(['ConsumeStart 1', 'Note 1', 'ConsumeStop 1']);
    expect(heard.events[0]?.payload).toEqual({
      queue: 'orders',
      traceId: expect.stringMatching(/^[\da-f]{32}$/),
      spanId: expect.stringMatching(/^[\da-f]{16}$/),
      parentSpanId: '',
    });
    expect(heard.events[0]?.payloadNames).toEqual(['queue', 'traceId', 'spanId', 'parentSpanId']);
  });

  it.each([
    ['text', PARENT],
    ['headers', { traceparent: PARENT, host: 'x' }],
  ])('belongs to the trace of its parent in another process, given as %s', (_, parent) => {
    log.activity('Consume', { queue: '' }, { parent }, () => log.Note());
    expect(heard.lines).toEqual(['ConsumeStart 1', 'Note 1', 'ConsumeStop 1']);
    expect(starts()).toMatchObject([{ traceId: TRACE, parentSpanId: SPAN }]);
  });

  it('belongs to the trace of its enclosing activity, with or without others in between', () => {
    log.activity('Consume', { queue: '' }, { parent: PARENT }, () => {
      log.activity('Job', {}, () => log.activity('Send', {}, () => {}));
      log.activity('Send', {}, () => {});
    });
    const [consume, first, second] = starts();
    expect(first).toMatchObject({ traceId: TRACE, parentSpanId: consume?.spanId });
    expect(second).toMatchObject({ traceId: TRACE, parentSpanId: consume?.spanId });
    expect(first?.spanId).not.toBe(second?.spanId);
  });

  it('shares a new trace with everything else that the outermost activity causes', () => {
    log.activity('Job', {}, () => {
      log.activity('Send', {}, () => {});
      log.activity('Send', {}, () => {});
    });
    const [first, second] = starts();
    expect(first?.traceId).toBe(second?.traceId);
    expect([first?.parentSpanId, second?.parentSpanId]).toEqual(['', '']);
  });

  it('has empty ids if it is not an activity because it is nested too deep', () => {
    const nest = (depth: number): void => {
      if (depth === 0) log.activity('Send', {}, () => {});
      else deep.activity('Level', {}, () => nest(depth - 1));
    };
    const deep = defineEventSource('Crossing-Deep', {
      LevelStart: event({}, { activityOptions: 4 }),
      LevelStop: event(),
    });
    const levels = new Heard(deep);
    nest(101);
    expect(starts()).toEqual([{ traceId: '', spanId: '', parentSpanId: '' }]);
    levels.close();
    deep.close();
  });

  it('can be started bare, and notices if its payload throws', () => {
    const before = log.stats().dropped.payloadThrew ?? 0;
    log.SendStart().stop();
    log.ConsumeStart(() => {
      throw new Error('no payload');
    });
    expect(starts()).toHaveLength(1);
    expect(log.stats().dropped.payloadThrew).toBe(before + 1);
  });
});

describe('traceHeaders', () => {
  it('name the innermost activity that crosses processes', () => {
    const inside: unknown[] = [];
    log.activity('Consume', { queue: '' }, { parent: { traceparent: PARENT, tracestate: 'a=1' } }, () => {
      inside.push(log.activity('Job', {}, () => traceHeaders()));
      inside.push(log.activity('Send', {}, () => traceHeaders()));
    });
    const [consume, send] = starts();
    expect(inside).toEqual([
      { traceparent: `00-${TRACE}-${consume?.spanId}-01`, tracestate: 'a=1' },
      { traceparent: `00-${TRACE}-${send?.spanId}-01`, tracestate: 'a=1' },
    ]);
  });

  it('are those received with a message, in code that it caused', async () => {
    const seen = await runInActivity(PARENT, async () => {
      await null;
      log.Note();
      return traceHeaders();
    });
    expect(seen).toEqual({ traceparent: PARENT });
    expect(heard.lines).toEqual(['Note -']);
  });

  it('are empty outside, in an activity that does not cross processes, and while nothing listens', () => {
    expect(traceHeaders()).toEqual({});
    expect(log.activity('Job', {}, () => traceHeaders())).toEqual({});
    heard.close();
    expect(log.activity('Send', {}, () => traceHeaders())).toEqual({});
  });
});

describe('a header received with a message', () => {
  it.each([[{}], [{ traceparent: 'broken' }], [{ traceparent: [PARENT] }], [null]])(
    'that is not a parent, %o, leaves the activity unchanged, and is not counted',
    (parent) => {
      const before = log.stats().badValues;
      log.activity('Job', {}, () =>
        log.activity('Send', {}, { parent: parent as unknown as { traceparent: string } }, () => {}),
      );
      expect(heard.lines).toContain('SendStart 1/1 in 1');
      expect(log.stats().badValues).toBe(before);
    },
  );
});
