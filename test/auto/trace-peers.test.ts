/** With whom requests exchange trace ids. */
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hostAndPort } from '../../lib/auto/request-fields.ts';
import { TracePeers } from '../../lib/auto/trace-peers.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const outsider = '203.0.113.7';
const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
  addresses.map((one) => one.address),
);

function peers(named?: boolean | readonly string[]): TracePeers {
  const result = new TracePeers();
  if (named !== undefined) result.set(named);
  return result;
}

const from = (remoteAddress: string | undefined) => ({ remoteAddress }) as Socket;
const onUnixSocket = { server: { address: () => '/run/app' } } as unknown as Socket;
const isHeeded = (of: TracePeers, socket: Socket, headers = {}) =>
  of.contextOf({ traceparent, ...headers }, socket) !== undefined;
const isSent = (of: TracePeers, url: string, host?: string) => {
  const { protocol, host: authority } = new URL(url);
  const target = hostAndPort(authority, protocol.slice(0, -1));
  return of.areSent(target, host ?? target.host);
};

describe('by default', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', ...own])('%s is this host', (address) => {
    expect(isHeeded(peers(), from(address))).toBe(true);
    expect(peers().areSent({ scheme: 'http', host: address, port: 1 }, address)).toBe(true);
  });

  it('clients of Unix domain sockets are on this host, and closed connections are nobody’s', () => {
    expect(isHeeded(peers(), onUnixSocket)).toBe(true);
    expect(isHeeded(peers(), from(undefined))).toBe(false);
  });

  it.each([outsider, '::ffff:203.0.113.7', '2001:db8::1', '128.0.0.1'])('%s chooses no trace', (address) => {
    expect(isHeeded(peers(), from(address))).toBe(false);
  });

  it.each(['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'])('nor does who is behind %s', (name) => {
    expect(isHeeded(peers(), from('127.0.0.1'), { [name]: outsider })).toBe(false);
  });

  it.each([
    'https://example.com',
    'http://203.0.113.7',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://[2001:db8::1]',
  ])('%s gets no ids', (url) => {
    expect(isSent(peers(), url)).toBe(false);
  });

  it('a local name does not make another host local, nor does a local proxy', () => {
    expect(isSent(peers(), 'http://localhost', outsider)).toBe(false);
    expect(isSent(peers(), 'http://example.com', '127.0.0.1')).toBe(false);
    expect(peers().areSent({ scheme: 'http', host: 'localhost', port: 80 }, undefined)).toBe(false);
  });
});

describe('beyond this host', () => {
  it('origins get them, and may choose if they are addresses', () => {
    const named = peers(['https://api.example.com', 'http://203.0.113.7:8080']);
    expect(isSent(named, 'https://api.example.com')).toBe(true);
    expect(isSent(named, 'http://api.example.com')).toBe(false);
    expect(isSent(named, 'http://203.0.113.7:8080')).toBe(true);
    expect(isSent(named, 'http://203.0.113.7:9090')).toBe(false);
    expect(isHeeded(named, from(outsider))).toBe(true);
    expect(isHeeded(named, from('203.0.113.8'))).toBe(false);
    expect(isHeeded(named, from('127.0.0.1'))).toBe(true);
  });

  it('addresses and networks do both, even as proxies', () => {
    const named = peers(['10.0.0.0/8', '2001:db8::/32']);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1']) {
      expect(isHeeded(named, from(address), { 'x-forwarded-for': outsider })).toBe(true);
    }
    expect(isSent(named, 'http://10.1.2.3:8080')).toBe(true);
    expect(isSent(named, 'http://[2001:db8::1]')).toBe(true);
    expect(isSent(named, 'http://11.1.2.3')).toBe(false);
  });

  it('true is everyone, false nobody', () => {
    for (const isAnyone of [true, false]) {
      expect(isHeeded(peers(isAnyone), from(outsider), { via: 'x' })).toBe(isAnyone);
      expect(isHeeded(peers(isAnyone), from('127.0.0.1'))).toBe(isAnyone);
      expect(isSent(peers(isAnyone), 'http://example.com')).toBe(isAnyone);
      expect(isSent(peers(isAnyone), 'http://localhost')).toBe(isAnyone);
    }
  });
});
