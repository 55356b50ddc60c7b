/** Events for tests of the views, written concisely. */
import { TraceEvent } from '../../lib/trace/trace-event.ts';
import type { Payload } from '../../lib/wire/decoded-field.ts';
import { pathId } from './path-id.ts';

export interface WrittenEvent {
  /** With the provider's, if it is another one than `Demo`: `Other/RequestStart`. */
  readonly name: string;
  /** In milliseconds. */
  readonly at: number;
  /** A path (`//1/1/6`) or a GUID. */
  readonly id?: string;
  readonly related?: string;
  readonly opcode?: number;
  /** Informational if it is not given. */
  readonly level?: number;
  readonly taskName?: string;
  /** 4321 if it is not given. */
  readonly processId?: number;
  readonly threadId?: number;
  readonly payload?: Payload;
  /** Innermost frame first. */
  readonly stack?: readonly bigint[];
  /** Of the trace, in nanoseconds; 0 if it is not given. */
  readonly startTime?: bigint;
}

/** An event of a trace. */
export function written(event: WrittenEvent): TraceEvent {
  return new Written(event);
}

class Written extends TraceEvent {
  readonly provider: string;
  readonly name: string;
  readonly opcode: number;
  readonly taskName: string | undefined;
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly timestamp: bigint;
  readonly activityId: string | undefined;
  readonly relatedActivityId: string | undefined;
  readonly payload: Payload;
  readonly providerGuid: undefined;
  readonly id = 0;
  readonly version = 0;
  readonly level: number;
  readonly opcodeName: undefined;
  readonly task = 0;
  readonly keywords = 0n;
  readonly channel = 0;
  readonly processor: undefined;
  readonly payloadProblem: undefined;
  readonly payloadBytes: Uint8Array = new Uint8Array();
  readonly stack: readonly bigint[] | undefined;
  readonly position = 0;
  readonly timeSinceStart: bigint;

  constructor(event: WrittenEvent) {
    super();
    const slash = event.name.indexOf('/');
    this.provider = slash < 0 ? 'Demo' : event.name.slice(0, slash);
    this.name = event.name.slice(slash + 1);
    this.opcode = event.opcode ?? 0;
    this.level = event.level ?? 4;
    this.taskName = event.taskName;
    this.processId = event.processId ?? 4321;
    this.threadId = event.threadId ?? 1;
    this.timeSinceStart = BigInt(Math.round(event.at * 1e6));
    this.timestamp = (event.startTime ?? 0n) + this.timeSinceStart;
    this.activityId = event.id === undefined ? undefined : idOf(event.id);
    this.relatedActivityId = event.related === undefined ? undefined : idOf(event.related);
    this.payload = event.payload ?? {};
    this.stack = event.stack;
  }
}

function idOf(text: string): string {
  return text.startsWith('/') ? pathId(text) : text;
}

/** Starts and stops of activities, in the order of time. */
export function during(
  ...activities: [task: string, id: string, from: number, to?: number][]
): WrittenEvent[] {
  return activities
    .flatMap(([task, id, from, to]) => [
      { name: `${task}Start`, id, at: from },
      ...(to === undefined ? [] : [{ name: `${task}Stop`, id, at: to }]),
    ])
    .sort((a, b) => a.at - b.at);
}
