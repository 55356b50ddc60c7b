/**
 * What an event's name says about activities: whether it starts or stops one, which task that is, and how PerfView
 * prints the event.
 *
 * Source: "EventSource Activity Support": events whose names end with Start and Stop are the ends of an activity.
 */

import { isClientTask, saysFailure } from '../known/failures.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { bridgedActivity } from './spans.ts';

/** Which end of an activity an event marks. */
export type Boundary = 'Start' | 'Stop';

type NamedEvent = Pick<TraceEvent, 'name' | 'opcode' | 'taskName' | 'provider'>;

const OPCODE_INFO = 0;
const OPCODE_START = 1;
const OPCODE_STOP = 2;

/** Which end of an activity the event is. EventPipe traces may omit the opcode, which .NET infers from the name. */
export function boundaryOf({ opcode, name }: NamedEvent): Boundary | undefined {
  switch (opcode) {
    case OPCODE_START:
      return 'Start';
    case OPCODE_STOP:
      return 'Stop';
    case OPCODE_INFO:
      return boundaryInName(name);
    default:
      return undefined;
  }
}

/** A rundown's `ModuleDCStart` starts nothing: it says what was there when the collection of data started. */
function boundaryInName(name: string): Boundary | undefined {
  const boundary = name.endsWith('Start') ? 'Start' : name.endsWith('Stop') ? 'Stop' : undefined;
  return boundary !== undefined && name.endsWith(`DC${boundary}`) ? undefined : boundary;
}

/**
 * The name shared by a start and its stop: `Request` for `RequestStart`, for `Request/Start`, or from a task's name.
 */
function taskOf(event: NamedEvent, boundary: Boundary): string {
  return taskInName(event.name, boundary) ?? event.taskName ?? event.name;
}

/** Whether the Stop is that of a failed activity. */
export function isFailedStop(stop: NamedEvent & Pick<TraceEvent, 'payload'>): boolean {
  return (
    bridgedActivity(stop)?.isFailed ??
    saysFailure(stop.payload, isClientTask(stop.provider, taskOf(stop, 'Stop')))
  );
}

function taskInName(name: string, boundary: Boundary): string | undefined {
  if (!name.endsWith(boundary)) return undefined;
  const task = name.slice(0, -boundary.length).replace(/\/$/, '');
  return task === '' ? undefined : task;
}

/** What all activities with one name share. */
export interface ActivityNaming {
  readonly provider: string;
  readonly task: string;
  /** `MyCompany-MyService/Request` */
  readonly name: string;
}

/** Beyond this number, which only hostile traces reach, the known names are dropped. */
const MAX_NAMINGS = 10_000;

/** Creates each name once, for all activities and events that have it. */
export class ActivityNamings {
  readonly #byEvent = new Map<string, Map<string, ActivityNaming>>();
  readonly #byTask = new Map<string, Map<string, ActivityNaming>>();
  #count = 0;

  /** The name of the activity that an event starts or stops. */
  ofEvent(event: NamedEvent, boundary: Boundary): ActivityNaming {
    const { provider, name } = event;
    const known = this.#byEvent.get(provider)?.get(name);
    if (known !== undefined) return known;
    const task = taskInName(name, boundary);
    // Without a task in their name, events with one name may belong to different tasks.
    if (task === undefined) return this.of(provider, event.taskName ?? name);
    const naming = this.of(provider, task);
    this.#keep(this.#byEvent, provider, name, naming);
    return naming;
  }

  of(provider: string, task: string): ActivityNaming {
    const known = this.#byTask.get(provider)?.get(task);
    if (known !== undefined) return known;
    const naming = { provider, task, name: `${provider}/${task}` };
    this.#keep(this.#byTask, provider, task, naming);
    return naming;
  }

  #keep(
    namings: Map<string, Map<string, ActivityNaming>>,
    provider: string,
    key: string,
    naming: ActivityNaming,
  ): void {
    if (this.#count++ === MAX_NAMINGS) {
      this.#byEvent.clear();
      this.#byTask.clear();
      this.#count = 1;
    }
    const ofProvider = namings.get(provider);
    if (ofProvider === undefined) namings.set(provider, new Map([[key, naming]]));
    else ofProvider.set(key, naming);
  }
}

/** The event in PerfView's format: `MyCompany-MyService/Request/Start`. */
export function eventName(event: NamedEvent): string {
  const boundary = boundaryOf(event);
  const name = boundary === undefined ? event.name : `${taskOf(event, boundary)}/${boundary}`;
  return `${event.provider}/${name}`;
}
