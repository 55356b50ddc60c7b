/** tracewright/playback: the events of traces, logs and live feeds as RxJS observables, in their own time. */
export { TraceEvent } from '../trace/trace-event.ts';
export type {
  EventClass,
  EventIdentity,
  EventKey,
  EventPredicate,
  EventType,
  IdentifiedEvent,
  NamedType,
  OccurrenceOf,
  PlayedEvent,
} from './event-type.ts';
export type { EventFeed, TraceInput } from './feed.ts';
export type { Instant } from './instant.ts';
export { ofType } from './of-type.ts';
export { Playback, type PlaybackOptions, type RunningPlayback, type TraceInputOptions } from './playback.ts';
export { PlaybackError } from './playback-error.ts';
export type { ReadPayload } from './read-payload.ts';
export type { Timestamped } from './timeline.ts';
export type { PartitionableTypeMap, PlainTypeMap, RootTypeMap, TypeMap } from './type-map.ts';
export type { VirtualTime } from './virtual-time.ts';
