/** Activities of several processes, and of .NET's bridge, joined by W3C's ids. */
import { describe, expect, it } from 'vitest';
import type { ActivityNode } from '../../lib/view/activity-tree.ts';
import { treeOf } from './read-views.ts';
import type { WrittenEvent } from './written-events.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

const ids = (spanId: number, parentSpanId?: number, traceId = TRACE) => ({
  traceId,
  spanId: hex(spanId),
  parentSpanId: parentSpanId === undefined ? '' : hex(parentSpanId),
});

function hex(spanId: number): string {
  return spanId.toString(16).padStart(16, '0');
}

const CLIENT = 100;
const SERVER = 200;

const asks = (at: number, span: number): WrittenEvent => ({
  name: 'CallStart',
  id: '//1/1',
  processId: CLIENT,
  at,
  payload: { url: `http://site/${span}`, ...ids(span) },
});
const serves = (at: number, span: number, parent: number): WrittenEvent => ({
  name: 'RequestStart',
  id: '//1/1',
  processId: SERVER,
  at,
  payload: ids(span, parent),
});
const ends = (task: string, processId: number, at: number): WrittenEvent => ({
  name: `${task}Stop`,
  id: '//1/1',
  processId,
  at,
});

/** `Call 0..9 [Request 2..8 stopped]` */
function told({ activity, children }: ActivityNode): string {
  const { task, startNs, endNs, state } = activity;
  const inside = children.length === 0 ? '' : ` [${children.map(told).join(', ')}]`;
  return `${task} ${startNs / 1e6}..${endNs === undefined ? '' : endNs / 1e6} ${state}${inside}`;
}

const shown = (...events: WrittenEvent[]) => treeOf(events).roots.map(told);

describe('activities of two processes', () => {
  it('are one tree if one names the other as its parent', () => {
    const { roots } = treeOf([
      asks(0, 1),
      serves(2, 2, 1),
      ends('Request', SERVER, 8),
      ends('Call', CLIENT, 10),
    ]);
    expect(roots.map(told)).toEqual(['Call 0..10 stopped [Request 2..8 stopped]']);
    expect(roots[0]?.activity).toMatchObject({ selfNs: 4e6, span: { traceId: TRACE, spanId: hex(1) } });
    expect(roots[0]?.children[0]?.activity).toMatchObject({ depth: 1, span: { parentSpanId: hex(1) } });
  });

  it('end independently: a server may outlast its client', () => {
    const events = [asks(0, 1), serves(2, 2, 1), ends('Call', CLIENT, 5), ends('Request', SERVER, 8)];
    expect(shown(...events)).toEqual(['Call 0..5 stopped [Request 2..8 stopped]']);
  });

  it('are joined even if the parent has ended, as with a queued message', () => {
    const events = [asks(0, 1), ends('Call', CLIENT, 1), serves(5, 2, 1), ends('Request', SERVER, 8)];
    expect(shown(...events)).toEqual(['Call 0..1 stopped [Request 5..8 stopped]']);
  });

  it('are two trees if the trace or span ids differ', () => {
    const other: WrittenEvent = { ...serves(2, 2, 1), payload: ids(2, 1, 'f'.repeat(32)) };
    expect(shown(asks(0, 1), other, serves(3, 3, 9))).toEqual([
      'Call 0.. open',
      'Request 2.. open',
      'Request 3.. open',
    ]);
  });

  it('are two trees if the ids are invalid', () => {
    const zeros = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), parentSpanId: '0'.repeat(16) };
    const [call, request] = [
      { ...asks(0, 1), payload: zeros },
      { ...serves(1, 2, 1), payload: zeros },
    ];
    expect(shown(call, request)).toEqual(['Call 0.. open', 'Request 1.. open']);
  });

  it('do not show these ids in their names', () => {
    const [call] = treeOf([asks(0, 1), serves(2, 2, 1)]).roots;
    expect(call?.activity.label).toBe('Call(//1/1/,/url=http://site/1)');
    expect(call?.children[0]?.activity.label).toBe('Request(//1/1/)');
  });
});

describe('activities of one process', () => {
  it('are inside the nearest enclosing one, which may have no W3C ids', () => {
    const job: WrittenEvent = { name: 'JobStart', id: '//1/1/1', related: '//1/1', processId: SERVER, at: 1 };
    const send: WrittenEvent = {
      name: 'SendStart',
      id: '//1/1/1/1',
      related: '//1/1/1',
      processId: SERVER,
      at: 2,
      payload: ids(3, 2),
    };
    expect(shown(serves(0, 2, 1), job, send)).toEqual(['Request 0.. open [Job 1.. open [Send 2.. open]]']);
  });
});

