/** The filter options of commands, and the test of an event. */
import { glob } from '../../base/glob.ts';
import type { Nanoseconds, TraceEvent } from '../../trace/trace-event.ts';
import { boundaryOf, isFailedStop } from '../../view/event-names.ts';
import { isGuidText } from '../../wire/guid.ts';
import { KEYWORDS, level, text } from '../argument-values.ts';
import { flag, type OptionRows, type OptionValues, ValueKind } from '../parse-options.ts';
import { providerTest } from './provider-name.ts';

export type EventFilter = (event: TraceEvent) => boolean;

/** An activity as given on the command line. */
type ActivityArgument = {
  readonly text: string;
  readonly has: EventFilter;
};

export const ACTIVITY = new ValueKind<ActivityArgument>(
  'ID',
  'a path (//1/1, or /#4321/1/1/ of one process) or a GUID',
  (given) => {
    const has = activityTest(given);
    return has && { text: given, has };
  },
);

/** A time as given on the command line. */
type TimeArgument = {
  readonly ns: Nanoseconds;
  /** The time of an event to compare it with. */
  of(event: TraceEvent): Nanoseconds;
};

const NS_PER_UNIT: Readonly<Record<string, number>> = { '': 1e9, s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

const TRACE_TIME = new ValueKind<TimeArgument>(
  'T',
  'seconds since the start of the trace (1.5, 200ms) or a date (2024-05-17T10:20:30Z)',
  (given) => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?(s|ms|us|ns)?$/.exec(given) ?? [];
    if (number !== undefined) {
      const ns = BigInt(Math.round(Number(number) * (NS_PER_UNIT[unit] as number)));
      return { ns, of: (event) => event.timeSinceStart };
    }
    const ms = Date.parse(given);
    return Number.isNaN(ms) ? undefined : { ns: BigInt(ms) * 1_000_000n, of: (event) => event.timestamp };
  },
);

/** The tests that do not depend on the start of the trace. */
export const EVENT_OPTIONS = {
  provider: text('NAME', 'the name of a provider').repeated(`only events of this provider: its name (* for any
      text) or its GUID`),
  event: text('NAME', 'the name of an event').repeated(`only this event: its name (RequestStart,
      Request/Start, * for any text) or its id`),
  level: level().option(`only events at this level or more severe: 1 to 5 or critical, error, warning,
      informational, verbose`),
  keywords: KEYWORDS.option('only events with one of these keywords, or without keywords'),
  activity: ACTIVITY.repeated(`only events of this activity and those nested in it: a path (//1/1, or
      /#4321/1/1/ of one process) or a GUID`),
  failed: flag('only the stops of failed activities'),
} as const satisfies OptionRows;

export const FILTER_OPTIONS = {
  ...EVENT_OPTIONS,
  from: TRACE_TIME.option(`only events from this time on: seconds since the start of the trace (1.5, 200ms) or
      a date (2024-05-17T10:20:30Z)`),
  to: TRACE_TIME.option('only events up to this time'),
} as const satisfies OptionRows;

export type EventFilterValues = OptionValues<typeof FILTER_OPTIONS>;

export function eventFilter(values: EventFilterValues): EventFilter {
  const tests: EventFilter[] = [];
  const { level, keywords, provider, event, from, to, activity } = values;
  // Every session gets events of level 0.
  if (level !== undefined) tests.push((event) => event.level <= level);
  if (keywords !== undefined) {
    tests.push((event) => event.keywords === 0n || (event.keywords & keywords) !== 0n);
  }
  if (provider !== undefined) tests.push(anyOf(provider.map(providerTest)));
  if (event !== undefined) tests.push(anyOf(event.map(eventTest)));
  if (from !== undefined) tests.push((event) => from.of(event) >= from.ns);
  if (to !== undefined) tests.push((event) => to.of(event) <= to.ns);
  if (activity !== undefined) tests.push(anyOf(activity.map(({ has }) => has)));
  if (values.failed === true) tests.push((event) => boundaryOf(event) === 'Stop' && isFailedStop(event));
  return (event) => tests.every((test) => test(event));
}

function anyOf(tests: readonly EventFilter[]): EventFilter {
  return (event) => tests.some((test) => test(event));
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

/** @returns undefined if the text is neither a path nor a GUID */
function activityTest(text: string): EventFilter | undefined {
  if (isGuidText(text)) {
    const guid = text.toLowerCase();
    return (event) => event.activityId === guid;
  }
  const [, processId, rest] = PERFVIEW_PATH.exec(text) ?? [];
  const path = rest === undefined ? text : `/${rest}`;
  if (!/^\/\/\d+(?:[/$]\d+)*\/?$/.test(path)) return undefined;
  const below = new RegExp(`^${path.replace(/\/$/, '').replaceAll('$', '\\$')}(?:[/$]|$)`);
  return ({ activityPath, processId: ofEvent }) =>
    activityPath !== undefined &&
    below.test(activityPath) &&
    (processId === undefined || ofEvent === Number(processId));
}
