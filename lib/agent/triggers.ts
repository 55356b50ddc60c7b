/** Watches the events of a session, and the time, for what a rule wants events written for. */
import { glob, globs } from '../base/glob.ts';
import { jsonField, type TraceEvent } from '../trace/trace-event.ts';
import { counterValues } from '../view/counter-values.ts';
import { boundaryOf, isFailedStop } from '../view/event-names.ts';
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import type { Trigger } from './settings/agent-settings.ts';

/** The reason names the trigger, for the file. */
type OnTrigger = (reason: Trigger['type']) => void;

interface Watch {
  see?(event: TraceEvent): void;
  /** Called often. */
  tick?(now: number): void;
}

const START = 1;
const STOP = 2;
/** Activities that have not stopped; beyond a limit, the oldest are forgotten. */
const MAX_RUNNING = 20_000;
const NS_PER_MS = 1e6;
/** A counter that has said nothing for this long is no longer beyond its limit. */
const COUNTER_SILENCE_MS = 5000;

/** @param startedAt of the session, in ms */
export function watchTriggers(
  triggers: readonly Trigger[],
  startedAt: number,
  onTrigger: OnTrigger,
): { see: ((event: TraceEvent) => void) | undefined; tick: (now: number) => void } {
  const watches = triggers.map((trigger) => watchOf(trigger, startedAt, () => onTrigger(trigger.type)));
  const seeing = watches.filter(({ see }) => see !== undefined);
  return {
    see:
      seeing.length === 0
        ? undefined
        : (event) => {
            for (const watch of seeing) watch.see?.(event);
          },
    tick: (now) => {
      for (const watch of watches) watch.tick?.(now);
    },
  };
}

/** The providers of a session, and what its triggers need of them. */
export function providersFor(
  providers: readonly TracingProvider[],
  triggers: readonly Trigger[],
): TracingProvider[] {
  const counted = new Set(
    triggers.flatMap((trigger) => (trigger.type === 'counter' ? [trigger.provider] : [])),
  );
  const all = providers.map((provider) => {
    if (!counted.delete(provider.name)) return provider;
    const given = provider.arguments ?? '';
    if (/(^|;)EventCounterIntervalSec=/.test(given)) return provider;
    return { ...provider, arguments: given === '' ? EVERY_SECOND : `${given};${EVERY_SECOND}` };
  });
  for (const name of counted) all.push({ name, keywords: 0n, level: INFORMATIONAL, arguments: EVERY_SECOND });
  return all;
}

const EVERY_SECOND = 'EventCounterIntervalSec=1';
const INFORMATIONAL = 4;

function watchOf(trigger: Trigger, startedAt: number, fire: () => void): Watch {
  switch (trigger.type) {
    case 'startup':
      return startup(fire);
    case 'interval':
      return interval(trigger.intervalMs, startedAt, fire);
    case 'counter':
      return counter(trigger, fire);
    case 'slow':
      return slow(trigger, fire);
    case 'failure':
      return failure(glob(trigger.activity), fire);
    case 'event':
      return eventWatch(trigger, fire);
  }
}

type Of<Type extends Trigger['type']> = Extract<Trigger, { readonly type: Type }>;

function startup(fire: () => void): Watch {
  let isDone = false;
  return {
    tick() {
      if (!isDone) fire();
      isDone = true;
    },
  };
}

function interval(ms: number, startedAt: number, fire: () => void): Watch {
  let due = startedAt + ms;
  return {
    tick(now) {
      if (now < due) return;
      due = Math.max(due + ms, now);
      fire();
    },
  };
}

/** Fires once each time that the value has been beyond the limit for long enough. */
function counter(
  {
    provider,
    counter: name,
    above = Number.POSITIVE_INFINITY,
    below = Number.NEGATIVE_INFINITY,
    forMs,
  }: Of<'counter'>,
  fire: () => void,
): Watch {
  let since: number | undefined;
  let last = 0;
  let hasFired = false;
  return {
    see(event) {
      if (event.name !== 'EventCounters' || event.provider !== provider) return;
      const now = performance.now();
      for (const { name: seen, value } of counterValues(event, '', 1)) {
        if (seen !== name || value === undefined) continue;
        const isBeyond = value > above || value < below;
        if (!isBeyond || now - last > COUNTER_SILENCE_MS) since = undefined;
        last = now;
        if (!isBeyond) hasFired = false;
        else since ??= now;
        if (since === undefined || hasFired || now - since < forMs) continue;
        hasFired = true;
        fire();
      }
    },
  };
}

function slow({ activity, limitMs }: Of<'slow'>, fire: () => void): Watch {
  const matches = glob(activity);
  const limit = BigInt(Math.round(limitMs * NS_PER_MS));
  const starts = new Map<string, bigint>();
  return {
    see(event) {
      const { opcode, activityId, timestamp } = event;
      if (activityId === undefined || (opcode !== START && opcode !== STOP)) return;
      if (!matches(activityName(event))) return;
      if (opcode === START) {
        starts.set(activityId, timestamp);
        if (starts.size > MAX_RUNNING) starts.delete(starts.keys().next().value as string);
        return;
      }
      const start = starts.get(activityId);
      starts.delete(activityId);
      if (start !== undefined && timestamp - start > limit) fire();
    },
  };
}

function failure(matches: (name: string) => boolean, fire: () => void): Watch {
  return {
    see(event) {
      if (boundaryOf(event) === 'Stop' && matches(activityName(event)) && isFailedStop(event)) fire();
    },
  };
}

function eventWatch({ provider, event: name, level, fields }: Of<'event'>, fire: () => void): Watch {
  const [isProvider, isName, hasFields] = [glob(provider), glob(name), globs(fields)];
  const names = Object.keys(fields);
  return {
    see(event) {
      if (level !== undefined && (event.level === 0 || event.level > level)) return;
      if (!isProvider(event.provider) || !isName(event.name)) return;
      if (names.length === 0 || hasFields(textsOf(event, names))) fire();
    },
  };
}

/** Returns those of the fields that the event has; structs and arrays, which have no text of their own, are JSON. */
function textsOf({ payload, hexFields }: TraceEvent, names: readonly string[]): Record<string, string> {
  const texts: [string, string][] = [];
  for (const name of names) {
    if (!Object.hasOwn(payload, name)) continue;
    const value = jsonField(name, payload[name] as TraceEvent['payload'][string], hexFields);
    texts.push([name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  }
  return Object.fromEntries(texts);
}

/** `Request` of `RequestStart` and `Request/Stop`. */
function activityName({ name }: TraceEvent): string {
  return name.replace(/\/?(?:Start|Stop)$/, '');
}
