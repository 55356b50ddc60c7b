/** Creates an event for each sample, of the kind determined by its attribute and its tracepoint's format. */
import { PerfType } from '../../wire/perf-data/constants.ts';
import { eventNameOf } from '../../wire/perf-data/event-name.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { isTracepointV1 } from '../../wire/tracepoint-v1/decode.ts';
import type { TraceEvent } from '../trace-event.ts';
import { CounterEvent } from './counter-event.ts';
import { EventHeaderEvent } from './event-header-event.ts';
import { EventHeaderTracepoint } from './event-header-tracepoint.ts';
import { EventPipeEvent } from './event-pipe-event.ts';
import { MetadataStore } from './metadata-store.ts';
import type { Recording } from './sample-event.ts';
import { TracepointEvent } from './tracepoint-event.ts';

/** @param time on the recording's clock */
type MakeEvent = (sample: SampleRecord, time: bigint) => TraceEvent;

export class EventFactory {
  readonly #recording: Recording;
  readonly #session: PerfSession;
  readonly #metadata = new MetadataStore();
  readonly #makers = new Map<SampleRecord['attr'], MakeEvent>();

  constructor(recording: Recording, session: PerfSession) {
    this.#recording = recording;
    this.#session = session;
  }

  eventOf(sample: SampleRecord, time: bigint): TraceEvent {
    let make = this.#makers.get(sample.attr);
    if (make === undefined) {
      make = this.#makerOf(sample);
      this.#makers.set(sample.attr, make);
    }
    return make(sample, time);
  }

  #makerOf({ attr, tracepoint, raw }: SampleRecord): MakeEvent {
    const recording = this.#recording;
    if (tracepoint === undefined || raw === undefined) {
      const [provider, name] =
        tracepoint === undefined ? this.#namesOf(attr) : [tracepoint.system, tracepoint.name];
      return (sample, time) => new CounterEvent(recording, sample, time, provider, name);
    }
    if (tracepoint.eventHeaderOffset !== undefined) {
      const described = new EventHeaderTracepoint(tracepoint);
      return (sample, time) => new EventHeaderEvent(recording, sample, time, described);
    }
    if (isTracepointV1(tracepoint.fields)) {
      const store = this.#metadata;
      return (sample, time) => new EventPipeEvent(recording, sample, time, tracepoint, store);
    }
    return (sample, time) => new TracepointEvent(recording, sample, time, tracepoint);
  }

  /** For a tracepoint without a format `sched` and `sched_switch`; for everything else `perf` and `cycles`. */
  #namesOf(attr: SampleRecord['attr']): [provider: string, name: string] {
    const name = this.#session.nameOf(attr) || eventNameOf(attr);
    const colon = attr.type === PerfType.Tracepoint ? name.indexOf(':') : -1;
    return colon < 0 ? ['perf', name] : [name.slice(0, colon), name.slice(colon + 1)];
  }
}
