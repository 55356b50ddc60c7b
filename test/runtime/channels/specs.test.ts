/** The language in which tools request channels. */
import { describe, expect, it } from 'vitest';
import { parseSpec, specLines } from '../../../lib/runtime/channels/specs.ts';

const spec = (source: string, more: object = {}) => ({
  source,
  event: undefined,
  activity: undefined,
  hasImplicit: true,
  fields: [],
  ...more,
});

describe('a line', () => {
  it.each([
    ['undici:request:create/message', [spec('undici:request:create', { event: 'message' })]],
    ['MyApp/Order', [spec('MyApp/Order')]],
    [
      'mysql2:query/asyncEnd@Activity1Stop',
      [spec('mysql2:query', { event: 'asyncEnd', activity: 'Activity1Stop' })],
    ],
    ['mysql2:query@Activity1:-', [spec('mysql2:query', { activity: 'Activity1', hasImplicit: false })]],
    ['@scope/channel:-', [spec('@scope/channel', { hasImplicit: false })]],
    ['a/start:-x', [spec('a', { event: 'start', hasImplicit: false, fields: [{ name: 'x', path: ['x'] }] })]],
  ])('%s', (line, specs) => {
    expect(parseSpec(line)).toEqual(specs);
  });

  it('names fields explicitly, or by the last part of their path', () => {
    const [{ fields } = spec('')] = parseSpec(
      'http.server.request.start:-url=request.url;.request.method;self=',
    );
    expect(fields).toEqual([
      { name: 'url', path: ['request', 'url'] },
      { name: 'method', path: ['request', 'method'] },
      { name: 'self', path: [] },
    ]);
  });

  it('is read both ways if the part after a colon may belong to the name', () => {
    expect(parseSpec('mysql2:query')).toEqual([
      spec('mysql2', { fields: [{ name: 'query', path: ['query'] }] }),
      spec('mysql2:query'),
    ]);
  });

  it('is independent of others, whatever ends it', () => {
    expect(specLines('\r\n a \r\n\r\nb:-x\n')).toEqual(['a', 'b:-x']);
  });
});

describe('limits', () => {
  it('apply to paths and lists of any length, quickly', () => {
    const [long = spec('')] = parseSpec(`a:-${'x.'.repeat(100_000)}`);
    expect(long.fields[0]).toMatchObject({ path: Array.from({ length: 16 }, () => 'x') });
    const [wide = spec('')] = parseSpec(`a:-${'x;'.repeat(100_000)}`);
    expect(wide.fields).toHaveLength(100);
    expect(parseSpec(`${'@a:'.repeat(20_000)}@`)).toHaveLength(1);
    expect(parseSpec(`${'Activity'.repeat(20_000)}`)).toHaveLength(1);
  });
});
