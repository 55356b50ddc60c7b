/** Which activities `tracewright view` selects. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { TracedActivity } from '../../view/traced-activity.ts';
import { countArgument } from '../argument-values.ts';
import type { OptionValues } from '../file-arguments.ts';
import { UsageError } from '../parse-options.ts';
import { eventFilter } from '../trace/event-filter.ts';
import { MAX_KEPT } from '../trace/filtered-events.ts';
import { providerTest } from '../trace/provider-name.ts';

export const SELECTION_OPTIONS = {
  activity: { type: 'string' },
  name: { type: 'string' },
  slowest: { type: 'string' },
  where: { type: 'string', multiple: true },
  failed: { type: 'boolean' },
} as const;

export const SELECTION_USAGE = `  --activity ID    only this activity and those in it: a path (//1/1, or /#4321/1/1/ of one process) or a GUID
  --name NAME      only activities with this name (Request or MyCompany-MyService/Request)
  --slowest N      only the N slowest, the slowest first
  --where F=VALUE  only activities whose field F is VALUE, in one of their own events, otherwise in one of an activity
                   around them, otherwise in those in them, if these agree; can be repeated: all must match
  --failed         only failed activities
                   A tree also shows what is in the selected activities; --stats counts it only for
                   --activity.
`;

export interface Selection {
  /** What the user selected, for a message that it does not exist; undefined for all. */
  readonly wanted: string | undefined;
  /** Whether the activity with this start is selected. */
  readonly isWanted: (event: TraceEvent) => boolean;
  /** Whether to show the activity with everything in it. */
  readonly isRoot: ((event: TraceEvent, activity: TracedActivity) => boolean) | undefined;
  readonly slowest: number | undefined;
  /** The fields that it must have. */
  readonly where: Readonly<Record<string, string>> | undefined;
  readonly isFailed: boolean;
  /** Whether statistics count what is in a selected activity. */
  readonly isInsideCounted: boolean;
  /** Names of activities other than the selected one; none if it exists. */
  readonly otherNames: ReadonlySet<string>;
}

/** @throws UsageError */
export function selection(values: OptionValues<typeof SELECTION_OPTIONS>): Selection {
  const { activity, name } = values;
  const isWanted = activity === undefined ? () => true : eventFilter({ activity: [activity] });
  const otherNames = new Set<string>();
  const hasName = name === undefined ? () => true : nameTest(name, otherNames);
  const slowest = values.slowest === undefined ? undefined : countArgument('--slowest', values.slowest);
  const where = values.where === undefined ? undefined : whereArgument(values.where);
  const isFailed = values.failed === true;
  const isAny = activity === undefined && name === undefined;
  return {
    wanted: isAny ? undefined : [name, activity].filter((text) => text !== undefined).join(' '),
    isWanted,
    isRoot: isAny ? undefined : (event, found) => isWanted(event) && hasName(event, found),
    slowest,
    where,
    isFailed,
    isInsideCounted: activity !== undefined && name === undefined,
    otherNames,
  };
}

/** @param others receives the names of the others */
function nameTest(
  text: string,
  others: Set<string>,
): (start: TraceEvent, activity: TracedActivity) => boolean {
  const wanted = text.toLowerCase();
  const hasProvider = new Map<string, (event: TraceEvent) => boolean>();
  const isOfWanted = (start: TraceEvent, task: string) => {
    // Task names may contain a slash, too.
    if (!wanted.endsWith(`/${task}`)) return false;
    const provider = wanted.slice(0, -task.length - 1);
    const test = hasProvider.get(provider) ?? providerTest(provider);
    hasProvider.set(provider, test);
    return test(start);
  };
  return (start, { name, task }) => {
    const lowerTask = task.toLowerCase();
    if (lowerTask === wanted || isOfWanted(start, lowerTask)) return true;
    if (others.size < MAX_KEPT) others.add(name);
    return false;
  };
}

/** @throws UsageError */
function whereArgument(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
    throw new UsageError(`--where takes a field and its value (user=alice), not "${text}".`);
  });
  const where = Object.fromEntries(pairs);
  if (Object.keys(where).length < pairs.length) {
    throw new UsageError(`--where takes one value of each field, not ${texts.join(' and ')}.`);
  }
  return where;
}
