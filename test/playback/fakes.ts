/** Events, classes and traces for the playback's tests. */
import type { ByteSource } from '../../lib/trace/byte-source.ts';
import { Trace } from '../../lib/trace/trace.ts';
import { type Nanoseconds, TraceEvent } from '../../lib/trace/trace-event.ts';
import type { Payload } from '../../lib/wire/decoded-field.ts';

/** 2011-01-23: a time at which doubles are no longer exact to the nanosecond. */
export const EPOCH = 1_295_800_000_000_000_000n;

/** Seconds after `EPOCH`. */
export const at = (seconds: number): Nanoseconds => EPOCH + BigInt(Math.round(seconds * 1e9));

/** Milliseconds since 1970, as the scheduler tells them, in seconds after `EPOCH`. */
export const secondsOf = (milliseconds: number): number =>
  Math.round(milliseconds - Number(EPOCH) / 1e6) / 1000;

/** An event with a number, that occurred so many seconds after `EPOCH`. */
export class Numbered {
  readonly number: number;
  readonly time: Nanoseconds;

  constructor(number: number, seconds: number) {
    this.number = number;
    this.time = at(seconds);
  }
}
export class A extends Numbered {}
export class B extends A {}
export class C extends Numbered {}

export const timeOf = (event: { readonly time: Nanoseconds }) => event.time;

interface FakeEventProperties {
  readonly provider?: string;
  readonly providerGuid?: string;
  readonly name?: string;
  readonly id?: number;
  readonly version?: number;
  readonly seconds?: number;
  readonly activityId?: string;
  readonly payload?: Payload;
}

export class FakeTraceEvent extends TraceEvent {
  readonly provider: string;
  readonly providerGuid: string | undefined;
  readonly name: string;
  readonly id: number;
  readonly version: number;
  readonly level = 4;
  readonly opcode = 0;
  readonly opcodeName = undefined;
  readonly task = 0;
  readonly taskName = undefined;
  readonly keywords = 0n;
  readonly channel = 0;
  readonly processId = undefined;
  readonly threadId = undefined;
  readonly processor = undefined;
  readonly timestamp: Nanoseconds;
  readonly activityId: string | undefined;
  readonly relatedActivityId = undefined;
  readonly payload: Payload;
  readonly payloadProblem = undefined;
  readonly payloadBytes = new Uint8Array(0);
  readonly stack = undefined;
  readonly position = 0;

  constructor(properties: FakeEventProperties) {
    super();
    this.provider = properties.provider ?? 'Provider';
    this.providerGuid = properties.providerGuid;
    this.name = properties.name ?? 'Event';
    this.id = properties.id ?? 0;
    this.version = properties.version ?? 0;
    this.timestamp = at(properties.seconds ?? 0);
    this.activityId = properties.activityId;
    this.payload = properties.payload ?? {};
  }

  get timeSinceStart(): Nanoseconds {
    return this.timestamp - EPOCH;
  }
}

/** An opened trace that consists of these batches. */
export function fakeTrace(batches: Iterable<readonly TraceEvent[]>, onClose: () => void = () => {}): Trace {
  const source: ByteSource & { close(): Promise<void> } = {
    name: 'fake.etl',
    size: undefined,
    chunks: () => {
      throw new Error('A fake has no bytes.');
    },
    seekable: () => Promise.reject(new Error('A fake has no bytes.')),
    close: async () => onClose(),
  };
  const reader = {
    info: { format: 'etl', startTime: EPOCH, hasWallTime: true, pointerSize: 8, properties: {} },
    progress: { lostEvents: 0, lostBuffers: 0, processNames: new Map<number, string>(), bytesRead: 0 },
    async *batches() {
      yield* batches;
    },
  } as const;
  return new Trace(source, reader, 'error');
}

/** Each event after so many milliseconds of real time more, or at once. */
export async function* slowly<Event>(
  events: Iterable<Event>,
  wait: (event: Event) => Promise<unknown>,
): AsyncGenerator<Event, void, undefined> {
  for (const event of events) {
    await wait(event);
    yield event;
  }
}
