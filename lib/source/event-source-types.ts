/** The types of an event source as applications see it: the event functions follow from their definitions. */

import type { CommandHandler } from '../listen/commands.ts';
import type { KeywordNames } from '../listen/filter.ts';
import type { Listenable, WrittenEvent } from '../listen/written-event.ts';
import type { Backend } from '../platform/addon-functions.ts';
import type { SourceStats } from './account.ts';
import type { ActivityHandle } from './activity-events.ts';
import type { EventDefinition, EventOptions } from './event.ts';
import type { WriteOptions } from './event-writer.ts';
import type { PayloadOf } from './fields.ts';
import type { OutcomeFields } from './outcome-fields.ts';
import type { ActivityParent } from './run-in-activity.ts';
import type { SelfDescribingOptions } from './self-describing.ts';
import type { StateHandler } from './state-requests.ts';
import type { EndValue, Outcome } from './work-result.ts';

/** @typeParam Names the keywords' names, with their bits */
export interface SourceOptions<Names extends KeywordNames = KeywordNames> {
  /** Names for keywords, bits 0 to 47, that events can use instead of numbers. */
  readonly keywords?: Names;
  /**
   * The form of activity ids: `'net10'` (the default) includes the process id, so that ids of two processes never
   * collide; `'2016'` is the original form, which is the same in every process. Tools read both.
   */
  readonly activityIds?: 'net10' | '2016';
  /** ETW: the provider's GUID as text; by default, the one that tools derive from the name. */
  readonly guid?: string;
  /** ETW: the GUID of a group of providers that sessions can enable together. */
  readonly groupGuid?: string;
  /**
   * Linux: the name of such a group, of lower-case letters and digits, which EventHeader appends to the names of
   * tracepoints: `MyCompany_MyService_L4K1Gmycompany`.
   */
  readonly groupName?: string;
  /**
   * ETW: `'tracelogging'` events (the default) are self-describing; `'manifest'` events are described by a manifest,
   * like those of .NET's EventSource by default, and cannot have structs, arrays or nullable fields.
   */
  readonly etwFormat?: 'tracelogging' | 'manifest';
  /**
   * The manifest's texts in several languages, by culture and id: `{ 'de-DE': { event_Paid: '{0} bezahlt' } }`. The ids
   * are .NET's: `event_NAME`, `task_NAME`, `keyword_NAME`, `opcode_NAME`, `channel_NAME` and `map_MAP.NAME`. Those of
   * `en-US` replace the names and messages of the definition; what a culture lacks is as in `en-US`.
   */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Linux: `'eventheader'` events (the default) are self-describing, with one tracepoint for each combination of level
   * and keywords; `'plain'` events have a tracepoint each, named `Provider_Event`, with fields that all tools of the
   * kernel know, such as bpftrace. They cannot have structs, arrays, nullable fields, `float` or `double`.
   */
  readonly userEventsFormat?: 'eventheader' | 'plain';
  /** Helps development: a write with a bad value throws a BadValueError instead of only counting it. */
  readonly throwOnErrors?: boolean;
}

/** Where a source's events go, and what went wrong. */
export interface SourceStatus {
  /**
   * The operating system's tracer that can record the events; `'none'` if only listeners in the process receive them.
   */
  readonly backend: Backend;
  /** Why there is no backend, and how to fix it. */
  readonly reason: string | undefined;
  /** The problems so far: failed registrations, values that did not fit. The first of each kind. */
  readonly problems: readonly string[];
}

/** Definitions by event name. */
export type Events = Readonly<Record<string, EventDefinition>>;

/** The events themselves, unless one uses a keyword name that the source does not define. */
export type WithKnownKeywords<Sources extends Events, Names extends KeywordNames> = {
  readonly [Name in keyof Sources]: Sources[Name] extends EventDefinition<infer _, infer Keyword>
    ? string extends Keyword
      ? Sources[Name] // Names that are not known at compile time.
      : Exclude<Keyword, keyof Names> extends never
        ? Sources[Name]
        : `There is no keyword "${Exclude<Keyword, keyof Names>}": name it in the options' keywords.`
    : Sources[Name];
};

type AnyFields = Readonly<Record<string, unknown>>;

/** What listeners get: each event with its own fields, distinguished by `name`; otherwise, fields of any type. */
type WrittenOf<Sources extends Events> = {
  [Name in keyof Sources & string]: WrittenEvent<Name, FieldsOf<Sources[Name]> & AnyFields>;
}[keyof Sources & string];
type FieldsOf<Definition> = Definition extends EventDefinition<infer Fields> ? PayloadOf<Fields> : never;
type LazyPayloadOf<Definition> = FieldsOf<Definition> | (() => FieldsOf<Definition>);
type EventArguments<Definition> =
  Record<never, never> extends FieldsOf<Definition>
    ? [payload?: LazyPayloadOf<Definition>, options?: WriteOptions]
    : [payload: LazyPayloadOf<Definition>, options?: WriteOptions];

