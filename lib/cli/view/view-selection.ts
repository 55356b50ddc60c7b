/** Which activities `tracewright view` selects. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { TracedActivity } from '../../view/traced-activity.ts';
import { count, text } from '../argument-values.ts';
import { flag, type OptionRows, type OptionValues, UsageError, ValueKind } from '../parse-options.ts';
import { ACTIVITY } from '../trace/event-filter.ts';
import { MAX_KEPT } from '../trace/filtered-events.ts';
import { providerTest } from '../trace/provider-name.ts';

export const FIELD_VALUE = new ValueKind('F=VALUE', 'a field and its value (user=alice)', (given) => {
  const at = given.indexOf('=');
  return at > 0 ? ([given.slice(0, at), given.slice(at + 1)] as const) : undefined;
});

export const SELECTION_OPTIONS = {
  slowest: count('N', 1).option('only the N slowest, the slowest first'),
  activity: ACTIVITY.option(`only this activity and those in it: ${ACTIVITY.takes}`),
  name: text('NAME', 'the name of activities').option(`only activities with this name (Request or
      MyCompany-MyService/Request)`),
  where: FIELD_VALUE.repeated(`only activities whose field F is VALUE, in one of their own events, otherwise
      in one of an activity around them, otherwise in those in them, if these agree: all must match`),
  failed: flag('only failed activities'),
} as const satisfies OptionRows;

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
  const isWanted = activity?.has ?? (() => true);
  const otherNames = new Set<string>();
  const hasName = name === undefined ? () => true : nameTest(name, otherNames);
  const where = values.where === undefined ? undefined : whereArgument(values.where);
  const isFailed = values.failed === true;
  const isAny = activity === undefined && name === undefined;
  return {
    wanted: isAny ? undefined : [name, activity?.text].filter((text) => text !== undefined).join(' '),
    isWanted,
    isRoot: isAny ? undefined : (event, found) => isWanted(event) && hasName(event, found),
    slowest: values.slowest,
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
function whereArgument(pairs: readonly (readonly [field: string, value: string])[]): Record<string, string> {
  const where = Object.fromEntries(pairs);
  if (Object.keys(where).length === pairs.length) return where;
  const texts = pairs.map((pair) => pair.join('='));
  throw new UsageError(`--where takes one value of each field, not ${texts.join(' and ')}.`);
}
