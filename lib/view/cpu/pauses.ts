/** What stopped the JavaScript of a thread: garbage collections, and how late its event loop was. */
import { ACTIVITY_SWITCH } from '../../activity/switches.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';
import type { TraceActivities } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ActivityCharges } from './activity-charges.ts';

export interface Pause {
  readonly name: string;
  /** Nanoseconds since the start of the trace. */
  readonly startNs: number;
  readonly durationNs: number;
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** What the thread ran when it began, if that is known. */
  activity: TracedActivity | undefined;
}

const NODE = ACTIVITY_SWITCH.provider;
const NODE_ON_LINUX = tracepointProviderName(NODE);
const NS_PER_MS = 1e6;
/** Shorter ones are nobody's problem. */
const MIN_COLLECTION_NS = 1e6;
const MIN_DELAY_NS = 20e6;
const MAX_PAUSES = 200_000;

export class Pauses {
  /** Further pauses that are not kept. */
  omitted = 0;
  readonly #pauses: Pause[] = [];
  readonly #charges: ActivityCharges<TracedActivity | undefined, Pause>;

  /** @param activities has had all events so far */
  constructor(activities: TraceActivities) {
    this.#charges = new ActivityCharges(
      (event) => activities.activityOf(event),
      (pause, run) => {
        pause.activity = run?.activity;
      },
    );
  }

  /** Takes any event in time order. */
  add(event: TraceEvent): void {
    if (event.provider !== NODE && event.provider !== NODE_ON_LINUX) return;
    this.#charges.addSwitch(event);
    const pause = pauseOf(event);
    if (pause === undefined) return;
    if (this.#pauses.length >= MAX_PAUSES) {
      this.omitted++;
      return;
    }
    this.#pauses.push(pause);
    if (event.name === 'GarbageCollection') this.#charges.addSample(event, pause, pause.startNs);
  }

  /** Call this after the last event. @returns in order of their starts */
  end(): readonly Pause[] {
    this.#charges.end();
    return this.#pauses.sort((a, b) => a.startNs - b.startNs);
  }
}

function pauseOf({ name, payload, processId, threadId, timeSinceStart }: TraceEvent): Pause | undefined {
  const nowNs = Number(timeSinceStart);
  const ofThread = { processId, threadId, activity: undefined };
  if (name === 'GarbageCollection') {
    const durationNs = Number(payload.durationMSec) * NS_PER_MS;
    const startNs = nowNs - Number(payload.startedAgoMSec) * NS_PER_MS;
    if (!(durationNs >= MIN_COLLECTION_NS && startNs <= nowNs)) return undefined;
    return { name: `Garbage collection: ${payload.kind}`, startNs, durationNs, ...ofThread };
  }
  if (name !== 'EventLoop') return undefined;
  const durationNs = Number(payload.delayMaxMSec) * NS_PER_MS;
  if (!(durationNs >= MIN_DELAY_NS)) return undefined;
  return { name: 'Event loop: longest delay in the second before', startNs: nowNs, durationNs, ...ofThread };
}
