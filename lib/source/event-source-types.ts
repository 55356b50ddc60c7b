/**
 * What applications see of an event source, in types: the events' functions follow from their definitions.
 */

import type { CommandHandler } from '../listen/commands.ts';
import type { Listenable, WrittenEvent } from '../listen/written-event.ts';
import type { Backend } from '../platform/addon.ts';
import type { SourceStats } from './account.ts';
import type { ActivityHandle, OutcomeFields } from './activity-events.ts';
import type { EventDefinition, EventOptions } from './event.ts';
import type { KeywordNames } from './event-schemas.ts';
import type { WriteOptions } from './event-writer.ts';
import type { PayloadOf } from './fields.ts';
import type { ActivityParent } from './run-in-activity.ts';
import type { SelfDescribingOptions } from './self-describing.ts';
import type { EndValue, Outcome } from './work-result.ts';

/** @typeParam Names the keywords' names, with their bits */
export interface SourceOptions<Names extends KeywordNames = KeywordNames> {
  /** Names for keywords, bits 0 to 47, that events may use instead of the numbers. */
  readonly keywords?: Names;
  /**
   * The form of activity ids: `'net10'` (the default) has the process id in it, so that the ids of two
   * processes never meet; `'2016'` is the first form, the same in every process. Tools read both.
   */
  readonly activityIds?: 'net10' | '2016';
  /** ETW: the provider's GUID as text. Unless given, the one that tools derive from the name. */
  readonly guid?: string;
  /** ETW: the GUID of a group of providers that sessions can enable together. */
  readonly groupGuid?: string;
  /**
   * ETW: `'tracelogging'` events (the default) describe themselves; `'manifest'` events are described by a
   * manifest, as those of .NET's EventSource are by default, and have no structs, arrays and nullable fields.
   */
  readonly etwFormat?: 'tracelogging' | 'manifest';
  /** For development: a write with a bad value throws a BadValueError instead of only being counted. */
  readonly throwOnErrors?: boolean;
}

/** Where a source's events go, and what is wrong. */
export interface SourceStatus {
  /** The operating system's tracer that can record the events; `'none'`: only listeners in the process can. */
  readonly backend: Backend;
  /** Why there is no backend, and what would help. */
  readonly reason: string | undefined;
  /** What went wrong so far: registrations that failed, values that did not fit. The first of each kind. */
  readonly problems: readonly string[];
}

/** Definitions by event name. */
export type Events = Readonly<Record<string, EventDefinition>>;

/** The events themselves, unless one uses the name of a keyword that the source does not define. */
export type WithKnownKeywords<Sources extends Events, Names extends KeywordNames> = {
  readonly [Name in keyof Sources]: Sources[Name] extends EventDefinition<infer _, infer Keyword>
    ? string extends Keyword
      ? Sources[Name] // Names that are not known while compiling.
      : Exclude<Keyword, keyof Names> extends never
        ? Sources[Name]
        : `There is no keyword "${Exclude<Keyword, keyof Names>}": name it in the options' keywords.`
    : Sources[Name];
};

type AnyFields = Readonly<Record<string, unknown>>;

/** What listeners get: each event with its own fields, told apart by `name`; before that, fields of any type. */
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
 * What tells an event apart in every trace.
 *
 * @typeParam Payload as it is written; only a type, no value
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

/** Writes one event. Costs about what a function call costs while nobody wants the event. Never throws. */
export interface EventFunction<Definition, Result> {
  (...args: EventArguments<Definition>): Result;
  /** Whether somebody wants the event now. */
  readonly enabled: boolean;
  /** By which a playback finds the event: `playback.getObservable(log.RequestStart)`. */
  readonly identity: EventIdentity<FieldsOf<Definition>>;
}

/** What calling an event returns: a handle for a Start that has its Stop, else nothing. */
type StartResult<Name, Sources extends Events> = Name extends `${infer Stem}Start`
  ? `${Stem}Stop` extends keyof Sources
    ? ActivityHandle<FieldsOf<Sources[`${Stem}Stop`]>>
    : undefined
  : undefined;

/** The names, less Start and Stop, of the activities that a source has. */
export type ActivityNames<Sources extends Events> = {
  [Name in keyof Sources]: Name extends `${infer Stem}Start`
    ? `${Stem}Stop` extends keyof Sources
      ? Stem
      : never
    : never;
}[keyof Sources];

type StopFieldsOf<Sources extends Events, Name extends string> = FieldsOf<Sources[`${Name}Stop`]>;

/** Nothing in particular where there is no such event: the name has its own error then. */
type StartPayloadOf<Sources extends Events, Name extends string> = `${Name}Start` extends keyof Sources
  ? LazyPayloadOf<Sources[`${Name}Start`]>
  : unknown;

