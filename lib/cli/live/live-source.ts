/** What `tracewright live` shows: the tracer of this system, in real time. */

import type { User } from '../../platform/addon-functions.ts';
import { RECORDER_VARIABLE } from '../../platform/recorder-notice.ts';
import { streamOfSession } from '../../record/etw-event-stream.ts';
import { endLeftBehindLiveSessions, LiveEtwRecording } from '../../record/live-etw-recording.ts';
import { LiveRecording } from '../../record/live-recording.ts';
import { Selection } from '../../record/tracepoint-selection.ts';
import { say } from '../messages.ts';
import { programsUser } from '../record/command-user.ts';
import type { LiveArguments } from './live-arguments.ts';

export interface LiveSource {
  /** `openTrace` reads these chunks. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Ends the chunks, after everything recorded until now. */
  stop(): void;
  /** The command finds the recorder by these variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** The number is final once all chunks have been read. */
  readonly lostEvents: number;
  /** Why something is not recorded, in sentences. */
  readonly problems: readonly string[];
  summary(shown: number): string;
}

/** Each processor has a ring of this size, which holds events while the terminal is busy. */
const RING_SIZE = 2 << 20;

/** @throws RecorderError */
export function liveSource(given: LiveArguments, user: User | undefined): LiveSource {
  if (process.platform !== 'win32') return perfSource(given, user);
  const { session } = given;
  if (session === undefined) {
    for (const name of endLeftBehindLiveSessions())
      say(`Ended the ETW session ${name} of an earlier "live" that was killed.`);
  }
  const live = session === undefined ? new LiveEtwRecording(given.selected) : streamOfSession(session);
  return {
    chunks: () => live.chunks(),
    stop: () => live.stop(),
    // ETW enables a provider when it registers.
    variables: {},
    get lostEvents() {
      return live.lostEvents;
    },
    problems: [],
    summary: (shown) => `Showed ${shown} events, ${losses(live.lostEvents)}.`,
  };
}

function perfSource({ selected, command }: LiveArguments, user: User | undefined): LiveSource {
  const programsOf = programsUser(command, user);
  const selection = new Selection(selected);
  const live = new LiveRecording({ selection, ringSize: RING_SIZE, ...(programsOf && { programsOf }) });
  return {
    chunks: () => live.chunks(),
    stop: () => live.stop(),
    variables: { [RECORDER_VARIABLE]: live.address },
    get lostEvents() {
      return live.counts.lost;
    },
    get problems() {
      return live.problems;
    },
    summary(shown) {
      const { tracepoints, unrecordable } = live;
      const of = tracepoints === 1 ? '1 tracepoint' : `${tracepoints} tracepoints`;
      const hint = tracepoints === 0 ? ' No program had registered a matching tracepoint.' : '';
      const rest = unrecordable === undefined ? '' : `\n${unrecordable}`;
      return `Showed ${shown} events of ${of}, ${losses(live.counts.lost)}.${hint}${rest}`;
    },
  };
}

function losses(lost: number): string {
  return lost === 0 ? 'none lost' : `${lost} lost because they came faster than they could be shown`;
}
