/**
 * tracewright: typed events for Node.js, written to the operating system's own tracer, each with the
 * activity that it belongs to.
 */
import { startWantedPort } from './diagnostics/wanted-port.ts';

export { type ActivityContext, ActivityOptions } from './activity/activity.ts';
export { currentActivityId } from './activity/current.ts';
export { activityPath } from './activity/text.ts';
export { threadActivityId } from './platform/thread-activity-id.ts';
export type { CommandArguments, CommandHandler, SourceCommand } from './session/commands.ts';
export { EventListener, type EventListenerHandlers } from './session/event-listener.ts';
export type { SessionResult } from './session/event-pipe/event-pipe-session.ts';
export type { SessionProvider } from './session/event-pipe/provider-text.ts';
export { SessionError } from './session/event-pipe/session-error.ts';
export { type Session, type SessionOptions, startSession } from './session/event-pipe/start-session.ts';
export type { ListenerFilter } from './session/filter.ts';
export { type EventHandler, listen, type Subscription } from './session/listener.ts';
export { sendCommand } from './session/send-command.ts';
export { eventSources } from './session/sources.ts';
export type { Listenable } from './session/subscriptions.ts';
export type { WrittenEvent } from './session/written-event.ts';
export type { SourceStats } from './source/account.ts';
export type { ActivityHandle, Outcome } from './source/activity-events.ts';
export { BadValueError } from './source/bad-value-error.ts';
export { Level, Opcode } from './source/constants.ts';
export { DefinitionError } from './source/definition-error.ts';
export { type EventDefinition, type EventOptions, event } from './source/event.ts';
export { defineEventSource } from './source/event-source.ts';
export type { EventFunction, EventSource, SourceOptions, SourceStatus } from './source/event-source-types.ts';
export type { WriteOptions } from './source/event-writer.ts';
export type { FieldDefinition, FieldDefinitions, PayloadOf } from './source/fields.ts';
export { generateManifest } from './source/manifest.ts';
export type { SelfDescribingOptions } from './source/self-describing.ts';

startWantedPort();