/**
 * What identifies an event in every trace.
 *
 * @typeParam Payload as it is written; only a type, without a value
 */
export interface EventIdentity<Payload> {
  readonly provider: string;
  /** GUID text in lower case. */
  readonly providerGuid: string;
  readonly name: string;
  /** 1 to 65535. */
  readonly id: number;
  readonly payload?: Payload;
}

/** Writes one event. Costs about as much as a function call while the event is disabled. Never throws. */
export interface EventFunction<Definition, Result> {
  (...args: EventArguments<Definition>): Result;
  /** Whether the event is currently enabled. */
  readonly enabled: boolean;
  /** Identifies the event for a playback: `playback.getObservable(log.RequestStart)`. */
  readonly identity: EventIdentity<FieldsOf<Definition>>;
}

/** The result of calling an event: a handle for a Start that has a Stop, otherwise nothing. */
type StartResult<Name, Sources extends Events> = Name extends `${infer Stem}Start`
  ? `${Stem}Stop` extends keyof Sources
    ? ActivityHandle<FieldsOf<Sources[`${Stem}Stop`]>>
    : undefined
  : undefined;

/** The names of a source's activities: its event names without Start and Stop. */
type ActivityNames<Sources extends Events> = {
  [Name in keyof Sources]: Name extends `${infer Stem}Start`
    ? `${Stem}Stop` extends keyof Sources
      ? Stem
      : never
    : never;
}[keyof Sources];

type StopFieldsOf<Sources extends Events, Name extends string> = FieldsOf<Sources[`${Name}Stop`]>;

/** Anything if there is no such event: the name then has its own error. */
type StartPayloadOf<Sources extends Events, Name extends string> = `${Name}Start` extends keyof Sources
  ? LazyPayloadOf<Sources[`${Name}Start`]>
  : unknown;

/** The name of an activity; for any other name, the reason, which the compiler displays. */
type ActivityName<Sources extends Events, Name extends string> =
  Name extends ActivityNames<Sources>
    ? Name
    : `${Name}Start` extends keyof Sources
      ? `The event "${Name}Start" has no "${Name}Stop".`
      : [ActivityNames<Sources>] extends [never]
        ? `There is no activity "${Name}": the source has no Start event with its Stop.`
        : `There is no activity "${Name}". The activities are: ${ActivityNames<Sources> & string}.`;

/** The names of activities whose Stop event is written without a description of its contents. */
type SimpleActivityName<Sources extends Events, Name extends string> =
  Name extends ActivityNames<Sources>
    ? StopFieldsOf<Sources, Name> extends Partial<OutcomeFields>
      ? OutcomeFields extends StopFieldsOf<Sources, Name>
        ? Name
        : StopIsNeeded<Name>
      : StopIsNeeded<Name>
    : ActivityName<Sources, Name>;
type StopIsNeeded<Name extends string> =
  `The event "${Name}Stop" has fields that tracewright cannot fill: pass { stop: (outcome) => payload } before the work.`;

export interface ActivityParentOptions {
  /** The activity in which to start this one, instead of that of the running code. */
  readonly parent?: ActivityParent;
}

export interface ActivityScopeOptions<Value, StopPayload> extends ActivityParentOptions {
  /** Creates the Stop event's payload from the outcome of the work. */
  readonly stop: (outcome: Outcome<Value>) => StopPayload;
}

