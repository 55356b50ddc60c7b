/** tracewright/counters: values over time, for dotnet-counters and every other listener. */
export type { CounterOptions, IncrementingCounterOptions } from './counter-options.ts';
export type { MeanPayload, SumPayload } from './counter-payload.ts';
export {
  EventCounter,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from './event-counters.ts';
export type { InstrumentOptions, Measurement, Tags } from './instrument.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  Meter,
  type MeterOptions,
  type UpDownCounter,
} from './meter.ts';
