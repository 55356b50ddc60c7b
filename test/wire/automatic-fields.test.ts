/** Fields of automatic activities under OpenTelemetry's names. */
import { expect, it } from 'vitest';
import { conventionalFields } from '../../lib/known/automatic.ts';

it.each([
  [
    'Node.Http',
    { pathAndQuery: '/a?*', method: 'GET', scheme: 'http', host: 'x', port: 80, versionMajor: 1 },
    {
      'url.path': '/a',
      'url.query': '*',
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'server.address': 'x',
      'server.port': 80,
      versionMajor: 1,
    },
  ],
  [
    'Node.Http',
    { statusCode: 200, route: '/users/:id', errorType: '' },
    { 'http.response.status_code': 200, 'http.route': '/users/:id' },
  ],
  ['Node.Http', { statusCode: -1, route: '', errorType: 'aborted' }, { 'error.type': 'aborted' }],
  [
    'Node.Database',
    { text: 'SELECT ?', operation: 'SELECT', system: 'mysql', namespace: 'shop', host: 'x', port: 3306 },
    {
      'db.query.text': 'SELECT ?',
      'db.operation.name': 'SELECT',
      'db.system.name': 'mysql',
      'db.namespace': 'shop',
      'server.address': 'x',
      'server.port': 3306,
    },
  ],
  ['MyCompany-MyService', { statusCode: -1, host: '' }, { statusCode: -1, host: '' }],
])('%s %o', (provider, payload, expected) => {
  expect(conventionalFields(provider, payload)).toEqual(expected);
});
