/** The command line of `tracewright live`. */
import { Selection } from '../record/tracepoint-selection.ts';
import { isGuidText } from '../wire/guid.ts';
import { commandArguments } from './command-arguments.ts';
import { EVENT_OPTIONS, EVENT_USAGE, keywordsArgument, levelArgument } from './event-filter.ts';
import { FilteredEvents } from './filtered-events.ts';
import { UsageError } from './parse-options.ts';
import { tracepointProviderPattern } from './provider-name.ts';

export const LIVE_USAGE = `Usage: tracewright live [OPTION]... [-- COMMAND [ARGUMENT]...]

Shows the events that programs write to Linux user_events, on the whole system, as they are written: seconds
since the start, thread, provider and event, activity path, fields. Ends with COMMAND, or with Ctrl-C. The
output of COMMAND goes to stderr, so that stdout has only events. Under sudo, COMMAND runs as the user who invoked it.

  --provider NAME  only events of this provider (* for any text); can be repeated
${EVENT_USAGE}  --json           one JSON object per line, as in "tracewright dump"
  --web            in the browser, at an address that only this user's programs are told: events, running activities,
                   durations, and a report of the last events

Events are shown in time order, a quarter of a second after they were written. On a terminal, without COMMAND, they
are a page with keys: q ends it, space pauses it, / filters it, arrows and page keys scroll. Errors are red.
`;

export interface LiveArguments {
  /** What the kernel records. */
  readonly selection: Selection;
  /** The part of it that is shown. */
  readonly events: FilteredEvents;
  readonly json: boolean;
  /** In the browser. */
  readonly web: boolean;
  /** With its arguments; empty if there is none. */
  readonly command: readonly string[];
}

/**
 * @returns undefined if help was requested
 * @throws UsageError
 */
export function liveArguments(args: readonly string[]): LiveArguments | undefined {
  const { values, command } = commandArguments(args, {
    ...EVENT_OPTIONS,
    json: { type: 'boolean' },
    web: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  });
  if (values.help === true) return undefined;
  if (values.json === true && values.web === true)
    throw new UsageError('live takes --json or --web, not both.');
  const { provider: given = [], ...others } = values;
  const providers = given.map(providerArgument);
  // The kernel matches names, not patterns: if there is a pattern, record everything.
  const named = providers.some((name) => name.includes('*')) ? [] : providers;
  const level = values.level === undefined ? {} : { level: levelArgument(values.level) };
  const keywords = values.keywords === undefined ? {} : { keywords: keywordsArgument(values.keywords) };
  return {
    selection: new Selection({ providers: named, ...level, ...keywords }),
    events: new FilteredEvents({ ...others, ...(providers.length > 0 && { provider: providers }) }),
    json: values.json === true,
    web: values.web === true,
    command,
  };
}

/** As in events: the name in their tracepoint's name. */
function providerArgument(text: string): string {
  if (isGuidText(text)) {
    throw new UsageError(`--provider takes a name, not "${text}": providers have no GUID on Linux.`);
  }
  return tracepointProviderPattern(text);
}
