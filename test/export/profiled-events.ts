/** CPU samples of a server and its activities, for tests of the exports as profiles. */
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { eventAt, switchedAt } from '../view/cpu/events-at.ts';
import { pathId } from '../view/path-id.ts';

export const TRACE = '0af7651916cd43dd8448eb211c80319c';
export const SPAN = 'b7ad6b7169203331';
export const PROCESS = 42;
const request = pathId('//1/1', PROCESS);
const query = pathId('//1/1/1', PROCESS);

export const sampleAt = (timeMs: number, stack: readonly bigint[], parts: Partial<TraceEvent> = {}) =>
  eventAt(timeMs, {
    provider: 'Microsoft-DotNETCore-SampleProfiler',
    name: 'Thread/Sample',
    payload: { Type: 2 },
    stack,
    ...parts,
  });

/** A function's name, which may come from anybody. */
export const methodAt = (timeMs: number, address: bigint, name: string) =>
  eventAt(timeMs, {
    provider: 'Microsoft-Windows-DotNETRuntimeRundown',
    name: 'Method/DCStartVerbose',
    payload: {
      MethodStartAddress: address,
      MethodSize: 1,
      MethodNamespace: 'app.mjs',
      MethodName: name,
      MethodSignature: '(12:5)',
      ModuleID: 7n,
    },
  });

const moduleAt = (timeMs: number, path: string) =>
  eventAt(timeMs, { name: 'Loader/ModuleDCStart', payload: { ModuleID: 7n, ModuleILPath: path } });

/**
 * A request of 4 ms, of which 2 are in a query, and 1 ms of nobody; 10 ms of waiting at the end.
 *
 * @param name of the innermost function
 */
export function serverEvents(name = 'burn'): TraceEvent[] {
  const fields = { traceId: TRACE, spanId: SPAN, parentSpanId: '' };
  const activity = (at: number, eventName: string, activityId: string, payload: TraceEvent['payload']) =>
    eventAt(at, {
      provider: 'Node.Http',
      name: eventName,
      opcode: eventName.endsWith('Start') ? 1 : 2,
      activityId,
      payload,
    });
  return [
    moduleAt(0, '/srv/app.mjs'),
    methodAt(0, 1n, name),
    methodAt(0, 2n, 'serve'),
    methodAt(0, 3n, 'ask'),
    switchedAt(0),
    sampleAt(1, [2n]),
    activity(2, 'RequestStart', request, {
      method: 'GET',
      pathAndQuery: '/orders/17?x=1',
      host: '',
      ...fields,
    }),
    switchedAt(2, request),
    sampleAt(2, [1n, 2n]),
    sampleAt(3, [1n, 2n]),
    eventAt(4, { provider: 'App', name: 'AskStart', opcode: 1, activityId: query }),
    switchedAt(4, query),
    sampleAt(4, [1n, 3n, 2n]),
    sampleAt(5, [1n, 3n, 2n]),
    eventAt(6, { provider: 'App', name: 'AskStop', opcode: 2, activityId: query }),
    activity(6, 'RequestStop', request, { route: '/orders/:id' }),
    switchedAt(6),
    sampleAt(6, [9n], { payload: { Type: 1 } }),
    sampleAt(16, [9n], { payload: { Type: 1 } }),
  ];
}
