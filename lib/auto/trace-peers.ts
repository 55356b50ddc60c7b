/**
 * Says with whom requests exchange trace ids: with this host and, beyond it, only with those whom the application
 * names. What a request from elsewhere says chooses the ids under which traces are found and joined.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { BlockList, Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { RemoteContext } from '../activity/crossing.ts';
import { TraceContext } from '../activity/trace-context.ts';
import { shown } from '../base/value-text.ts';
import { originOf } from './request-fields.ts';

/** Reading them takes some 50 µs. */
const OWN_ADDRESSES_MSEC = 10_000;
const LOOPBACK = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i;
const NETWORK = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i;
/** A proxy tells by these headers that it passes on the request of somebody else. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/** An IPv4 address that came to a socket for both versions has a prefix; one of a link has its interface's name. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

export class TracePeers {
  #isAnyone = false;
  #isOwnHost = true;
  readonly #origins = new Set<string>();
  /** Requests to these get the headers. */
  #networks: BlockList | undefined;
  /** Those of requests from these are used: the addresses of origins, too, whose clients have other ports. */
  #senders: BlockList | undefined;
  #own = new Set<string>();
  #ownReadAt = Number.NEGATIVE_INFINITY;

  /** @throws TypeError if it is neither */
  set(peers: boolean | readonly string[]): void {
    const list = peers === true ? ['*'] : peers === false ? [] : peers;
    if (!Array.isArray(list)) {
      throw new TypeError(
        `The option traceparent of instrument must be true, false or contain origins and addresses such as 'https://example.com' and '10.0.0.0/8', not ${shown(peers)}.`,
      );
    }
    const { BlockList } = process.getBuiltinModule('node:net');
    const origins: string[] = [];
    const networks = new BlockList();
    const senders = new BlockList();
    for (const entry of list.filter((one) => one !== '*')) {
      if (addNetwork(networks, entry)) addNetwork(senders, entry);
      else {
        const { origin, hostname } = urlOf(entry);
        origins.push(origin);
        addNetwork(senders, hostname.replace(/^\[|\]$/g, ''));
      }
    }
    this.#isOwnHost = peers !== false;
    this.#isAnyone = list.includes('*');
    this.#origins.clear();
    for (const origin of origins) this.#origins.add(origin);
    this.#networks = networks;
    this.#senders = senders;
  }

  /**
   * Whether a request gets the headers.
   *
   * @param target by the request's own words
   * @param host to which it is sent: empty for a Unix domain socket, undefined if a proxy sends it on
   */
  areSent(target: { scheme: string; host: string; port: number }, host: string | undefined): boolean {
    if (this.#isAnyone || this.#origins.has(originOf(target.scheme, target.host, target.port))) return true;
    if (host === undefined) return false;
    return (this.#isOwn(host) && this.#isOwn(target.host)) || isIn(this.#networks, host);
  }

  /**
   * The trace of a request that was received, if its sender may choose it.
   *
   * @param socket from the sender
   */
  contextOf(headers: IncomingHttpHeaders, socket: Socket | undefined): RemoteContext | undefined {
    if (headers.traceparent === undefined || !this.#mayChoose(headers, senderOf(socket))) return undefined;
    const trace = TraceContext.parse(headers.traceparent, headers.tracestate);
    return trace === undefined ? undefined : new RemoteContext(trace);
  }

  #mayChoose(headers: IncomingHttpHeaders, address: string | undefined): boolean {
    if (this.#isAnyone) return true;
    if (address === undefined) return false;
    if (isIn(this.#senders, address)) return true;
    return this.#isOwn(address) && FORWARDED.every((name) => headers[name] === undefined);
  }

  #isOwn(host: string): boolean {
    if (!this.#isOwnHost) return false;
    const address = plain(host);
    if (address === '' || LOOPBACK.test(address)) return true;
    const now = performance.now();
    if (now - this.#ownReadAt > OWN_ADDRESSES_MSEC) {
      const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
      this.#own = new Set(all.map((one) => plain(one.address)));
      this.#ownReadAt = now;
    }
    return this.#own.has(address);
  }
}

/** The address is empty on a Unix domain socket, and undefined if nobody is there any more. */
function senderOf(socket: Socket | undefined): string | undefined {
  if (socket?.remoteAddress !== undefined) return socket.remoteAddress;
  const { server } = (socket ?? {}) as { readonly server?: Partial<Server> | null };
  return typeof server?.address?.() === 'string' ? '' : undefined;
}

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

function isIn(networks: BlockList | undefined, host: string): boolean {
  const address = plain(host);
  return networks?.check(address, familyOf(address)) === true;
}

/** @returns false if it is neither an address nor a network */
function addNetwork(networks: BlockList, text: unknown): boolean {
  const [, address, bits] = (typeof text === 'string' && NETWORK.exec(text)) || [];
  if (address === undefined) return false;
  try {
    if (bits === undefined) networks.addAddress(address, familyOf(address));
    else networks.addSubnet(address, Number(bits), familyOf(address));
    return true;
  } catch {
    return false;
  }
}

function urlOf(text: unknown): URL {
  try {
    const url = new URL(String(text));
    if (url.origin !== 'null') return url;
  } catch {
    // Handled like a URL without an origin.
  }
  throw new TypeError(
    `The option traceparent of instrument contains ${shown(text)}, which is neither an origin such as 'https://example.com' nor an address or network such as '10.0.0.0/8'.`,
  );
}
