/** Which fields of a Stop say that an activity has failed. */
import { describe, expect, it } from 'vitest';
import { failingTask, failureTest, isClientTask, saysFailure } from '../../lib/known/failures.ts';

const CASES: readonly [provider: string, task: string, fields: Record<string, unknown>, isFailed: boolean][] =
  [
    ['Shop', 'Order', { success: false }, true],
    ['Shop', 'Order', { success: true, errorType: '', errorMessage: '' }, false],
    ['Shop', 'Order', { errorMessage: 'sold out' }, true],
    ['Shop', 'Order', { error: 'sold out' }, true],
    ['Shop', 'Order', { error: '' }, false],
    ['Shop', 'Order', { error: 0 }, false],
    ['Shop', 'Order', {}, false],
    ['Shop', 'Order', { statusCode: 503 }, true],
    ['Shop', 'Socket', { statusCode: 1000 }, false],
    ['Shop', 'Order', { Success: false }, true],
    ['Node.Http', 'Request', { statusCode: 200, errorType: '' }, false],
    ['Node.Http', 'Request', { statusCode: 404, errorType: '' }, false],
    ['Node.Http', 'Request', { statusCode: 500, errorType: '' }, true],
    ['Node.Http', 'Request', { statusCode: -1, errorType: 'aborted' }, true],
    ['Node.Http', 'ClientRequest', { statusCode: 399, errorType: '' }, false],
    ['Node.Http', 'ClientRequest', { statusCode: 404, errorType: '' }, true],
    ['Node.Http', 'ClientRequest', { statusCode: 502, errorType: '' }, true],
    ['Node.Http', 'Request', { statusCode: 200, grpcStatus: 14 }, true],
    ['Node.Http', 'Request', { statusCode: 200, grpcStatus: 5 }, false],
    ['Node.Http', 'ClientRequest', { statusCode: 200, grpcStatus: 5 }, true],
    ['Node.Http', 'Request', { statusCode: 200, grpcStatus: 0 }, false],
    ['Node.Http', 'Request', { statusCode: 200, grpcStatus: -1 }, false],
    ['Node.Database', 'Command', { errorType: '42P01', errorMessage: '' }, true],
    ['Node.Process', 'Child', { exitCode: 0, signal: '' }, false],
    ['Node.Process', 'Child', { exitCode: 1, signal: '' }, true],
    ['Node.Process', 'Child', { exitCode: -1, signal: 'SIGKILL' }, true],
    ['System.Net.Http', 'Request', { statusCode: 404 }, true],
    ['System.Net.Http', 'Request', { statusCode: -1 }, true],
    ['System.Net.Http', 'Request', { statusCode: 200 }, false],
    ['Microsoft.Data.SqlClient.EventSource', 'Execute', { compositeState: 5, sqlExceptionNumber: 0 }, false],
    ['Microsoft.Data.SqlClient.EventSource', 'Execute', { compositeState: 6, sqlExceptionNumber: 208 }, true],
    ['Other', 'Span', { 'otel.status_code': 'ERROR' }, true],
    ['Other', 'Span', { Status: 'Error' }, true],
    ['Other', 'Span', { Status: 'Unset', 'error.type': '' }, false],
    ['Other', 'Span', { Status: 0 }, false],
  ];

describe.each(CASES)('the Stop of %s/%s with %o', (provider, task, fields, isFailed) => {
  const isClient = isClientTask(provider, task);

  it(`says ${isFailed ? 'failed' : 'nothing of a failure'}`, () => {
    expect(saysFailure(fields, isClient)).toBe(isFailed);
  });

  it('says the same where the kind of event is known before its payload', () => {
    expect(failureTest(Object.keys(fields), isClient)?.(fields) ?? false).toBe(isFailed);
  });
});

it('is not asked of events without such fields', () => {
  expect(failureTest(['rows', 'durationMSec'], false)).toBeUndefined();
});

it("may be said before the Stop, as .NET's providers do", () => {
  expect(failingTask('System.Net.Http', 'RequestFailed')).toBe('Request');
  expect(failingTask('Microsoft.AspNetCore.Hosting', 'UnhandledException')).toBe('Request');
  expect(failingTask('Shop', 'UnhandledException')).toBeUndefined();
});
