/** `tracewright live`: shows the events of the system or of a process as they are written. */
import { openTrace } from '../../trace/open-trace.ts';
import { countText } from '../../view/number-text.ts';
import { tracingOf } from '../collect/collect.ts';
import { readSession, withTarget } from '../collect/target-argument.ts';
import { EventJson } from '../dump/event-json.ts';
import { eventText } from '../dump/event-text.ts';
import { say, warn } from '../messages.ts';
import { Output } from '../output.ts';
import { commandUser } from '../record/command-user.ts';
import { RecordedCommand, withFailure } from '../record/recorded-command.ts';
import { StopRequest } from '../stop-request.ts';
import { hasTerminal } from '../terminal/terminal-page.ts';
import { type LiveArguments, type LiveProcess, liveArguments } from './live-arguments.ts';
import { LivePage } from './live-page.ts';
import { type LiveSource, liveSource } from './live-source.ts';

export { commandLine } from './live-arguments.ts';

/** @returns the exit status @throws UsageError, RecorderError, TraceError */
export async function run(args: readonly string[]): Promise<number> {
  const given = liveArguments(args);
  if (given === undefined) return 0;
  return given.process === undefined ? showSystem(given) : showProcess(given, given.process);
}

function showProcess(given: LiveArguments, { target: values, providers }: LiveProcess): Promise<number> {
  return withTarget(values, async (target, stop) => {
    const session = await target.client.collectTracing(tracingOf(providers));
    const live = { chunks: () => session.stream, lostEvents: 0 };
    const page = pageOf(given, stop);
    let shown = 0;
    try {
      await readSession(session, target, stop, undefined, async () => {
        shown = await show(live, given, page);
      });
    } finally {
      page?.close();
    }
    say(`Showed ${countText(shown, 'event')} of ${target.name.toLowerCase()}.`);
  });
}

async function showSystem(given: LiveArguments): Promise<number> {
  const user = commandUser(undefined);
  const live = liveSource(given, user);
  const stop = new StopRequest();
  const page = pageOf(given, stop);
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

/** Keys are input for a command that we started. */
function pageOf({ json, web, command }: LiveArguments, stop: StopRequest): LivePage | undefined {
  const isPage = !json && !web && command.length === 0 && hasTerminal();
  return isPage ? new LivePage(() => stop.stop()) : undefined;
}

/** @returns the number of events shown by the end of the recording */
async function show(
  live: Pick<LiveSource, 'chunks' | 'lostEvents'>,
  { events: wanted, json, web }: LiveArguments,
  page: LivePage | undefined,
): Promise<number> {
  const lines = new EventJson();
  // A process may end in the middle of an event.
  const trace = await openTrace(live.chunks(), { onDamage: 'warning' });
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
