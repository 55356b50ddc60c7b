/** `tracewright live`: shows the system's user_events or ETW events as they are written. */
import { openTrace } from '../../trace/open-trace.ts';
import { EventJson } from '../dump/event-json.ts';
import { eventText } from '../dump/event-text.ts';
import { say, warn } from '../messages.ts';
import { Output } from '../output.ts';
import { commandUser } from '../record/command-user.ts';
import { RecordedCommand, withFailure } from '../record/recorded-command.ts';
import { StopRequest } from '../stop-request.ts';
import { hasTerminal } from '../terminal/terminal-page.ts';
import { type LiveArguments, liveArguments } from './live-arguments.ts';
import { LivePage } from './live-page.ts';
import { type LiveSource, liveSource } from './live-source.ts';

export { commandLine } from './live-arguments.ts';

/** @returns the exit status @throws UsageError, RecorderError, TraceError */
export async function run(args: readonly string[]): Promise<number> {
  const given = liveArguments(args);
  if (given === undefined) return 0;
  const user = commandUser(undefined);
  const live = liveSource(given, user);
  const stop = new StopRequest();
  // Keys are input for a command that we started.
  const isPage = !given.json && !given.web && given.command.length === 0 && hasTerminal();
  const page = isPage ? new LivePage(() => stop.stop()) : undefined;
  const shown = show(live, given, page);
  const ends: Promise<unknown>[] = [stop.requested, shown];
  const command =
    given.command.length === 0
      ? undefined
      : new RecordedCommand(given.command, live.variables, 'stderr', user);
  if (command !== undefined) ends.push(command.ended);
  try {
    await Promise.race(ends);
  } finally {
    live.stop();
    page?.close();
    try {
      say(live.summary(await shown));
    } finally {
      stop.dispose();
      command?.end();
    }
  }
  const { text, status } = (await command?.ended) ?? { text: undefined, status: 0 };
  if (text !== undefined) say(`${text}.`);
  for (const problem of live.problems) warn(problem);
  return live.problems.length === 0 ? status : withFailure(status);
}

/** @returns the number of events shown by the end of the recording */
async function show(
  live: LiveSource,
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
  if (emptiness !== undefined && live.lostEvents === 0 && wanted.hasSeenAny) warn(emptiness);
  return events;
}