/** What every event source has besides its events. */
interface SourceMembers<Sources extends Events> extends Listenable<WrittenOf<Sources>> {
  /** Linux: the tracepoints of the events, one for each combination of level and keywords. `write` may add more. */
  readonly tracepoints: readonly string[];
  readonly status: SourceStatus;
  stats(): SourceStats;
  /**
   * Calls the handler for each command to the source: when a listener or, on Windows, an ETW session enables or
   * disables it, and for those of `sendCommand`. First, it is called for each `enable` still in effect. The enabled
   * words have already changed by then: `isEnabled` returns what all together want now. ETW's commands arrive on the
   * thread that defined the source, some time later; on Linux, tracers do not announce themselves.
   */
  onCommand(handler: CommandHandler): void;
  /**
   * Calls the handler when a trace needs the state of what the source reports on, such as its open connections: it
   * writes them, as events with the opcode DataCollectionStart, or DataCollectionStop at the end of a trace.
   *
   * That is when a listener or a session of this process begins, or began earlier; when an ETW session asks for the
   * state, or `sendCommand` with `sendManifest`; on Linux, at most a second after a recorder has come; and at the end
   * of sessions with `rundown` and of files of a flight recorder. Requests of one turn of the event loop are one, which
   * comes in the next; one at the end of a trace comes at once, so that what is written before the handler returns is
   * in the trace. The handler runs outside of activities, and only while somebody wants an event of the source. What
   * it throws is counted in `stats().dropped` as `stateThrew`.
   */
  onStateRequest(handler: StateHandler): void;
  /**
   * Whether events of this level and keywords are enabled; without arguments, any event at all. If no event has this
   * level and keywords yet, they are registered with the tracer, as by `write`.
   *
   * @throws DefinitionError for an invalid level or keywords
   */
  isEnabled(level?: number, keywords?: EventOptions['keywords']): boolean;
  /**
   * Writes a self-describing event, whose fields and types follow from the values of the payload (see "Events without a
   * definition" in docs/writing-events.md). For events whose fields are not known in advance; defining events is
   * better, and faster.
   *
   * Never throws; an event that cannot be described is dropped and counted.
   *
   * @param payload or a function that creates it, called only if the event is enabled
   * @param options the default level is Verbose, as in .NET
   */
  write(name: string, payload?: object | (() => object), options?: SelfDescribingOptions): void;
  /**
   * Closes the source: the tracer, sessions and listeners are notified, and its enabled words are released. If several
   * sources share a definition, it goes with the last of them.
   *
   * Events written later go nowhere and are counted as dropped (`closed`); nothing throws. .NET: Dispose.
   */
  close(): void;
  /** Closes the source, like `close`. */
  [Symbol.dispose](): void;
  /**
   * Runs the work inside an activity: writes its Start event before, and its Stop event when the work has returned or
   * thrown; if it returns a promise, when that settles; if it returns an iterator, as a generator does, when the
   * iteration ends or is abandoned. Everything that the work causes belongs to the activity, including each step of an
   * iterator; the caller's own activity does not change.
   *
   * Any other thenable is a value: it may be a query that runs only when its `then` is called. Make the work `async` to
   * extend the activity until the thenable settles.
   *
   * A Stop event's fields `success` (bool), `errorType`, `errorMessage` and `errorStack` (string) are filled in from the
   * outcome; provide the values of others with `stop`.
   *
   * @returns what the work returns; for a plain promise, while the Start event is enabled, a derived one
   */
  activity<Name extends string, Result>(
    name: SimpleActivityName<Sources, Name>,
    payload: StartPayloadOf<Sources, Name>,
    work: () => Result,
  ): Result;
  activity<Name extends string, Result>(
    name: SimpleActivityName<Sources, Name>,
    payload: StartPayloadOf<Sources, Name>,
    options: ActivityParentOptions & { readonly stop?: never },
    work: () => Result,
  ): Result;
  activity<Name extends string, Result>(
    name: ActivityName<Sources, Name>,
    payload: StartPayloadOf<Sources, Name>,
    options: ActivityScopeOptions<EndValue<Result>, StopFieldsOf<Sources, Name>>,
    work: () => Result,
  ): Result;
}

/**
 * An activity of a source: `log.Request.run(payload, { stop }, work)`. Like `log.activity('Request', ...)`, and cheaper
 * while the Start event is disabled, because no name is looked up.
 */
export interface ActivityScope<StartPayload, StopPayload> {
  /** Runs the work inside the activity. */
  run<Result>(
    payload: StartPayload,
    options: ActivityScopeOptions<EndValue<Result>, StopPayload>,
    work: () => Result,
  ): Result;
}

/** An activity whose Stop event tracewright can fill: `log.Request.run(payload, work)`. */
export interface SimpleActivityScope<StartPayload, StopPayload>
  extends ActivityScope<StartPayload, StopPayload> {
  /** Runs the work inside the activity. */
  run<Result>(payload: StartPayload, work: () => Result): Result;
  /** Runs the work inside the activity. */
  run<Result>(
    payload: StartPayload,
    options: ActivityParentOptions & { readonly stop?: never },
    work: () => Result,
  ): Result;
  /** Runs the work inside the activity. */
  run<Result>(
    payload: StartPayload,
    options: ActivityScopeOptions<EndValue<Result>, StopPayload>,
    work: () => Result,
  ): Result;
}

type ScopeOf<Sources extends Events, Name extends string> =
  Name extends SimpleActivityName<Sources, Name>
    ? SimpleActivityScope<StartPayloadOf<Sources, Name>, StopFieldsOf<Sources, Name>>
    : ActivityScope<StartPayloadOf<Sources, Name>, StopFieldsOf<Sources, Name>>;

export type EventSource<Sources extends Events = Events> = SourceMembers<Sources> & {
  readonly [Name in keyof Sources]: EventFunction<Sources[Name], StartResult<Name, Sources>>;
} & {
  // An event, or another member of the source, takes precedence over an activity of the same name.
  readonly [Name in Exclude<ActivityNames<Sources>, keyof Sources | keyof SourceMembers<Events>>]: ScopeOf<
    Sources,
    Name
  >;
};
