/** What the main thread and its stand-in tell each other: see `StandIn`. */
import type { StuckThread } from '../../eventpipe/stuck-thread/stuck-session.ts';
import type { ProcessInfo } from '../../wire/diagnostics-ipc/process-info.ts';

/** What the stand-in is started with. */
export interface StandInData {
  /** Descriptors of the sockets at which clients wait. */
  readonly listeners: readonly number[];
  readonly process: ProcessInfo;
  readonly stuck: StuckThread;
  /** The id of its first session. */
  readonly firstSession: bigint;
  /** One word: 1 when it has done what it does at the exit. */
  readonly hasLeft: Int32Array;
}

/** To the stand-in: the main thread serves clients again, has all of them, or exits. */
export type ToStandIn = 'back' | 'end' | 'exit';

/** A client whom the main thread serves on. */
export interface PassedClient {
  /** The descriptors of its connection, and of the socket where it came. */
  readonly descriptor: number;
  readonly listener: number;
  /** What was read, and what is not sent yet. */
  readonly request: Uint8Array;
  readonly unsent: Uint8Array;
  /** The session that it has. */
  readonly session: { readonly id: bigint; readonly size: number } | undefined;
}

/** To the main thread: first that there is a stand-in, then each client, and that there are no more. */
export type FromStandIn = 'here' | PassedClient | 'done';
