/** Provider lists in dotnet-trace's syntax, and the resulting requests of a session. */
import { describe, expect, it } from 'vitest';
import { ProviderRequests } from '../../lib/eventpipe/requests.ts';
import { SessionError } from '../../lib/eventpipe/session-error.ts';
import { parseProviders } from '../../lib/eventpipe/session-provider.ts';
import { defineEventSource } from '../../lib/index.ts';
import type { EventFilter } from '../../lib/wire/diagnostics-ipc/tracing.ts';

defineEventSource('Keyword-Names', {}, { keywords: { money: 1n, parcels: 2n } });

const ALL = 0xffff_ffff_ffff_ffffn;

describe('a provider list', () => {
  it.each([
    ['A', [{ name: 'A', arguments: {} }]],
    ['A:1F:4', [{ name: 'A', keywords: 0x1fn, level: 4, arguments: {} }]],
    ['A:0xFFFFFFFFFFFFFFFF:Verbose', [{ name: 'A', keywords: ALL, level: 5, arguments: {} }]],
    ['A:money+Größe', [{ name: 'A', keywords: ['money', 'Größe'], arguments: {} }]],
    // What can be hex is hex.
    ['A:Cafe', [{ name: 'A', keywords: 0xcafen, arguments: {} }]],
    ['A::warning', [{ name: 'A', level: 3, arguments: {} }]],
    ['A:0:info', [{ name: 'A', keywords: 0n, level: 4, arguments: {} }]],
    [
      'A, B:2',
      [
        { name: 'A', arguments: {} },
        { name: 'B', keywords: 2n, arguments: {} },
      ],
    ],
    ['A:::x=1;y=', [{ name: 'A', arguments: { x: '1', y: '' } }]],
    ['A:::u=http://h:80/?q=1', [{ name: 'A', arguments: { u: 'http://h:80/?q=1' } }]],
    ['A:::"a;b"="c;d=e,f";g=h', [{ name: 'A', arguments: { 'a;b': 'c;d=e,f', g: 'h' } }]],
  ])('%s', (text, providers) => {
    expect(parseProviders(text)).toEqual(providers);
  });

  it.each([
    [':1:2', 'The provider ":1:2" has no name.'],
    ['A:0xyz', 'The keywords of A must be up to 64 bits in hex or names such as GC+Heap, not "0xyz".'],
    ['A:GC+', 'The keywords of A must be up to 64 bits in hex or names such as GC+Heap, not "GC+".'],
    ['A:1:loud', 'The level of A must be a number up to 255 or a name such as Informational, not "loud".'],
    [
      'A:1:constructor',
      'The level of A must be a number up to 255 or a name such as Informational, not "constructor".',
    ],
    ['A:1:4:x', 'The arguments of A must be of the form key=value, not "x".'],
    ['A:1:4:=x', 'The arguments of A must be of the form key=value, not "=x".'],
  ])('rejects %s', (text, message) => {
    expect(() => parseProviders(text)).toThrow(new SessionError(message));
  });
});

describe('the request for a provider', () => {
  it('is everything by default, and nothing for a provider not listed', () => {
    const requests = ProviderRequests.from('A');
    expect(requests.of('A')).toEqual({ keywords: ALL, level: 5, arguments: {}, filter: undefined });
    expect(requests.of('a')).toBeUndefined();
  });

  it('is combined if the provider is listed twice, or every provider is', () => {
    const requests = ProviderRequests.from('A:1:4:x=1,A:2:3:y=2,*:8:5');
    const either = [
      { keywords: 8n, level: 5 },
      { keywords: 1n, level: 4 },
      { keywords: 2n, level: 3 },
    ];
    expect(requests.of('A')).toEqual({ keywords: 11n, level: 5, either, arguments: { x: '1', y: '2' } });
    expect(requests.of('B')).toEqual({ keywords: 8n, level: 5, arguments: {} });
    expect(ProviderRequests.from('A:1:0,A:1:4').of('A')?.level).toBe(0);
  });

  it('keeps names of keywords until there is a source that knows them', () => {
    expect(ProviderRequests.from('Never:money,Never:8').of('Never')).toMatchObject({
      keywords: 8n,
      keywordNames: ['money'],
    });
    expect(() => ProviderRequests.from('Keyword-Names:money+parcel')).toThrow(
      new SessionError(
        'Keyword-Names: the source does not define the keyword "parcel" (it has: money, parcels).',
      ),
    );
    expect(() => ProviderRequests.from([{ name: 'Keyword-Names', keywords: [7 as never] }])).toThrow(
      new SessionError('Keyword-Names: keywords must be a bigint (0x2n) or names, not 7.'),
    );
    expect(() => ProviderRequests.from('*:money')).toThrow(
      new SessionError('The keywords of * must be a bigint (0x2n): each source has names of its own.'),
    );
  });

  it('passes the events that any of its filters passes', () => {
    const filterOf = (...filters: (EventFilter | undefined)[]) =>
      ProviderRequests.from(filters.map((filter) => ({ name: 'A', ...(filter && { filter }) }))).of('A')
        ?.filter;
    const allow = (...ids: number[]) => ({ isAllowList: true, ids });
    const deny = (...ids: number[]) => ({ isAllowList: false, ids });
    expect(filterOf(allow(1, 2))).toEqual(allow(1, 2));
    expect(filterOf(allow(1, 2), allow(2, 3))).toEqual(allow(1, 2, 3));
    expect(filterOf(deny(1, 2), deny(2, 3))).toEqual(deny(2));
    expect(filterOf(deny(1, 2), allow(2, 3))).toEqual(deny(1));
    expect(filterOf(allow(2, 3), deny(1, 2))).toEqual(deny(1));
    expect(filterOf(allow(1), undefined)).toBeUndefined();
  });

  it.each([
    ['', "A session needs the names of providers, not ''."],
    [[], 'A session needs the names of providers, not [].'],
    [[{ name: '' }], "A session's provider must have a name, and { name: '' } has none."],
    [
      [{ name: 'A', level: 300 }],
      "The session's provider A: A listener's level must be an integer from 0 to 255, not 300.",
    ],
    [
      [{ name: 'A', filter: { isAllowList: true, ids: ['1'] } }],
      "The filter of the session's provider A must be { isAllowList, ids }, not { isAllowList: true, ids: [ '1' ] }.",
    ],
  ])('rejects %j', (given, message) => {
    expect(() => ProviderRequests.from(given as string)).toThrow(new SessionError(message));
  });
});
