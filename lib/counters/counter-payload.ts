/**
 * The event `EventCounters`, in its two forms: a mean, and the increase in an interval.
 *
 * Source: .NET's CounterPayload and IncrementingCounterPayload, and what dotnet-counters reads from them.
 */
import type { EventSchema, FieldSchema, FieldType } from '../wire/schema.ts';

/** The fields are in the order in which they are written. */
export interface MeanPayload {
  readonly Name: string;
  readonly DisplayName: string;
  readonly Mean: number;
  readonly StandardDeviation: number;
  readonly Count: number;
  readonly Min: number;
  readonly Max: number;
  /** The actual duration in seconds. */
  readonly IntervalSec: number;
  /** `Interval=1000`: the requested milliseconds. A tool ignores what it has not requested. */
  readonly Series: string;
  readonly CounterType: 'Mean';
  /** `key:value,key:value` */
  readonly Metadata: string;
  readonly DisplayUnits: string;
}

export interface SumPayload {
  readonly Name: string;
  readonly DisplayName: string;
  /** `00:00:01`, or empty. */
  readonly DisplayRateTimeScale: string;
  readonly Increment: number;
  readonly IntervalSec: number;
  readonly Metadata: string;
  readonly Series: string;
  readonly CounterType: 'Sum';
  readonly DisplayUnits: string;
}

/** What the event is written with. */
export class CounterPayload {
  readonly Payload: MeanPayload | SumPayload;
  readonly [name: string]: unknown;

  constructor(counter: MeanPayload | SumPayload) {
    this.Payload = counter;
  }

  /**
   * .NET nests the payload in a nameless struct. That is of no use to listeners, so it is not a property of its own.
   */
  get ''(): this {
    return this;
  }
}

const MEAN_TYPES = {
  Name: 'utf16',
  DisplayName: 'utf16',
  Mean: 'double',
  StandardDeviation: 'double',
  Count: 'int32',
  Min: 'double',
  Max: 'double',
  IntervalSec: 'float',
  Series: 'utf16',
  CounterType: 'utf16',
  Metadata: 'utf16',
  DisplayUnits: 'utf16',
} as const;

const SUM_TYPES = {
  Name: 'utf16',
  DisplayName: 'utf16',
  DisplayRateTimeScale: 'utf16',
  Increment: 'double',
  IntervalSec: 'float',
  Metadata: 'utf16',
  Series: 'utf16',
  CounterType: 'utf16',
  DisplayUnits: 'utf16',
} as const;

/** The events of one source. Each source has its own, because encoders identify the source by them. */
export class CounterEvents {
  readonly #mean = counterEvent(MEAN_TYPES);
  readonly #sum = counterEvent(SUM_TYPES);

  of({ CounterType }: MeanPayload | SumPayload): EventSchema {
    return CounterType === 'Mean' ? this.#mean : this.#sum;
  }
}

function counterEvent(types: Readonly<Record<string, FieldType>>): EventSchema {
  const fields: FieldSchema[] = Object.entries(types).map(([name, type]) => ({
    name,
    type,
    nullable: false,
    array: false,
  }));
  const payload: FieldSchema = { name: 'Payload', type: 'struct', fields, array: false };
  return {
    name: 'EventCounters',
    id: 0,
    version: 0,
    // For every listener, whatever else it requests.
    level: 0,
    keywords: 0n,
    opcode: 0,
    task: 0,
    tag: 0,
    fields: [{ name: '', type: 'struct', fields: [payload], array: false }],
  };
}
