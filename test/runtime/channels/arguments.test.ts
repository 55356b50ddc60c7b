/** The fields of messages by path, whatever the messages look like. */
import { describe, expect, it } from 'vitest';
import { argumentsOf } from '../../../lib/runtime/channels/arguments.ts';
import { type ChannelSpec, parseSpec } from '../../../lib/runtime/channels/specs.ts';

/** The fields that the text behind a channel's name asks for. */
function read(fields: string, message: unknown): Record<string, string> {
  const [spec] = parseSpec(`channel/message:${fields}`);
  return Object.fromEntries(argumentsOf(spec as ChannelSpec, message).map(({ Key, Value }) => [Key, Value]));
}

class Request {
  url = '/a';
  #secret = 1;
  get method() {
    return `GET${this.#secret}`;
  }
  get broken(): string {
    throw new Error('no');
  }
  close() {
    throw new Error('called');
  }
}

describe('requested fields', () => {
  it('are read by path, through properties and getters', () => {
    expect(read('-request.url;verb=request.method', { request: new Request() })).toEqual({
      url: '/a',
      verb: 'GET1',
    });
  });

  it('are omitted if there is nothing, or if a getter throws', () => {
    const message = { request: new Request(), none: null };
    expect(read('-request.broken;request.url.x.y;none;absent;none.x;request.url', message)).toEqual({
      url: '/a',
    });
  });

  it('are named functions, which are not called', () => {
    expect(read('-request.close;length=request.close.length', { request: new Request() })).toEqual({
      close: '[Function]',
      length: '0',
    });
  });

  it('are texts for every kind of value', () => {
    class Row {}
    const message = {
      text: 'a\0b',
      number: 0.5,
      big: 2n ** 64n - 1n,
      huge: 2n ** 100_000n,
      flag: false,
      symbol: Symbol('s'),
      date: new Date(0),
      never: new Date(Number.NaN),
      error: new TypeError('bad'),
      list: [1, 2],
      bytes: new Uint8Array(3),
      plain: {},
      bare: Object.create(null),
      row: new Row(),
      map: new Map(),
    };
    expect(read('', message)).toEqual({
      text: 'a␀b',
      number: '0.5',
      big: '18446744073709551615',
      huge: '[BigInt]',
      flag: 'false',
      symbol: 'Symbol(s)',
      date: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      error: 'TypeError: bad',
      list: 'Array(2)',
      bytes: 'Uint8Array(3)',
      plain: 'Object',
      bare: 'Object',
      row: 'Row',
      map: 'Map',
    });
  });

  it('list the elements of iterables', () => {
    const message = {
      list: ['a', 2, null],
      set: new Set(['x', 'y']),
      map: new Map([['k', 'v']]),
      text: 'abc',
    };
    const fields = '-list=list.*Enumerate;set=set.*Enumerate;map=map.*Enumerate;text=text.*Enumerate';
    expect(read(fields, message)).toEqual({ list: 'a,2,', set: 'x,y', map: 'v' });
  });
});

describe('implicit fields', () => {
  it('are the own properties of the message, whose getters are only listed', () => {
    const message = {
      id: 7,
      get lazy(): string {
        throw new Error('called');
      },
      request: new Request(),
    };
    expect(read('request.url', message)).toEqual({
      id: '7',
      lazy: '[Getter]',
      request: 'Request',
      url: '/a',
    });
  });

  it('are the message itself if it is not an object', () => {
    expect(read('', 'hello')).toEqual({ message: 'hello' });
    expect(read('', undefined)).toEqual({});
  });
});

describe('hostile messages', () => {
  it('have no functions called, not even by a proxy', () => {
    const called: string[] = [];
    const log = (name: string) => () => {
      called.push(name);
      return name;
    };
    const proxy: object = new Proxy({}, { get: log('get'), ownKeys: log('ownKeys') as never });
    const object = {
      toString: log('toString'),
      toJSON: log('toJSON'),
      [Symbol.toPrimitive]: log('primitive'),
    };
    const named = Object.defineProperty({}, 'constructor', { get: log('constructor') });
    const error = Object.defineProperty(new Error('m'), 'message', { get: log('message') });
    const list = Object.assign([1], {
      [Symbol.iterator]: log('iterator'),
      join: log('join'),
      toString: log('list'),
    });
    const message = { proxy, object, named, error, list };
    expect(read('p=proxy.x;e=list.*Enumerate', message)).toEqual({
      proxy: '[Proxy]',
      object: 'Object',
      named: 'Object',
      error: 'Error: undefined',
      list: 'Array(1)',
      e: '1',
    });
    expect(read('x', proxy)).toEqual({});
    expect(called).toEqual([]);
  });

  it('may be circular, and of any length and size', () => {
    const circle: Record<string, unknown> = {
      text: '€'.repeat(100_000),
      numbers: new Array(1e6).fill(1234567),
    };
    circle.self = circle;
    for (let index = 0; index < 10_000; index++) circle[`n${index}`] = 'x'.repeat(500);
    const list = argumentsOf(
      parseSpec('c/message:deep=self.self.self.self.text;numbers.*Enumerate')[0] as ChannelSpec,
      circle,
    );
    const bytes = list.reduce(
      (sum, { Key, Value }) => sum + Buffer.byteLength(Key) + Buffer.byteLength(Value),
      0,
    );
    expect(list.length).toBeLessThanOrEqual(100);
    expect(bytes).toBeLessThan(7300);
  });
});
