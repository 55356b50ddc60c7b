/** `tracewright live`: shows the system's user_events as they are written. Linux only. */
import { RECORDER_VARIABLE } from '../platform/recorder-notice.ts';
import { LiveRecording } from '../record/live-recording.ts';
import { openTrace } from '../trace/open-trace.ts';
import { commandUser, programsUser } from './command-user.ts';
import { EventJson } from './event-json.ts';
import { eventText } from './event-text.ts';
import { LIVE_USAGE, type LiveArguments, liveArguments } from './live-arguments.ts';
import { LivePage } from './live-page.ts';
import { failWith, printHelp, say, warn } from './messages.ts';
import { Output } from './output.ts';
import { RecordedCommand } from './recorded-command.ts';
import { StopRequest } from './stop-request.ts';
import { hasTerminal } from './terminal-page.ts';

/** Per processor: holds events while the terminal is busy. */
const RING_SIZE = 2 << 20;

/** @throws UsageError, RecorderError, TraceError */
export async function liveCommand(args: readonly string[]): Promise<void> {
  const given = liveArguments(args);
  if (given === undefined) {
    printHelp(LIVE_USAGE);
    return;
  }
  if (process.platform === 'win32') {
    throw new Error(
      'live shows events on Linux only. On Windows, record them with "tracewright record" and show the file with ' +
        '"tracewright dump".',
    );
  }
  const user = commandUser(undefined);
  const programsOf = programsUser(given.command, user);
  const { selection } = given;
  const live = new LiveRecording({ selection, ringSize: RING_SIZE, ...(programsOf && { programsOf }) });
  const stop = new StopRequest();
  // Keys are input for a command that we started.
  const isPage = !given.json && !given.web && given.command.length === 0 && hasTerminal();
  const page = isPage ? new LivePage(() => stop.stop()) : undefined;
  const shown = show(live, given, page);
  const ends: Promise<unknown>[] = [stop.requested, shown];
  const variables = { [RECORDER_VARIABLE]: live.address };
  const command =
    given.command.length === 0 ? undefined : new RecordedCommand(given.command, variables, 'stderr', user);
  if (command !== undefined) ends.push(command.ended);
  try {
    await Promise.race(ends);
  } finally {
    live.stop();
    page?.close();
    try {
      say(summary(await shown, live));
    } finally {
      stop.dispose();
      command?.end();
    }
  }
  if (command !== undefined) say(`${await command.ended}.`);
  failWith(live.problems);
}

/** @returns the number of events shown by the end of the recording */
async function show(
  live: LiveRecording,
  { events: wanted, json, web }: LiveArguments,
  page: LivePage | undefined,
): Promise<number> {
  const lines = new EventJson();
  const trace = await openTrace(live.chunks());
  if (web) return (await import('./web-view.ts')).showInBrowser('live', trace, wanted);
  const output = new Output();
  let events = 0;
  let lost = 0;
  for await (const batch of trace.batches()) {
    if (trace.lostEvents > lost && page === undefined) {
      say(`Lost: ${trace.lostEvents - lost} events.`);
      lost = trace.lostEvents;
    }
    for (const event of batch) {
      if (!wanted.has(event)) continue;
      events++;
      if (page !== undefined) page.add(event);
      else if (json) output.styledLine(lines.line(event));
      else output.line(eventText(event));
    }
    await output.flush();
    page?.changed(trace.lostEvents);
  }
  const emptiness = wanted.emptiness('The recording');
  if (emptiness !== undefined && live.counts.lost === 0 && wanted.hasSeenAny) warn(emptiness);
  return events;
}

function summary(shown: number, { counts, tracepoints, unrecordable }: LiveRecording): string {
  const of = tracepoints === 1 ? '1 tracepoint' : `${tracepoints} tracepoints`;
  const losses =
    counts.lost === 0 ? 'none lost' : `${counts.lost} lost because they came faster than they could be shown`;
  const hint = tracepoints === 0 ? ' No program had registered a matching tracepoint.' : '';
  const rest = unrecordable === undefined ? '' : `\n${unrecordable}`;
  return `Showed ${shown} events of ${of}, ${losses}.${hint}${rest}`;
}
