/**
 * tracewright: typed events for Node.js, written to the operating system's own tracer, each with the id of its
 * activity.
 */
import { startPortFromEnvironment } from './diagnostics/start-from-environment.ts';

export { ActivityOptions } from './activity/activity.ts';
export { CorrelationVector } from './activity/correlation-vector.ts';
export { activityPath } from './activity/path.ts';
export { currentActivityId, traceHeaders } from './activity/shared.ts';
export type { TraceHeaders } from './activity/trace-context.ts';
export type { SessionResult } from './eventpipe/event-pipe-session.ts';
export { SessionError } from './eventpipe/session-error.ts';
export type { SessionProvider } from './eventpipe/session-provider.ts';
export { type Session, type SessionOptions, startSession } from './eventpipe/start-session.ts';
export type { CommandArguments, CommandHandler, SourceCommand } from './listen/commands.ts';
export { EventListener, type EventListenerHandlers } from './listen/event-listener.ts';
export type { ListenerFilter } from './listen/filter.ts';
export { type EventHandler, listen, type Subscription } from './listen/listener.ts';
export { eventSources } from './listen/sources.ts';
export { sendCommand } from './listen/subscriptions.ts';
export type { EventOf, Listenable, WrittenEvent } from './listen/written-event.ts';
export type { Backend } from './platform/addon-functions.ts';
export { threadActivityId } from './platform/thread-activity-id.ts';
export type { SourceStats } from './source/account.ts';
export type { ActivityHandle } from './source/activity-events.ts';
export { BadValueError } from './source/bad-value-error.ts';
export { Channel, Level, Opcode } from './source/constants.ts';
export { DefinitionError } from './source/definition-error.ts';
export { type EventDefinition, type EventOptions, event } from './source/event.ts';
export { defineEventSource } from './source/event-source.ts';
export type {
  ActivityParentOptions,
  ActivityScope,
  ActivityScopeOptions,
  EventFunction,
  EventIdentity,
  EventSource,
  Events,
  SimpleActivityScope,
  SourceOptions,
  SourceStatus,
} from './source/event-source-types.ts';
export type { WriteOptions } from './source/event-writer.ts';
export { bitMap, type MapDefinition, type MapNames, type MapType, valueMap } from './source/field-maps.ts';
export type { FieldDefinition, FieldDefinitions, PayloadOf } from './source/fields.ts';
export { type KeptActivities, keepActivities } from './source/keep-activities.ts';
export { generateManifest } from './source/manifest.ts';
export type { OutcomeFields } from './source/outcome-fields.ts';
export { type ActivityParent, bindActivity, runInActivity } from './source/run-in-activity.ts';
export type { SelfDescribingOptions } from './source/self-describing.ts';
export type { StateHandler, StateRequest } from './source/state-requests.ts';
export type { Outcome } from './source/work-result.ts';

startPortFromEnvironment();
