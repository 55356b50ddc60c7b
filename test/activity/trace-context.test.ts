/** W3C Trace Context: reading other processes' headers, and writing our own. */
import { describe, expect, it } from 'vitest';
import { TraceContext } from '../../lib/activity/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it('contains a trace, the activity that sent it, and flags', () => {
    const trace = TraceContext.parse(`00-${TRACE}-${SPAN}-01`);
    expect(trace).toMatchObject({ traceId: TRACE, spanId: SPAN, flags: 1, state: '' });
    expect(trace?.headers).toEqual({ traceparent: `00-${TRACE}-${SPAN}-01` });
  });

  it('of a later version may continue after a dash, and is answered in the known version', () => {
    expect(TraceContext.parse(`01-${TRACE}-${SPAN}-00-more`)?.traceparent).toBe(`00-${TRACE}-${SPAN}-00`);
    expect(TraceContext.parse(`fe-${TRACE}-${SPAN}-00`)).toBeDefined();
  });

  it('passes on the known flags: sampled and random', () => {
    expect(TraceContext.parse(`00-${TRACE}-${SPAN}-ff`)?.traceparent).toBe(`00-${TRACE}-${SPAN}-03`);
  });

  it.each([
    ['nothing', undefined],
    ['no text', 7],
    ['empty', ''],
    ['in upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['of the version that there is not', `ff-${TRACE}-${SPAN}-01`],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['too short', `00-${TRACE}-${SPAN}`],
    ['longer than its version has it', `00-${TRACE}-${SPAN}-01-more`],
    ['longer, without a dash', `01-${TRACE}-${SPAN}-01more`],
    ['several', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['followed by a line', `00-${TRACE}-${SPAN}-01\n`],
    ['endless', `01-${TRACE}-${SPAN}-01-${'x'.repeat(1e6)}`],
  ])('that is %s is rejected', (_, text) => {
    expect(TraceContext.parse(text)).toBeUndefined();
  });
});

describe('a trace that begins here', () => {
  it('has random ids', () => {
    const ids = Array.from({ length: 2000 }, () => TraceContext.begin().child());
    expect(new Set(ids.map(({ traceId }) => traceId)).size).toBe(ids.length);
    expect(new Set(ids.map(({ spanId }) => spanId)).size).toBe(ids.length);
    for (const id of ids) expect(TraceContext.parse(id.traceparent)).toMatchObject({ traceId: id.traceId });
  });

  it('says so, and is sampled', () => {
    expect(TraceContext.begin().child().traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-03$/);
  });
});

describe('an activity that crosses processes', () => {
  it('belongs to the trace of the one that caused it, with its own id', () => {
    const parent = TraceContext.parse(`00-${TRACE}-${SPAN}-01`, 'vendor=1');
    const child = parent?.child();
    expect(child).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, flags: 1, state: 'vendor=1' });
    expect(child?.spanId).toMatch(/^[\da-f]{16}$/);
    expect(child?.spanId).not.toBe(SPAN);
    expect(child?.headers).toEqual({
      traceparent: `00-${TRACE}-${child?.spanId}-01`,
      tracestate: 'vendor=1',
    });
  });
});

describe('a tracestate', () => {
  const stateOf = (text: unknown) => TraceContext.parse(`00-${TRACE}-${SPAN}-01`, text)?.state;

  it('is passed on unchanged', () => {
    expect(stateOf('congo=t61rcWkgMzE,tenant@rojo=00f067aa0ba902b7')).toBe(
      'congo=t61rcWkgMzE,tenant@rojo=00f067aa0ba902b7',
    );
    expect(stateOf(' a=1 , , b=2')).toBe('a=1,b=2');
  });

  it.each([
    [undefined],
    [7],
    ['no entry'],
    ['a=1,Not A Key=2'],
    ['a=1=2'],
    ['a=\n'],
    ['a=é'],
    [Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(',')],
    ['a='.padEnd(1e6, 'x')],
  ])('that is malformed is dropped without the traceparent: %o', (text) => {
    expect(stateOf(text)).toBe('');
  });

  it('that is too long loses its longest entries first, then its last ones', () => {
    const short = Array.from({ length: 6 }, (_, index) => `k${index}=${'v'.repeat(90)}`);
    expect(stateOf(['long='.padEnd(200, 'v'), ...short].join(','))).toBe(short.slice(0, 5).join(','));
  });
});
