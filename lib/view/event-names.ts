/**
 * What an event's name says about activities: whether it starts or stops one, which task that is, and how PerfView
 * prints the event.
 *
 * Source: "EventSource Activity Support": events whose names end with Start and Stop are the ends of an activity.
 */
import type { TraceEvent } from '../trace/trace-event.ts';

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
      return name.endsWith('Start') ? 'Start' : name.endsWith('Stop') ? 'Stop' : undefined;
    default:
      return undefined;
  }
}

/**
 * The name shared by a start and its stop: `Request` for `RequestStart`, for `Request/Start`, or from a task's name.
 */
export function taskOf(event: NamedEvent, boundary: Boundary): string {
  const { name, taskName } = event;
  if (!name.endsWith(boundary)) return taskName ?? name;
  const task = name.slice(0, -boundary.length).replace(/\/$/, '');
  return task === '' ? (taskName ?? name) : task;
}

/** The event in PerfView's format: `MyCompany-MyService/Request/Start`. */
export function eventName(event: NamedEvent): string {
  const boundary = boundaryOf(event);
  const name = boundary === undefined ? event.name : `${taskOf(event, boundary)}/${boundary}`;
  return `${event.provider}/${name}`;
}
