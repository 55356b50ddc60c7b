/** Which activities `tracewright view` is asked for. */
import type { TraceEvent } from '../trace/trace-event.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import { eventFilter } from './event-filter.ts';
import type { OptionValues } from './file-arguments.ts';
import { UsageError } from './usage-error.ts';

export const SELECTION_OPTIONS = {
  activity: { type: 'string' },
  name: { type: 'string' },
  slowest: { type: 'string' },
} as const;

export const SELECTION_USAGE = `  --activity ID    only this activity: a path (//1/1, or /#4321/1/1/ of one process) or a GUID
  --name NAME      only activities of this name (Request or MyCompany-MyService/Request)
  --slowest N      only the N that took longest, the slowest first
`;

export interface Selection {
  /** What the user asked for, for a message that there is none; undefined: all. */
  readonly wanted: string | undefined;
  /** Whether the start belongs to it. */
  readonly isWanted: (event: TraceEvent) => boolean;
  /** Whether the activity is one to show with all that is in it. */
  readonly isRoot: ((event: TraceEvent, activity: TracedActivity) => boolean) | undefined;
  readonly slowest: number | undefined;
}

/** @throws UsageError */
export function selection(values: OptionValues<typeof SELECTION_OPTIONS>): Selection {
  const { activity, name } = values;
  const isWanted = activity === undefined ? () => true : eventFilter({ activity: [activity] });
  const hasName = name === undefined ? () => true : nameTest(name);
  const slowest = values.slowest === undefined ? undefined : countArgument('--slowest', values.slowest);
  if (activity === undefined && name === undefined) {
    return { wanted: undefined, isWanted, isRoot: undefined, slowest };
  }
  const wanted = [name, activity].filter((text) => text !== undefined).join(' ');
  return { wanted, isWanted, isRoot: (event, found) => isWanted(event) && hasName(found), slowest };
}

function nameTest(text: string): (activity: TracedActivity) => boolean {
  const wanted = text.toLowerCase();
  return ({ name, task }) => task.toLowerCase() === wanted || name.toLowerCase() === wanted;
}

function countArgument(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} takes a number from 1, not "${text}".`);
  return Number(text);
}
