/**
 * Who gets the events of one source inside the process, and what they asked for: listeners, sessions and
 * counters alike. Each has a filter of its own; what any of them wants is written.
 */
import { shown } from '../base/value-text.ts';
import type { Audience, Subscriber } from './audience.ts';
import {
  argumentTexts,
  type CommandArguments,
  type CommandHandler,
  Commands,
  namedCommand,
  type SourceCommand,
  userCommand,
} from './commands.ts';
import { checkFilter, type Filter, passes } from './filter.ts';
import { announceSource, forgetSource } from './sources.ts';
import { LISTENABLE, type Listenable, type WrittenEvent } from './written-event.ts';

/** What a subscriber asks of a source. */
export interface Request extends Filter {
  readonly arguments?: CommandArguments;
}

/** @throws TypeError for what is no event source */
export function subscriptionsOf(source: Listenable): Subscriptions {
  const subscriptions = (source as Partial<Listenable> | null | undefined)?.[LISTENABLE];
  if (subscriptions !== undefined) return subscriptions as Subscriptions;
  throw new TypeError(`${shown(source)} is no event source, as defineEventSource returns it.`);
}

export class Subscriptions {
  /** Only a type; see `Listenable`. */
  declare readonly written?: WrittenEvent;
  readonly #prepare: () => void;
  readonly #commands: Commands;
  #audiences: Audience[] = [];
  readonly #requests = new Map<Subscriber, Request>();
  #source: Listenable | undefined;
  #isClosed = false;

  /**
   * @param provider its name, for warnings
   * @param prepare called when somebody comes: activities are to flow from here on
   */
  constructor(provider: string, prepare: () => void) {
    this.#commands = new Commands(provider);
    this.#prepare = prepare;
  }

  /** What is asked for at present, by whom. */
  get requests(): ReadonlyMap<Subscriber, Request> {
    return this.#requests;
  }

  /** Whether the source is closed: it has no events any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a subscriber or the tracer wants any event. */
  get isWanted(): boolean {
    return this.#audiences.some((audience) => audience.isThere);
  }

  /** An event of the source, or one more kind of self-describing events: those who asked before get it, too. */
  add(audience: Audience): void {
    this.#audiences.push(audience);
    this.fill(audience);
  }

  /** As `add`, for an audience that is needed only once. */
  fill(audience: Audience): void {
    for (const [subscriber, request] of this.#requests) {
      if (passes(audience, request)) audience.join(subscriber);
    }
  }

  /**
   * The subscriber gets what it asks for from now on, in place of what it asked for before.
   *
   * @throws RangeError for a level or keywords that cannot be
   */
  enable(subscriber: Subscriber, request: Request): void {
    checkFilter(request);
    if (this.#isClosed) return;
    this.#requests.set(subscriber, request);
    this.#prepare();
    for (const audience of this.#audiences) {
      if (passes(audience, request)) audience.join(subscriber);
      else audience.leave(subscriber);
    }
    const { level = 0, keywords = 0n, arguments: args = {} } = request;
    const details = { level, anyKeyword: keywords, arguments: argumentTexts(args) };
    // After the enabled words have changed: a handler may write events, or ask who wants them.
    this.send(namedCommand('enable', details), subscriber);
  }

  /** Nothing reaches the subscriber any more. */
  disable(subscriber: Subscriber): void {
    if (!this.#requests.delete(subscriber)) return;
    for (const audience of this.#audiences) audience.leave(subscriber);
    this.send(namedCommand('disable'), subscriber);
  }

  /** @param sender whose enable or disable it is: the same object for all of one session */
  send(command: SourceCommand, sender?: object): void {
    if (!this.#isClosed) this.#commands.send(command, sender);
  }

  onCommand(handler: CommandHandler): void {
    this.#commands.onCommand(handler);
  }

  /** Shows the source to all who want to see new ones; the application has it in its hands afterwards. */
  announce(source: Listenable): void {
    this.#source = source;
    announceSource(source);
    this.#commands.endEarly();
  }

  /** Nothing reaches anybody any more. Command handlers are told, `disable`, of each who leaves. */
  close(): void {
    for (const subscriber of [...this.#requests.keys()]) this.disable(subscriber);
    this.#isClosed = true;
    this.#requests.clear();
    this.#audiences = [];
    if (this.#source !== undefined) forgetSource(this.#source);
  }
}

/**
 * Sends the command to the source's command handlers; it changes nothing of who gets which events.
 *
 * @param command the application's own, an integer from 1 on; or `sendManifest`: what describes the source is to
 *   be written into traces once more
 * @throws RangeError for another number: those below are what listeners and sessions send
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
    throw new RangeError(`A command is an integer from 1 on, or 'sendManifest', not ${String(command)}.`);
  }
}
