/**
 * Messages of node:diagnostics_channel as events: the provider `Microsoft-Diagnostics-DiagnosticSource`, whose argument
 * `FilterAndPayloadSpecs` names the channels. Only those are subscribed to, and only while a session requests them.
 *
 * Source: .NET's DiagnosticSourceEventSource.cs and DsesFilterAndTransform.cs.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ActivityOptions } from '../../activity/activity.ts';
import type { SourceCommand } from '../../listen/commands.ts';
import { subscriptionsOf } from '../../listen/subscriptions.ts';
import { cut } from '../../logs/bounded.ts';
import { allActivityEventsOf } from '../../source/activity-events.ts';
import { Level } from '../../source/constants.ts';
import { event } from '../../source/event.ts';
import { defineEventSource } from '../../source/event-source.ts';
import { argumentsOf } from './arguments.ts';
import { ChannelCalls } from './channel-calls.ts';
import { CALL_EVENTS, type ChannelSpec, isOfActivitySource, MESSAGE, parseSpec, specLines } from './specs.ts';

const EVENTS_KEYWORD = 0x2n;
const keywords = 'Events';
const activityOptions = ActivityOptions.Recursive;
const ARGUMENT = 'FilterAndPayloadSpecs';
/** The maximum number of lines in effect at a time. */
const MAX_LINES = 100;
const MAX_TEXT = 500;

const FIELDS = {
  SourceName: 'string',
  EventName: 'string',
  Arguments: [{ Key: 'string', Value: 'string' }],
} as const;

/** .NET's events, with their ids. */
const defineSource = () =>
  defineEventSource(
    'Microsoft-Diagnostics-DiagnosticSource',
    {
      Message: event({ Message: 'string' }, { id: 1, keywords: 'Messages' }),
      Event: event(FIELDS, { id: 2, keywords }),
      Activity1Start: event(FIELDS, { id: 4, keywords }),
      Activity1Stop: event(FIELDS, { id: 5, keywords }),
      Activity2Start: event(FIELDS, { id: 6, keywords }),
      Activity2Stop: event(FIELDS, { id: 7, keywords }),
      RecursiveActivity1Start: event(FIELDS, { id: 8, keywords, activityOptions }),
      RecursiveActivity1Stop: event(FIELDS, { id: 9, keywords, activityOptions }),
      NewDiagnosticListener: event({ SourceName: 'string' }, { id: 10, keywords }),
    },
    { keywords: { Messages: 0x1n, Events: EVENTS_KEYWORD } },
  );

type ChannelSource = ReturnType<typeof defineSource>;
type Message = ReturnType<typeof payloadOf>;
type Write = (payload: () => Message, ids?: { readonly activityId: string }) => unknown;
type Handler = (message: unknown) => void;

/** Defines the provider in this thread, whose channels it shows. Call it once. */
export function defineChannelEvents(): void {
  const source = defineSource();
  const channels = new Channels(source);
  subscriptionsOf(source).onCommand((command, sender) => channels.obey(command, sender ?? source));
}

class Channels {
  readonly #source: ChannelSource;
  /** The lines that each session requests. */
  readonly #asked = new Map<object, readonly string[]>();
  /** What ends each line's subscriptions. */
  readonly #subscribed = new Map<string, () => void>();
  readonly #known = new Set<string>();
  /** A message's getter may publish another message. */
  #isBusy = false;

  constructor(source: ChannelSource) {
    this.#source = source;
  }

  obey({ kind, level, anyKeyword, arguments: given }: SourceCommand, sender: object): void {
    if (kind !== 'enable' && kind !== 'disable') return;
    this.#asked.delete(sender);
    const hasLevel = level === 0 || level >= Level.Informational;
    const hasKeyword = anyKeyword === 0n || (anyKeyword & EVENTS_KEYWORD) !== 0n;
    if (kind === 'enable' && hasLevel && hasKeyword) {
      const lines = specLines(given[ARGUMENT] ?? '');
      this.#asked.set(sender, lines);
      if (lines.length === 0) this.#tell(`${ARGUMENT} names no channel, and Node.js has no list of them.`);
    }
    this.#update();
  }

  /** Subscriptions that are still requested stay in place: calls in progress continue. */
  #update(): void {
    const wanted = new Set([...this.#asked.values()].flat().slice(0, MAX_LINES));
    for (const [line, end] of this.#subscribed) {
      if (wanted.has(line)) continue;
      this.#subscribed.delete(line);
      end();
    }
    for (const line of wanted) {
      if (!this.#subscribed.has(line)) this.#subscribed.set(line, this.#subscribe(line));
    }
  }

  #subscribe(line: string): () => void {
    if (isOfActivitySource(line)) {
      this.#tell(`Ignoring '${line}': Node.js has channels, but no ActivitySource.`);
      return () => {};
    }
    const ends = parseSpec(line).flatMap((spec) => {
      this.#tell(`Enabling '${spec.source}/${spec.event ?? '*'}'`);
      return this.#subscribeTo(spec);
    });
    return () => {
      for (const end of ends) end();
    };
  }

  #subscribeTo(spec: ChannelSpec): (() => void)[] {
    const { source, event: only, activity = '' } = spec;
    const pair = only === undefined ? allActivityEventsOf(this.#source).get(activity) : undefined;
    if (pair !== undefined) {
      const calls = new ChannelCalls(pair);
      const tell: Write = (payload, ids) => this.#source.Event(payload, ids);
      return CALL_EVENTS.map((name) =>
        this.#handle(source, name, (message) => {
          const payload = () => payloadOf(spec, name, message);
          calls.handle(name, message, payload, (activityId) => tell(payload, { activityId }));
        }),
      );
    }
    const write = this.#writerOf(activity);
    return (only === undefined ? [MESSAGE, ...CALL_EVENTS] : [only]).map((name) =>
      this.#handle(source, name, (message) => write(() => payloadOf(spec, name, message))),
    );
  }

  #writerOf(activity: string): Write {
    const { Event, Activity1Start, Activity1Stop, Activity2Start, Activity2Stop } = this.#source;
    const { RecursiveActivity1Start, RecursiveActivity1Stop } = this.#source;
    const activities = { Activity1Start, Activity1Stop, Activity2Start, Activity2Stop };
    const all = { ...activities, RecursiveActivity1Start, RecursiveActivity1Stop };
    if (Object.hasOwn(all, activity)) return all[activity as keyof typeof all];
    if (activity !== '') this.#tell(`There is no event '${activity}' for activities.`);
    return Event;
  }

  /** @returns unsubscribes */
  #handle(source: string, name: string, handler: Handler): () => void {
    const channel = name === MESSAGE ? source : `tracing:${source}:${name}`;
    const guarded = (message: unknown) => {
      if (this.#isBusy) return;
      this.#isBusy = true;
      try {
        this.#announce(source);
        handler(message);
      } catch {
        // For example without enough stack: the publisher must not notice.
      } finally {
        this.#isBusy = false;
      }
    };
    subscribe(channel, guarded);
    return () => unsubscribe(channel, guarded);
  }

  /** Announces each source once. */
  #announce(SourceName: string): void {
    if (this.#known.has(SourceName)) return;
    this.#known.add(SourceName);
    this.#source.NewDiagnosticListener({ SourceName });
  }

  #tell(text: string): void {
    this.#source.Message(() => ({ Message: cut(`DiagnosticSource: ${text}`, MAX_TEXT) }));
  }
}

function payloadOf(spec: ChannelSpec, EventName: string, message: unknown) {
  return {
    SourceName: cut(spec.source, MAX_TEXT),
    EventName,
    Arguments: argumentsOf(spec, message),
  };
}
