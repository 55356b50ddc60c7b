/**
 * Who receives the events of one source inside the process, and with which filter: listeners, sessions and counters
 * alike. An event is enabled if any of them wants it.
 */
import { shown } from '../base/value-text.ts';
import { TRACER_BIT } from '../platform/tracer.ts';
import type { Audience, Subscriber } from './audience.ts';
import {
  argumentTexts,
  type CommandArguments,
  Commands,
  namedCommand,
  type SentCommandHandler,
  type SourceCommand,
  userCommand,
} from './commands.ts';
import {
  checkFilter,
  type Filter,
  type KeywordNames,
  keywordBits,
  type ListenerFilter,
  passes,
} from './filter.ts';
import { announceSource, forgetSource } from './sources.ts';
import { LISTENABLE, type Listenable, type WrittenEvent } from './written-event.ts';

/** A subscriber's request to a source. */
export interface Request extends Filter {
  readonly arguments?: CommandArguments;
}

/** A request that may name keywords. */
type NamingRequest = ListenerFilter & Omit<Request, 'keywords'>;

/** @throws TypeError if it is not an event source */
export function subscriptionsOf(source: Listenable): Subscriptions {
  const subscriptions = (source as Partial<Listenable> | null | undefined)?.[LISTENABLE];
  if (subscriptions !== undefined) return subscriptions as Subscriptions;
  throw new TypeError(`${shown(source)} is not an event source as returned by defineEventSource.`);
}

export class Subscriptions {
  /** This exists only as a type; see `Listenable`. */
  declare readonly written?: WrittenEvent;
  /** The source's names for keywords. */
  readonly keywordNames: KeywordNames;
  readonly #provider: string;
  readonly #prepare: () => void;
  readonly #commands: Commands;
  #audiences: Audience[] = [];
  readonly #requests = new Map<Subscriber, Request>();
  /** The senders of each subscriber's commands: itself, or the sessions that it receives events for. */
  readonly #senders = new Map<Subscriber, Set<object>>();
  #source: Listenable | undefined;
  #isClosed = false;
  /** Asks the application for the source's state, for a trace that ends: see `StateRequests`. */
  onTraceEnd: ((request: Request) => void) | undefined = undefined;

  /**
   * @param provider its name, for warnings and errors
   * @param prepare called when a subscriber is added: activities must flow from then on
   */
  constructor(provider: string, prepare: () => void, keywordNames: KeywordNames = {}) {
    this.keywordNames = keywordNames;
    this.#provider = provider;
    this.#commands = new Commands(provider);
    this.#prepare = prepare;
  }

  /** The current requests, by subscriber. */
  get requests(): ReadonlyMap<Subscriber, Request> {
    return this.#requests;
  }

  /** Whether the source is closed: it has no more events. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a subscriber or the tracer wants any event. */
  get isWanted(): boolean {
    return this.#audiences.some((audience) => audience.isThere);
  }

  /** How many events the tracer wants. */
  get tracedEvents(): number {
    return this.#audiences.filter(({ words, index }) => ((words[index] as number) & TRACER_BIT) !== 0).length;
  }

  /** Adds an event of the source, or another kind of self-describing events: existing subscribers receive it, too. */
  add(audience: Audience): void {
    this.fill(audience);
    audience.shareList(this.#audiences.at(-1));
    this.#audiences.push(audience);
  }

  /** Like `add`, for an audience that is needed only once. */
  fill(audience: Audience): void {
    for (const [subscriber, request] of this.#requests) {
      if (passes(audience, request)) audience.join(subscriber);
    }
  }

  /**
   * Gives the subscriber what it requests from now on, replacing its previous request.
   *
   * @param sender whose command it is, where the subscriber gets events for several: see `send`
   * @throws RangeError for a level or keywords that cannot be, or a keyword that the source does not define
   */
  enable(subscriber: Subscriber, wanted: NamingRequest, sender: object = subscriber): void {
    const bits = keywordBits(wanted.keywords ?? 0n, this.keywordNames, (problem) => {
      throw new RangeError(`${this.#provider}: ${problem}`);
    });
    const request: Request = { ...wanted, keywords: bits };
    checkFilter(request);
    if (this.#isClosed) return;
    this.#requests.set(subscriber, request);
    const senders = this.#senders.get(subscriber) ?? new Set();
    this.#senders.set(subscriber, senders.add(sender));
    this.#prepare();
    this.#changeEach((audience) => {
      if (passes(audience, request)) audience.join(subscriber);
      else audience.leave(subscriber);
    });
    const { level = 0, keywords = 0n, arguments: args = {} } = request;
    const details = { level, anyKeyword: keywords, arguments: argumentTexts(args) };
    // After the enabled words have changed: a handler may write events, or check which are enabled.
    this.send(namedCommand('enable', details), sender);
  }

  /** Stops delivering events to the subscriber, once it no longer receives them for any sender. */
  disable(subscriber: Subscriber, sender: object = subscriber): void {
    const senders = this.#senders.get(subscriber);
    if (senders === undefined || !senders.delete(sender)) return;
    if (senders.size === 0) {
      this.#senders.delete(subscriber);
      this.#requests.delete(subscriber);
      this.#changeEach((audience) => audience.leave(subscriber));
    }
    this.send(namedCommand('disable'), sender);
  }

  #changeEach(change: (audience: Audience) => void): void {
    for (const [index, audience] of this.#audiences.entries()) {
      change(audience);
      audience.shareList(this.#audiences[index - 1]);
    }
  }

  /** @param sender of the enable or disable: the same object for all commands of one session */
  send(command: SourceCommand, sender?: object): void {
    if (!this.#isClosed) this.#commands.send(command, sender);
  }

  onCommand(handler: SentCommandHandler): void {
    this.#commands.onCommand(handler);
  }

  /** Shows the source to all observers of new ones; the application gets it afterwards. */
  announce(source: Listenable): void {
    this.#source = source;
    announceSource(source);
    this.#commands.endEarly();
  }

  /** Removes all subscribers. For each, command handlers receive `disable`. */
  close(): void {
    for (const [subscriber, senders] of [...this.#senders]) {
      for (const sender of [...senders]) this.disable(subscriber, sender);
    }
    this.#isClosed = true;
    this.#requests.clear();
    this.#senders.clear();
    this.#audiences = [];
    if (this.#source !== undefined) forgetSource(this.#source);
  }
}

/**
 * Sends the command to the source's command handlers, without changing who receives which events.
 *
 * @param command the application's own, an integer of at least 1; or `sendManifest`, to have the source's description
 * written into traces again
 * @throws RangeError for another number: smaller ones are sent by listeners and sessions
 */
export function sendCommand(
  source: Listenable,
  command: number | 'sendManifest',
  args: CommandArguments = {},
): void {
  const subscriptions = subscriptionsOf(source);
  if (command === 'sendManifest') {
    subscriptions.send(namedCommand('sendManifest', { arguments: argumentTexts(args) }));
  } else if (Number.isInteger(command) && command > 0) {
    subscriptions.send(userCommand(command, args));
  } else {
    throw new RangeError(
      `A command must be an integer of at least 1, or 'sendManifest', not ${String(command)}.`,
    );
  }
}
