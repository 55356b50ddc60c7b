/** The filter options of commands, and the test of an event. */
import { glob } from '../../base/glob.ts';
import type { Nanoseconds, TraceEvent } from '../../trace/trace-event.ts';
import { boundaryOf, isFailedStop } from '../../view/event-names.ts';
import { isGuidText } from '../../wire/guid.ts';
import { keywordsArgument, levelArgument } from '../argument-values.ts';
import type { OptionValues } from '../file-arguments.ts';
import { UsageError } from '../parse-options.ts';
import { providerTest } from './provider-name.ts';

/** The tests that do not depend on the start of the trace. */
export const EVENT_OPTIONS = {
  provider: { type: 'string', multiple: true },
  event: { type: 'string', multiple: true },
  level: { type: 'string' },
  keywords: { type: 'string' },
  activity: { type: 'string', multiple: true },
  failed: { type: 'boolean' },
} as const;

export const FILTER_OPTIONS = {
  ...EVENT_OPTIONS,
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

export const EVENT_USAGE = `  --event NAME     only this event: its name (RequestStart, Request/Start, * for any text) or its id; can be
                   repeated
  --level LEVEL    only events at this level or more severe: 1 to 5 or critical, error, warning, informational,
                   verbose
  --keywords HEX   only events with one of these keywords, or without keywords
  --activity ID    only events of this activity and those nested in it: a path (//1/1, or /#4321/1/1/ of one
                   process) or a GUID; can be repeated
  --failed         only the stops of failed activities
`;

export const FILTER_USAGE = `  --provider NAME  only events of this provider: its name (* for any text) or its GUID; can be repeated
${EVENT_USAGE}  --from, --to T   only events in this period: seconds since the start of the trace (1.5, 200ms) or a date
                   (2024-05-17T10:20:30Z)
`;

export type EventFilterValues = OptionValues<typeof FILTER_OPTIONS>;
export type EventFilter = (event: TraceEvent) => boolean;

/** @throws UsageError */
export function eventFilter(values: EventFilterValues): EventFilter {
  const tests: EventFilter[] = [];
  if (values.level !== undefined) tests.push(levelTest(values.level));
  if (values.keywords !== undefined) {
    const any = keywordsArgument(values.keywords);
    tests.push(({ keywords }) => keywords === 0n || (keywords & any) !== 0n);
  }
  if (values.provider !== undefined) tests.push(anyOf(values.provider.map(providerTest)));
  if (values.event !== undefined) tests.push(anyOf(values.event.map(eventTest)));
  if (values.from !== undefined) {
    const from = timeArgument('--from', values.from);
    tests.push((event) => from.of(event) >= from.ns);
  }
  if (values.to !== undefined) {
    const to = timeArgument('--to', values.to);
    tests.push((event) => to.of(event) <= to.ns);
  }
  if (values.activity !== undefined) tests.push(anyOf(values.activity.map(activityTest)));
  if (values.failed === true) tests.push((event) => boundaryOf(event) === 'Stop' && isFailedStop(event));
  return (event) => tests.every((test) => test(event));
}

function anyOf(tests: readonly EventFilter[]): EventFilter {
  return (event) => tests.some((test) => test(event));
}

/** Every session gets events of level 0. */
function levelTest(text: string): EventFilter {
  const level = levelArgument(text);
  return (event) => event.level <= level;
}

function eventTest(text: string): EventFilter {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    return (event) => event.id === id;
  }
  const matches = glob(text);
  return (event) =>
    matches(event.name) || (event.taskName !== undefined && matches(`${event.taskName}/${event.opcodeName}`));
}

/** The process and the rest of a path as PerfView prints it: `/#4321/1/1/`. */
const PERFVIEW_PATH = /^\/#(\d+)(\/.*)$/;

function activityTest(text: string): EventFilter {
  if (isGuidText(text)) {
    const guid = text.toLowerCase();
    return (event) => event.activityId === guid;
  }
  const [, processId, rest] = PERFVIEW_PATH.exec(text) ?? [];
  const path = rest === undefined ? text : `/${rest}`;
  if (!/^\/\/\d+(?:[/$]\d+)*\/?$/.test(path)) {
    throw new UsageError(
      `--activity takes a path (//1/1, or /#4321/1/1/ of one process) or a GUID, not "${text}".`,
    );
  }
  const below = new RegExp(`^${path.replace(/\/$/, '').replaceAll('$', '\\$')}(?:[/$]|$)`);
  return ({ activityPath, processId: ofEvent }) =>
    activityPath !== undefined &&
    below.test(activityPath) &&
    (processId === undefined || ofEvent === Number(processId));
}

/** A time as given on the command line. */
interface TimeArgument {
  readonly ns: Nanoseconds;
  /** The time of an event to compare it with. */
  of(event: TraceEvent): Nanoseconds;
}

const NS_PER_UNIT: Readonly<Record<string, number>> = { '': 1e9, s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

/**
 * @param text since the start of the trace: a number, in seconds unless it has a unit; otherwise a date
 * @throws UsageError
 */
function timeArgument(option: string, text: string): TimeArgument {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?(s|ms|us|ns)?$/.exec(text) ?? [];
  if (number !== undefined) {
    const ns = BigInt(Math.round(Number(number) * (NS_PER_UNIT[unit] as number)));
    return { ns, of: (event) => event.timeSinceStart };
  }
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) {
    throw new UsageError(
      `${option} takes seconds since the start of the trace (1.5, 200ms) or a date (2024-05-17T10:20:30Z), not "${text}".`,
    );
  }
  return { ns: BigInt(ms) * 1_000_000n, of: (event) => event.timestamp };
}
