/** The contents of a CollectTracing request, whatever its version. */
import { BufferMode, DEFAULT_RUNDOWN_KEYWORD, MAX_LEVEL, StreamFormat } from './constants.ts';

/** Events by id, after level and keywords. */
export interface EventFilter {
  /** Whether events in `ids` pass; otherwise, all others pass. */
  readonly isAllowList: boolean;
  readonly ids: readonly number[];
}

/** A user_events session has these tracepoints for events. */
export interface TracepointConfig {
  /** The tracepoint for events that are in no set; without it, they are not written. */
  readonly defaultName: string | undefined;
  readonly sets: readonly TracepointSet[];
}

export interface TracepointSet {
  readonly name: string;
  readonly ids: readonly number[];
}

export interface TracingProvider {
  readonly name: string;
  /** 64 bits; an event passes with one of them, or with no keywords. */
  readonly keywords: bigint;
  /** The maximum level; 0 for all. */
  readonly level: number;
  /** `key=value`, separated by `;`. Absent is another encoding of none. */
  readonly arguments: string | undefined;
  readonly filter?: EventFilter;
}

/** The level of a session that is to have events up to this one: .NET knows none above Verbose, so 0 asks for all. */
export function sessionLevel(level: number): number {
  return level > MAX_LEVEL ? 0 : level;
}

/** A session whose events follow the reply as a nettrace. */
export interface StreamingTracing {
  readonly sessionType: 'streaming';
  readonly bufferMegabytes: number;
  /** The format is one of `StreamFormat`. */
  readonly format: number;
  /** 0: no rundown. */
  readonly rundownKeyword: bigint;
  readonly collectsStacks: boolean;
  /** The mode is one of `BufferMode`. */
  readonly bufferMode: number;
  readonly providers: readonly TracingProvider[];
}

/** A session with stacks, which never makes the process wait, and by default without a rundown. */
export function streamingTracing(
  options: Pick<StreamingTracing, 'bufferMegabytes' | 'providers'> & Partial<StreamingTracing>,
): StreamingTracing {
  return {
    sessionType: 'streaming',
    format: StreamFormat.NetTrace,
    rundownKeyword: 0n,
    collectsStacks: true,
    bufferMode: BufferMode.Drop,
    ...options,
  };
}

export interface UserEventsProvider extends TracingProvider {
  readonly tracepoints: TracepointConfig;
}

/** A session whose events go to tracepoints, through a descriptor that the client passes after the request. */
export interface UserEventsTracing {
  readonly sessionType: 'user_events';
  readonly rundownKeyword: bigint;
  readonly providers: readonly UserEventsProvider[];
}

export type Tracing = StreamingTracing | UserEventsTracing;

export type TracingVersion = 1 | 2 | 3 | 4 | 5 | 6;

/**
 * The oldest version of CollectTracing that can express the request, which most processes support. .NET's own client
 * never sends version 1, since 2 is just as old.
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
