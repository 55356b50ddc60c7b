/**
 * Watches events for triggers: activities that take too long or fail, and errors. It runs during each event of this
 * thread, so it only reports them.
 */

import { Guid } from '../activity/guid.ts';
import { PassingMap } from '../base/passing-map.ts';
import type { EventWatch } from '../eventpipe/event-kinds.ts';
import type { GuidWords } from '../wire/guid.ts';
import type { EventSchema } from '../wire/schema.ts';

/** The limit for an activity: milliseconds, or a multiple of the 99th percentile of its name. */
export type SlowLimit = number | { readonly timesP99: number };

export interface ActivityTriggers {
  /** The key is an activity's name; `*` is every other. */
  readonly slow?: Readonly<Record<string, SlowLimit>> | undefined;
  /** Whether the Stop of a failed activity is a trigger. */
  readonly failure?: boolean | undefined;
  /** Whether an event of level Error or Critical is a trigger. */
  readonly error?: boolean | undefined;
}

/**
 * Called during an event, with the trigger, a sentence about it, which is made only if it is needed, and the activity
 * that was slow or failed, if that is it.
 */
export type OnTrigger = (trigger: string, details: () => string, activityId?: GuidWords) => void;

const START = 1;
const STOP = 2;
const ERROR_LEVEL = 2;
const NS_PER_US = 1000;
/** Activities that have not stopped yet; beyond a limit, the oldest are dropped. */
const MAX_RUNNING = 20_000;
const EVERY = '*';

/** What to do for all events of a kind. */
interface Watched {
  readonly isError: boolean;
  /** Whether it starts an activity that has a limit. */
  readonly starts: boolean;
  /** The limit of the activity that the event starts or stops. */
  readonly limit: DurationLimit | undefined;
}

export class ActivityWatch {
  readonly #triggers: ActivityTriggers;
  readonly #onTrigger: OnTrigger;
  readonly #startTimes = new PassingMap<Guid | string, bigint>();
  /** Weak, because sources discard schemas of self-describing events and make them anew. */
  readonly #watched = new WeakMap<EventSchema, Watched>();
  /** The key is the name of the activity. */
  readonly #limits = new Map<string, DurationLimit>();

  constructor(triggers: ActivityTriggers, onTrigger: OnTrigger) {
    this.#triggers = triggers;
    this.#onTrigger = onTrigger;
  }

  readonly watch: EventWatch = (schema, hasFailed, activityId, time) => {
    const { isError, starts, limit } = this.#watched.get(schema) ?? this.#watch(schema);
    if (starts) this.#start(activityId, time);
    else if (limit !== undefined) this.#stop(schema, limit, activityId, time);
    if (hasFailed && this.#triggers.failure === true) {
      this.#onTrigger('failure', () => `${activityName(schema)} has failed.`, activityId);
    }
    if (isError) this.#onTrigger('error', () => `The event ${schema.name} has level ${schema.level}.`);
  };

  #watch(schema: EventSchema): Watched {
    const { error } = this.#triggers;
    const { opcode, level } = schema;
    const limit = opcode === START || opcode === STOP ? this.#limitOf(activityName(schema)) : undefined;
    const watched = {
      isError: error === true && level > 0 && level <= ERROR_LEVEL,
      starts: opcode === START && limit !== undefined,
      limit,
    };
    this.#watched.set(schema, watched);
    return watched;
  }

  #limitOf(name: string): DurationLimit | undefined {
    const { slow = {} } = this.#triggers;
    const wanted = Object.hasOwn(slow, name) ? slow[name] : slow[EVERY];
    if (wanted === undefined) return undefined;
    const limit = this.#limits.get(name) ?? new DurationLimit(wanted);
    this.#limits.set(name, limit);
    return limit;
  }

  #start(activityId: GuidWords | undefined, time: bigint): void {
    if (activityId === undefined) return;
    const times = this.#startTimes;
    times.set(keyOf(activityId), time);
    if (times.size > MAX_RUNNING) times.delete(times.firstKey as Guid | string);
  }

  #stop(schema: EventSchema, limit: DurationLimit, activityId: GuidWords | undefined, time: bigint): void {
    const key = activityId && keyOf(activityId);
    const startTime = key === undefined ? undefined : this.#startTimes.get(key);
    if (key === undefined || startTime === undefined) return;
    this.#startTimes.delete(key);
    const us = Number(time - startTime) / NS_PER_US;
    if (!limit.isExceededBy(us)) return;
    this.#onTrigger('slow', () => `${activityName(schema)} took ${(us / 1000).toFixed(1)} ms.`, activityId);
  }
}

function activityName({ name }: EventSchema): string {
  return name.replace(/(?:Start|Stop)$/, '');
}

/** An activity of this thread has one object as its id; those of workers arrive as words. */
function keyOf(id: GuidWords): Guid | string {
  return id instanceof Guid ? id : `${id.w0} ${id.w1} ${id.w2} ${id.w3}`;
}

/** Four per power of two of microseconds. */
const BUCKETS = 128;
const BUCKETS_PER_OCTAVE = 4;
/** A percentile of fewer values is meaningless. */
const MIN_DURATIONS = 200;
/** After this many values, older ones count half. */
const MAX_DURATIONS = 20_000;

class DurationLimit {
  readonly #limit: SlowLimit;
  readonly #counts = new Float64Array(BUCKETS);
  #count = 0;
  #p99Us = Number.POSITIVE_INFINITY;

  constructor(limit: SlowLimit) {
    this.#limit = limit;
  }

  isExceededBy(us: number): boolean {
    if (typeof this.#limit === 'number') return us > this.#limit * 1000;
    const isExceeded = us > this.#p99Us * this.#limit.timesP99;
    const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log2(us) * BUCKETS_PER_OCTAVE)));
    (this.#counts[bucket] as number)++;
    if (++this.#count % MIN_DURATIONS === 0) this.#update();
    return isExceeded;
  }

  #update(): void {
    let above = 0;
    let bucket = BUCKETS;
    while (above <= this.#count / 100 && bucket > 0) above += this.#counts[--bucket] as number;
    this.#p99Us = 2 ** (bucket / BUCKETS_PER_OCTAVE);
    if (this.#count < MAX_DURATIONS) return;
    for (let i = 0; i < BUCKETS; i++) (this.#counts[i] as number) /= 2;
    this.#count /= 2;
  }
}
