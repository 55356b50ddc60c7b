/** What a source has besides the functions of its events. */
import { shown } from '../base/value-text.ts';
import type { CommandHandler } from '../listen/commands.ts';
import { LISTENABLE } from '../listen/written-event.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { ACTIVITY_EVENTS, ActivityEvents } from './activity-events.ts';
import { DefinitionError } from './definition-error.ts';
import type { ActivityParentOptions, SourceStatus } from './event-source-types.ts';
import type { LazyPayload } from './lazy-payload.ts';
import { contextOf } from './run-in-activity.ts';
import type { SelfDescribingEvents, SelfDescribingOptions } from './self-describing.ts';
import type { SourceContext } from './source-context.ts';
import { tracepointOf } from './tracer-event.ts';
import type { Outcome } from './work-result.ts';

export function sourceMembers(
  { provider, tracer, account, throwOnErrors, subscriptions }: SourceContext,
  schemas: readonly EventSchema[],
  activities: ReadonlyMap<EventSchema, ActivityEvents>,
  selfDescribing: SelfDescribingEvents,
): object {
  const { name, guid } = provider;
  // An object, because V8 finds a constant name in it faster than in a Map: a scope that nobody wants costs 2.5 ns, not 8.
  const scopes: Readonly<Record<string, ActivityEvents | undefined>> = Object.fromEntries(
    [...activities]
      .filter(([schema, activity]) => activity.startSchema === schema)
      .map(([schema, activity]) => [schema.name.replace(/Start$/, ''), activity]),
  );
  type ScopeOptions = ActivityParentOptions & { readonly stop?: (outcome: Outcome) => Payload };
  const runWithOptions = (
    activityName: string,
    payload: LazyPayload,
    optionsOrWork: ScopeOptions | (() => unknown),
    work: (() => unknown) | undefined,
  ) => {
    const [options, run] =
      typeof optionsOrWork === 'function' ? [{}, optionsOrWork] : [optionsOrWork, work as () => unknown];
    const activity = scopes[activityName];
    const { parent, stop } = options;
    if (activity instanceof ActivityEvents) {
      if (parent === undefined) return activity.scope(payload, stop, run);
      if (typeof parent === 'string' && activity.startEnabled && contextOf(parent) === undefined) {
        account.badValues++;
        account.tell(
          'parent',
          () => `${name}: ${shown(parent)} is no activity to be inside of: neither a GUID nor a traceparent.`,
        );
      }
      return activity.scopeIn(parent, payload, stop, run);
    }
    const known = Object.keys(scopes).join(', ') || 'none';
    const problem = `there is no activity ${shown(activityName)}, only: ${known}.`;
    if (throwOnErrors) throw new DefinitionError(name, problem);
    account.badValues++;
    account.tell(`activity ${activityName}`, () => `${name}: ${problem} Its work was run without.`);
    return run();
  };
  return {
    name,
    guid,
    get tracepoints(): readonly string[] {
      const all = [...schemas, ...selfDescribing.schemas];
      return Object.freeze([...new Set(all.map((schema) => tracepointOf(name, schema)))]);
    },
    get status(): SourceStatus {
      return { backend: tracer.backend, reason: tracer.reason, problems: account.problems };
    },
    stats: () => account.stats(),
    onCommand: (handler: CommandHandler) => subscriptions.onCommand(handler),
    isEnabled: (level?: number, keywords: bigint | string | readonly string[] = 0n) =>
      level === undefined ? subscriptions.isWanted : selfDescribing.isWanted(level, keywords),
    write: (eventName: string, payload?: LazyPayload, options?: SelfDescribingOptions) =>
      selfDescribing.write(eventName, payload, options),
    // Short, so that V8 puts it in its callers' place: while nobody wants the event it costs no more than the call.
    activity: (
      activityName: string,
      payload: LazyPayload,
      optionsOrWork: ScopeOptions | (() => unknown),
      work?: () => unknown,
    ) => {
      const activity = scopes[activityName];
      return typeof optionsOrWork === 'function' && activity instanceof ActivityEvents
        ? activity.scope(payload, undefined, optionsOrWork)
        : runWithOptions(activityName, payload, optionsOrWork, work);
    },
    [LISTENABLE]: subscriptions,
    [ACTIVITY_EVENTS]: scopes,
  };
}
