/** The command line of `tracewright live`. */
import { providerGuidOf } from '../../record/etw-provider-options.ts';
import type { SelectionOptions } from '../../record/tracepoint-selection.ts';
import type { TracingProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { isGuidText } from '../../wire/guid.ts';
import { text } from '../argument-values.ts';
import { PROCESS_OPTIONS, type TargetValues } from '../collect/target-argument.ts';
import { CommandLine } from '../command-line.ts';
import { flag, UsageError } from '../parse-options.ts';
import { EVENT_OPTIONS } from '../trace/event-filter.ts';
import { FilteredEvents } from '../trace/filtered-events.ts';
import { sessionProviders } from '../trace/provider-argument.ts';
import { tracepointProviderPattern } from '../trace/provider-name.ts';

export const commandLine = new CommandLine(
  'live',
  ['[OPTION]... [-- COMMAND [ARGUMENT]...]', '[OPTION]... -p PID'],
  [
    `Shows the events that programs write to Linux user_events or Windows ETW, on the whole system, as they are written:
  seconds since the start, thread, provider and event, activity path, fields. Ends with COMMAND, or with Ctrl-C. The
  output of COMMAND goes to stderr, so that stdout has only events. Under sudo, COMMAND runs as the user who invoked it.
  With a --process-id, shows the events of this process, through its diagnostic port, without access to the system's tracer.`,
    {
      ...EVENT_OPTIONS,
      provider: text(
        'NAME',
        'the name of a provider',
      ).repeated(`only events of this provider (* for any text).
        Windows needs at least one: a name or a GUID`),
      session: text('NAME', 'the name of an ETW session').option(`Windows: the events of this session, which
        another program has started in real-time mode`),
      json: flag('one JSON object per line, as in "tracewright dump"'),
      web: flag(`in the browser, at an address that only this user's programs are told: events, running
        activities, durations, and a report of the last events`),
    },
    PROCESS_OPTIONS,
    `Events are shown in time order, a quarter to half a second after they were written. On a terminal, without COMMAND,
  they are a page with keys: q ends it, space pauses it, / filters it, arrows and page keys scroll. Errors are red.`,
  ],
);

export interface LiveArguments {
  /** What the system records. */
  readonly selected: SelectionOptions;
  /** Windows: a running session, in place of one of our own. */
  readonly session: string | undefined;
  /** The part of it that is shown. */
  readonly events: FilteredEvents;
  readonly json: boolean;
  /** Whether the browser shows the events. */
  readonly web: boolean;
  /** The command has its arguments; it is empty if there is none. */
  readonly command: readonly string[];
  /** A process whose port has the events, in place of the system. */
  readonly process: LiveProcess | undefined;
}

export interface LiveProcess {
  readonly target: TargetValues;
  readonly providers: readonly TracingProvider[];
}

/**
 * @returns undefined if help was requested, after printing it
 * @throws UsageError
 */
export function liveArguments(
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): LiveArguments | undefined {
  const parsed = commandLine.command(args);
  if (parsed === undefined) return undefined;
  const { values, command } = parsed;
  if (values.json === true && values.web === true)
    throw new UsageError('live takes --json or --web, not both.');
  const { provider: given = [], session, 'process-id': processId, yes, leave, ...others } = values;
  const output = { json: values.json === true, web: values.web === true };
  if (processId !== undefined) {
    if (session !== undefined || command.length > 0) {
      throw new UsageError('live takes a --process-id, a --session or a COMMAND, not several of them.');
    }
    return {
      selected: {},
      session,
      events: new FilteredEvents({ ...others, ...(given.length > 0 && { provider: given }) }),
      ...output,
      command,
      process: {
        target: { 'process-id': processId, yes, leave },
        providers: providersOf(given, values.level, values.keywords),
      },
    };
  }
  const unused = (['yes', 'leave'] as const).find((name) => values[name] !== undefined);
  if (unused !== undefined) throw new UsageError(`--${unused} is for a --process-id.`);
  const isWindows = platform === 'win32';
  if (isWindows) checkWindows(given, session);
  else if (session !== undefined) throw new UsageError('--session takes an ETW session: it is for Windows.');
  const providers = isWindows ? given : given.map(providerArgument);
  // Events of a provider without a description have no name.
  const shown = isWindows ? providers.flatMap((name) => [name, providerGuidOf(name)]) : providers;
  // The kernel matches names, not patterns: if there is a pattern, record everything.
  const named = providers.some((name) => name.includes('*')) ? [] : providers;
  const { level, keywords } = values;
  return {
    selected: {
      providers: named,
      ...(level !== undefined && { level }),
      ...(keywords !== undefined && { keywords }),
    },
    session,
    events: new FilteredEvents({ ...others, ...(shown.length > 0 && { provider: shown }) }),
    ...output,
    command,
    process: undefined,
  };
}

/** What a port is asked for: it knows names, not patterns, and all of them only with every level and keyword. */
function providersOf(names: readonly string[], level?: number, keywords?: bigint): TracingProvider[] {
  if (names.length === 0 || names.some((name) => name.includes('*'))) {
    return sessionProviders(undefined, {}, false);
  }
  const defaults = { ...(level !== undefined && { level }), ...(keywords !== undefined && { keywords }) };
  return sessionProviders(names, defaults, false);
}

/** @throws UsageError */
function checkWindows(providers: readonly string[], session: string | undefined): void {
  if (session !== undefined) return;
  if (providers.length === 0) {
    throw new UsageError(
      'live needs --provider NAME or --session NAME on Windows: ETW has no session of all providers.',
    );
  }
  const pattern = providers.find((name) => name === '' || name.includes('*'));
  if (pattern !== undefined) {
    throw new UsageError(
      `--provider takes a name or a GUID on Windows, not "${pattern}": ETW knows no patterns.`,
    );
  }
}

/** Returns the name that events have in their tracepoint's name. */
function providerArgument(text: string): string {
  if (isGuidText(text)) {
    throw new UsageError(`--provider takes a name, not "${text}": providers have no GUID on Linux.`);
  }
  return tracepointProviderPattern(text);
}
