/** The command line of `tracewright live`. */
import { Selection } from '../record/selection.ts';
import { isGuidText } from '../wire/guid.ts';
import { commandArguments } from './command-arguments.ts';
import { EVENT_OPTIONS, EVENT_USAGE, keywordsArgument, levelArgument } from './event-filter.ts';
import { FilteredEvents } from './filtered-events.ts';
import { tracepointProviderPattern } from './provider-name.ts';
import { UsageError } from './usage-error.ts';

export const LIVE_USAGE = `Usage: tracewright live [OPTION]... [-- COMMAND [ARGUMENT]...]

Shows the events that programs write to Linux user_events, on the whole system, while they write them: seconds
since the start, thread, provider and event, activity path, fields. Ends with COMMAND, or with Ctrl-C. What
COMMAND prints goes to stderr, so that only events go to stdout. Under sudo, COMMAND runs as the user who ran it.

  --provider NAME  only events of this provider (* for any text); may be repeated
${EVENT_USAGE}  --json           one JSON object a line, as of "tracewright dump"

Events come in the order of time, and are shown a quarter of a second after they were written.
`;

export interface LiveArguments {
  /** What the kernel records. */
  readonly selection: Selection;
  /** What of it is shown. */
  readonly events: FilteredEvents;
  readonly json: boolean;
  /** With its arguments; empty: none. */
  readonly command: readonly string[];
}

/**
 * @returns undefined when help was asked for
 * @throws UsageError
 */
export function liveArguments(args: readonly string[]): LiveArguments | undefined {
  const { values, command } = commandArguments(args, {
    ...EVENT_OPTIONS,
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  });
  if (values.help === true) return undefined;
  const { provider: given = [], ...others } = values;
  const providers = given.map(providerArgument);
  // The kernel knows names, no patterns: where there is one, it records all.
  const named = providers.some((name) => name.includes('*')) ? [] : providers;
  const level = values.level === undefined ? {} : { level: levelArgument(values.level) };
  const keywords = values.keywords === undefined ? {} : { keywords: keywordsArgument(values.keywords) };
  return {
    selection: new Selection({ providers: named, ...level, ...keywords }),
    events: new FilteredEvents({ ...others, ...(providers.length > 0 && { provider: providers }) }),
    json: values.json === true,
    command,
  };
}

/** As events have it: the name in their tracepoint's. */
function providerArgument(text: string): string {
  if (isGuidText(text)) {
    throw new UsageError(`--provider takes a name, not "${text}": providers have no GUID on Linux.`);
  }
  return tracepointProviderPattern(text);
}
