/** The fields of a request's target. */
import { describe, expect, it } from 'vitest';
import { hostAndPort, originOf, pathAndQueryOf } from '../../lib/auto/request-fields.ts';

describe('a host header', () => {
  it.each([
    ['example.com', 'http', 'example.com', 80],
    ['example.com', 'https', 'example.com', 443],
    ['example.com:8080', 'https', 'example.com', 8080],
    ['[::1]', 'http', '::1', 80],
    ['[2001:db8::1]:81', 'http', '2001:db8::1', 81],
    ['', 'http', '', 80],
    ['example.com:', 'http', 'example.com', 80],
    ['example.com:x', 'http', 'example.com', 80],
    ['example.com:65536', 'http', 'example.com', 80],
    ['example.com', 'other', 'example.com', 0],
    ['x'.repeat(300), 'http', `${'x'.repeat(254)}…`, 80],
  ])('%s by %s', (authority, scheme, host, port) => {
    expect(hostAndPort(authority, scheme)).toMatchObject({ host, port });
  });
});

describe('an origin', () => {
  it.each([
    ['http', 'example.com', 80, 'http://example.com'],
    ['https', 'example.com', 443, 'https://example.com'],
    ['https', 'example.com', 80, 'https://example.com:80'],
    ['http', '::1', 8080, 'http://[::1]:8080'],
  ])("omits the scheme's default port: %s, %s, %i", (scheme, host, port, origin) => {
    expect(originOf(scheme, host, port)).toBe(origin);
    expect(new URL(origin).origin).toBe(origin);
  });
});

describe('a path', () => {
  it.each([
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['/a?', '/a?*'],
    ['/a?key=1&b', '/a?*'],
    ['*', '*'],
    ['http://example.com/a?b', '/a?*'],
    ['http://user:password@example.com', '/'],
    ['example.com:443', 'example.com:443'],
    ['', ''],
  ])('%s is shown as %s', (target, told) => {
    expect(pathAndQueryOf(target, false)).toBe(told);
  });

  it('includes its query if that is wanted, and is short enough for an event', () => {
    expect(pathAndQueryOf('/a?key=1', true)).toBe('/a?key=1');
    expect(pathAndQueryOf(`/${'x'.repeat(5000)}?a`, true)).toHaveLength(2000);
  });
});
