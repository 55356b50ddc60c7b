/** The messages between the main thread and its stand-in: see `StandIn`. */
import type { StuckThread } from '../../eventpipe/stuck-thread/stuck-session.ts';
import type { ProcessInfo } from '../../wire/diagnostics-ipc/process-info.ts';

/** The stand-in's initial data. */
export interface StandInData {
  /** The sockets at which clients wait. */
  readonly listeners: readonly PassedListener[];
  readonly process: ProcessInfo;
  readonly stuck: StuckThread;
  /** The id of its first session. */
  readonly firstSession: bigint;
  /** The word is 1 once the stand-in has finished its work at exit. */
  readonly hasLeft: Int32Array;
}

export interface PassedListener {
  readonly id: number;
  /** The descriptor is a duplicate, which the stand-in owns as soon as it is there. */
  readonly descriptor: number;
}

/** The stand-in hears that the main thread serves clients again, has received all of them, or exits. */
export type ToStandIn = 'back' | 'end' | 'exit';

/** A client that the main thread takes over. */
export interface PassedClient {
  /** The descriptor of its connection, owned by whoever receives this message. */
  readonly descriptor: number;
  /** The id of the listening socket. */
  readonly listener: number;
  /** The bytes read, and the bytes not sent yet. */
  readonly request: Uint8Array;
  readonly unsent: Uint8Array;
  /** Its session, if any. */
  readonly session: { readonly id: bigint; readonly size: number } | undefined;
}

/** The main thread hears first that there is a stand-in, then of each client, and that there are no more. */
export type FromStandIn = 'here' | PassedClient | 'done';
