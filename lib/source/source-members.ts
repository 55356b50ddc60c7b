/** The members of a source other than its event functions. */
import { shown } from '../base/value-text.ts';
import { NOTICED_BITS } from '../listen/audience.ts';
import type { CommandHandler } from '../listen/commands.ts';
import type { Keywords } from '../listen/filter.ts';
import { LISTENABLE } from '../listen/written-event.ts';
import type { EnabledWord } from '../platform/tracer.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { ACTIVITY_EVENTS, type ActivityEvents } from './activity-events.ts';
import { DefinitionError } from './definition-error.ts';
import type { ActivityParentOptions, SourceStatus } from './event-source-types.ts';
import type { LazyPayload } from './lazy-payload.ts';
import { contextOf } from './run-in-activity.ts';
import { SELF_DESCRIBING, type SelfDescribingEvents, type SelfDescribingOptions } from './self-describing.ts';
import type { SourceContext } from './source-context.ts';
import type { StateHandler, StateRequests } from './state-requests.ts';
import { type TracerFormat, tracepointOf } from './tracer-format.ts';
import type { Outcome } from './work-result.ts';

type Work = () => unknown;
type ScopeOptions = ActivityParentOptions & { readonly stop?: (outcome: Outcome) => Payload };
type RunActivity = (payload: LazyPayload, optionsOrWork: ScopeOptions | Work, work?: Work) => unknown;

/** Members that only some applications use. */
interface Reports {
  tracepoints(): readonly string[];
  status(): SourceStatus;
}
const REPORTS: unique symbol = Symbol('tracewright.reports');
interface HasReports {
  readonly [REPORTS]: Reports;
}

// Getters shared by all sources: V8 turns an object with its own getter into a dictionary as soon as another one has
// the same names, and calling an event on a dictionary takes 10 ns more.
const getters = {
  get tracepoints(): readonly string[] {
    return (this as unknown as HasReports)[REPORTS].tracepoints();
  },
  get status(): SourceStatus {
    return (this as unknown as HasReports)[REPORTS].status();
  },
};
const GETTERS = Object.getOwnPropertyDescriptors(getters);

export function sourceMembers(
  context: SourceContext,
  schemas: readonly EventSchema[],
  activities: ReadonlyMap<EventSchema, ActivityEvents>,
  selfDescribing: SelfDescribingEvents,
  plain: TracerFormat | undefined,
  states: StateRequests,
): PropertyDescriptorMap {
  const { provider, tracer, account, subscriptions } = context;
  const { name, guid } = provider;
  const activitiesByName = new Map(
    [...activities]
      .filter(([schema, activity]) => activity.startSchema === schema)
      .map(([schema, activity]) => [schema.name.replace(/Start$/, ''), activity]),
  );
  const reports: Reports = {
    tracepoints: () => {
      const own = schemas.map((schema) => plain?.nameOf(schema) ?? tracepointOf(provider, schema));
      const others = selfDescribing.schemas.map((schema) => tracepointOf(provider, schema));
      return Object.freeze([...new Set([...own, ...others])]);
    },
    status: () => ({ backend: tracer.backend, reason: tracer.reason, problems: account.problems }),
  };
  const members = {
    name,
    guid,
    stats: () => account.stats(),
    onCommand: (handler: CommandHandler) => subscriptions.onCommand((command) => handler(command)),
    onStateRequest: (handler: StateHandler) => states.onRequest(handler),
    isEnabled: (level?: number, keywords: Keywords = 0n) =>
      level === undefined ? subscriptions.isWanted : selfDescribing.isWanted(level, keywords),
    write: (eventName: string, payload?: LazyPayload, options?: SelfDescribingOptions) =>
      selfDescribing.write(eventName, payload, options),
    activity: (
      activityName: string,
      payload: LazyPayload,
      optionsOrWork: ScopeOptions | Work,
      work?: Work,
    ): unknown => {
      const activity = activitiesByName.get(activityName);
      if (activity === undefined)
        return runWithoutActivity(context, activityName, [...activitiesByName.keys()], optionsOrWork, work);
      return typeof optionsOrWork === 'function' && isPassedOver(activity.startWord)
        ? optionsOrWork()
        : runIn(context, activity, payload, optionsOrWork, work);
    },
    [LISTENABLE]: subscriptions,
  };
  return {
    ...activityMembers(context, activitiesByName),
    ...Object.getOwnPropertyDescriptors(members),
    ...GETTERS,
    [REPORTS]: { value: reports },
    [ACTIVITY_EVENTS]: { value: activitiesByName },
    [SELF_DESCRIBING]: { value: selfDescribing },
  };
}

/** `log.Request`, for each activity. */
function activityMembers(
  context: SourceContext,
  activities: ReadonlyMap<string, ActivityEvents>,
): PropertyDescriptorMap {
  const descriptorOf = (activity: ActivityEvents) => ({
    value: Object.freeze({ run: runOf(context, activity) }),
    // Code that enumerates a source's names is looking for events.
    enumerable: false,
  });
  return Object.fromEntries([...activities].map(([name, activity]) => [name, descriptorOf(activity)]));
}

// The following two, and `activity` above, are short enough for V8 to inline, including the work: while the Start is
// disabled, an activity costs little more than its work.

function isPassedOver(word: EnabledWord): boolean {
  return ((word.words[word.index] as number) & NOTICED_BITS) === 0;
}

function runOf(context: SourceContext, activity: ActivityEvents): RunActivity {
  const { startWord } = activity;
  return (payload, optionsOrWork, work) =>
    typeof optionsOrWork === 'function' && isPassedOver(startWord)
      ? optionsOrWork()
      : runIn(context, activity, payload, optionsOrWork, work);
}

function runIn(
  { provider, account }: SourceContext,
  activity: ActivityEvents,
  payload: LazyPayload,
  optionsOrWork: ScopeOptions | Work,
  work: Work | undefined,
): unknown {
  if (typeof optionsOrWork === 'function') return activity.scope(payload, undefined, optionsOrWork);
  if (typeof work !== 'function') {
    throw new TypeError(`${provider.name}: the work of an activity follows its payload, which may be {}.`);
  }
  const { parent, stop } = optionsOrWork;
  const run = work;
  if (parent === undefined) return activity.scope(payload, stop, run);
  if (typeof parent === 'string' && activity.startEnabled && contextOf(parent) === undefined) {
    account.badValues++;
    account.tell(
      'parent',
      () =>
        `${provider.name}: ${shown(parent)} is not an activity to run inside: neither a GUID nor a traceparent.`,
    );
  }
  return activity.scopeIn(parent, payload, stop, run);
}

function runWithoutActivity(
  { provider, account, throwOnErrors }: SourceContext,
  activityName: string,
  known: readonly string[],
  optionsOrWork: ScopeOptions | Work,
  work: Work | undefined,
): unknown {
  const run = typeof optionsOrWork === 'function' ? optionsOrWork : (work as Work);
  const problem = `the activity ${shown(activityName)} does not exist; the activities are: ${known.join(', ') || 'none'}.`;
  if (throwOnErrors) throw new DefinitionError(provider.name, problem);
  account.badValues++;
  account.tell(`activity ${activityName}`, () => `${provider.name}: ${problem} The work ran without it.`);
  return run();
}