/** The name of an activity; for a name that is none, why, as the compiler shows it. */
type ActivityName<Sources extends Events, Name extends string> =
  Name extends ActivityNames<Sources>
    ? Name
    : `${Name}Start` extends keyof Sources
      ? `The event "${Name}Start" has no "${Name}Stop".`
      : [ActivityNames<Sources>] extends [never]
        ? `There is no activity "${Name}": the source has no Start event with its Stop.`
        : `There is no activity "${Name}". The activities are: ${ActivityNames<Sources> & string}.`;

/** The same where the Stop event is written without a word of what it holds. */
type SimpleActivityName<Sources extends Events, Name extends string> =
  Name extends ActivityNames<Sources>
    ? StopFieldsOf<Sources, Name> extends Partial<OutcomeFields>
      ? OutcomeFields extends StopFieldsOf<Sources, Name>
        ? Name
        : StopIsNeeded<Name>
      : StopIsNeeded<Name>
    : ActivityName<Sources, Name>;
type StopIsNeeded<Name extends string> =
  `The event "${Name}Stop" has fields that tracewright cannot fill: give { stop: (outcome) => payload } before the work.`;

export interface ActivityParentOptions {
  /** The activity that this one is to be started in, instead of the one that the running code belongs to. */
  readonly parent?: ActivityParent;
}

export interface ActivityScopeOptions<Value, StopPayload> extends ActivityParentOptions {
  /** Makes the Stop event's payload out of how the work ended. */
  readonly stop: (outcome: Outcome<Value>) => StopPayload;
}

/** What every event source has beside its events. */
export interface SourceMembers<Sources extends Events> extends Listenable<WrittenOf<Sources>> {
  /**
   * Linux: the tracepoints that the tracer knows the events by: one for each level and keyword. With `write`
   * more may come.
   */
  readonly tracepoints: readonly string[];
  readonly status: SourceStatus;
  stats(): SourceStats;
  /**
   * Has the handler called for each command to the source: when a listener, or on Windows a session of ETW,
   * enables or disables it, and for those of `sendCommand`. First, for each `enable` that holds already. The
   * enabled words have changed by then: `isEnabled` tells what is wanted now by all together. Commands of ETW
   * come on the thread that defined the source, some time after; tracers on Linux tell nobody.
   */
  onCommand(handler: CommandHandler): void;
  /**
   * Whether somebody wants events of the level and keywords; without arguments, any event at all. A level and
   * keywords that have no event yet are made known to the tracer, as by `write`.
   *
   * @throws DefinitionError for a level or keywords that no event can have
   */
  isEnabled(level?: number, keywords?: EventOptions['keywords']): boolean;
  /**
   * Writes an event that describes itself: its fields are what the payload has, typed by the values (see
   * "Events without a definition" in docs/writing-events.md). For events whose fields are not known
   * beforehand; others are better, and faster, defined.
   *
   * Never throws; an event that cannot be described is dropped and counted.
   *
   * @param payload or a function that makes it, called only when somebody wants the event
   * @param options the level is Verbose unless given, as in .NET
   */
  write(name: string, payload?: object | (() => object), options?: SelfDescribingOptions): void;
  /**
   * Takes the source back: the tracer, sessions and listeners are told, and its enabled words are free again. A
   * definition that several sources share goes with the last of them.
   *
   * Events that are written later go nowhere and are counted as dropped (`closed`); nothing throws. .NET: Dispose.
   */
  close(): void;
  /** As `close`. */
  [Symbol.dispose](): void;
  /**
   * Runs the work inside an activity: its Start event before, its Stop event when the work has returned or
   * thrown; if it returns a promise, when that has settled; if it returns an iterator, as a generator does, when
   * the iteration ends or is left. All that the work causes belongs to the activity, each step of an iterator
   * too; the caller's own activity stays what it was.
   *
   * Any other thenable is a value: it may be a query that runs only when somebody calls its `then`. Make the work
   * `async` to have the activity last until the thenable has called back.
   *
   * A Stop event's fields `success` (bool) and `errorMessage` (string) are filled from the outcome; for
   * others, say with `stop` what they hold.
   *
   * @returns what the work returns; for a plain promise, while somebody wants the Start event, one derived from it
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
 * An activity of a source: `log.Request.run(payload, { stop }, work)`. As `log.activity('Request', ...)`, and cheaper
 * while nobody wants the Start event, as no name is looked up.
 */
export interface ActivityScope<StartPayload, StopPayload> {
  /** Runs the work inside the activity. */
  run<Result>(
    payload: StartPayload,
    options: ActivityScopeOptions<EndValue<Result>, StopPayload>,
    work: () => Result,
  ): Result;
}

/** One whose Stop event tracewright can fill: `log.Request.run(payload, work)`. */
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
  // An event, or another member of the source, comes before an activity of the same name.
  readonly [Name in Exclude<ActivityNames<Sources>, keyof Sources | keyof SourceMembers<Events>>]: ScopeOf<
    Sources,
    Name
  >;
};