const BRIDGE = 'Microsoft-Diagnostics-DiagnosticSource';

/** What .NET writes for a System.Diagnostics.Activity, which has no activity id. */
const bridged = (
  boundary: string,
  at: number,
  values: Record<string, string>,
  processId = SERVER,
): WrittenEvent => ({
  name: `${BRIDGE}/Activity${boundary}`,
  at,
  processId,
  payload: {
    SourceName: 'Microsoft.AspNetCore',
    ActivityName: 'Microsoft.AspNetCore.Hosting.HttpRequestIn',
    Arguments: Object.entries(values).map(([Key, Value]) => ({ Key, Value })),
  },
});

const arguments_ = (spanId: number, parentSpanId?: number) => ({
  Kind: 'Server',
  TraceId: TRACE,
  SpanId: hex(spanId),
  ParentSpanId: parentSpanId === undefined ? '0'.repeat(16) : hex(parentSpanId),
});

describe('an activity of System.Diagnostics', () => {
  it('is identified by the ids among its arguments, with its own source and name', () => {
    const { roots } = treeOf([
      bridged('Start', 1, { ...arguments_(2), DisplayName: 'GET /item' }),
      bridged('Start', 2, arguments_(3, 2)),
      bridged('Stop', 3, arguments_(3, 2)),
      bridged('Stop', 5, arguments_(2)),
    ]);
    const task = 'Microsoft.AspNetCore.Hosting.HttpRequestIn';
    expect(roots.map(told)).toEqual([`${task} 1..5 stopped [${task} 2..3 stopped]`]);
    expect(roots[0]?.activity).toMatchObject({
      name: `Microsoft.AspNetCore/${task}`,
      label: `${task}(${hex(2)},/DisplayName=GET /item)`,
    });
  });

  it.each([
    [{ Status: 'Error' }, true],
    [{ Status: 'Unset' }, false],
    [{ 'otel.status_code': 'ERROR' }, true],
    [{ 'http.response.status_code': '404' }, false],
    [{ 'http.response.status_code': '404', Kind: 'Client' }, true],
    [{ 'error.type': 'System.TimeoutException' }, true],
  ])('whose arguments are %o has failed: %s', (values, isFailed) => {
    const { roots } = treeOf([
      bridged('Start', 1, arguments_(2)),
      bridged('Stop', 5, { ...arguments_(2), ...values } as Record<string, string>),
    ]);
    expect(roots[0]?.activity.isFailed).toBe(isFailed);
  });

  it('is inside the Node.js activity that called it', () => {
    const events = [asks(0, 1), bridged('Start', 1, arguments_(2, 1)), bridged('Stop', 3, arguments_(2, 1))];
    expect(shown(...events)).toEqual([
      'Call 0.. open [Microsoft.AspNetCore.Hosting.HttpRequestIn 1..3 stopped]',
    ]);
  });

  it('is identified by its Id if a tool requested nothing else', () => {
    const Id = `00-${TRACE}-${hex(2)}-01`;
    const ParentId = `00-${TRACE}-${hex(1)}-01`;
    const events = [asks(0, 1), bridged('Start', 1, { Id, ParentId }), bridged('Stop', 3, { Id })];
    expect(shown(...events)[0]).toMatch(/^Call 0\.\. open \[.*HttpRequestIn 1\.\.3 stopped\]$/);
  });

  it.each([
    ['no arguments', {}],
    ['ids of another form', { Id: '|4f7a.1.', ParentId: '|4f7a.' }],
    ['ids of zeros', { TraceId: '0'.repeat(32), SpanId: '0'.repeat(16) }],
  ])('is not one with %s', (_, values: Record<string, string>) => {
    const tree = treeOf([bridged('Start', 1, values)]);
    expect(tree.roots).toEqual([]);
    expect(tree.activities.startsWithoutId).toBe(1);
  });

  it('has its activity id if the bridge was asked to include it', () => {
    const events = [
      { ...bridged('Start', 1, arguments_(2)), name: `${BRIDGE}/Activity1Start`, id: '//1/7' },
      { name: 'DbStart', id: '//1/7/1', processId: SERVER, at: 2 },
      { ...bridged('Stop', 3, arguments_(2)), name: `${BRIDGE}/Activity1Stop`, id: '//1/7' },
    ];
    expect(shown(...events)).toEqual([
      'Microsoft.AspNetCore.Hosting.HttpRequestIn 1..3 stopped [Db 2..3 killed]',
    ]);
  });
});
