/** What a CollectTracing request asks for, whatever its version. */
import { BufferMode, DEFAULT_RUNDOWN_KEYWORD } from './constants.ts';

/** Events by their ids, after level and keywords. */
export interface EventFilter {
  /** Whether the events of `ids` are those that pass; else all others are. */
  readonly isAllowList: boolean;
  readonly ids: readonly number[];
}

/** Of a session of user_events: which tracepoint an event goes to. */
export interface TracepointConfig {
  /** Of the events that no set has; without it, they go nowhere. */
  readonly defaultName: string | undefined;
  readonly sets: readonly TracepointSet[];
}

export interface TracepointSet {
  readonly name: string;
  readonly ids: readonly number[];
}

export interface TracingProvider {
  readonly name: string;
  /** 64 bits; an event passes with one of them, or with none of its own. */
  readonly keywords: bigint;
  /** Events up to it; 0: all. */
  readonly level: number;
  /** `key=value`, more of them behind `;`. Absent is another encoding of none. */
  readonly arguments: string | undefined;
  readonly filter?: EventFilter;
}

/** A session whose events come as a nettrace behind the reply. */
export interface StreamingTracing {
  readonly sessionType: 'streaming';
  readonly bufferMegabytes: number;
  /** One of `StreamFormat`. */
  readonly format: number;
  /** 0: no rundown. */
  readonly rundownKeyword: bigint;
  readonly collectsStacks: boolean;
  /** One of `BufferMode`. */
  readonly bufferMode: number;
  readonly providers: readonly TracingProvider[];
}

export interface UserEventsProvider extends TracingProvider {
  readonly tracepoints: TracepointConfig;
}

/** A session whose events go to tracepoints, through a descriptor that the client passes behind the request. */
export interface UserEventsTracing {
  readonly sessionType: 'user_events';
  readonly rundownKeyword: bigint;
  readonly providers: readonly UserEventsProvider[];
}

export type Tracing = StreamingTracing | UserEventsTracing;

export type TracingVersion = 1 | 2 | 3 | 4 | 5 | 6;

/**
 * The oldest version of CollectTracing that can say this: most processes understand it. Version 1 is what .NET's
 * own client never sends, for 2 is as old.
 */
export function leastVersion(tracing: Tracing): TracingVersion {
  if (tracing.sessionType === 'user_events') return 5;
  if (tracing.bufferMode !== BufferMode.Drop) return 6;
  if (tracing.providers.some(({ filter }) => filter !== undefined && !passesAll(filter))) return 5;
  const { rundownKeyword, collectsStacks } = tracing;
  if (rundownKeyword !== 0n && rundownKeyword !== DEFAULT_RUNDOWN_KEYWORD) return 4;
  if (!collectsStacks) return 3;
  return rundownKeyword === 0n ? 2 : 1;
}

function passesAll({ isAllowList, ids }: EventFilter): boolean {
  return !isAllowList && ids.length === 0;
}
