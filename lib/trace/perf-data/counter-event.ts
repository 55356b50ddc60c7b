/** A sample of something other than a tracepoint: of a counter such as `cycles`, or of a clock. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import { type Recording, rawOf, SampleEvent } from './sample-event.ts';

const ADDRESSES: ReadonlySet<string> = new Set(['ip', 'addr']);

export class CounterEvent extends SampleEvent {
  readonly provider: string;
  readonly name: string;

  constructor(
    recording: Recording,
    sample: SampleRecord,
    timeHigh: number,
    timeLow: number,
    provider: string,
    name: string,
  ) {
    super(recording, sample, timeHigh, timeLow);
    this.provider = provider;
    this.name = name;
  }

  /** The address of the code, that of the data, and how many events the sample represents. */
  get payload(): Payload {
    const payload = new EmptyPayload();
    const { ip, addr, period } = this.sample;
    if (ip !== undefined) payload.ip = ip;
    if (addr !== undefined) payload.addr = addr;
    if (period !== undefined) payload.period = period;
    return payload;
  }

  override get hexFields(): ReadonlySet<string> {
    return ADDRESSES;
  }

  get payloadBytes(): Uint8Array {
    return rawOf(this.sample);
  }
}
