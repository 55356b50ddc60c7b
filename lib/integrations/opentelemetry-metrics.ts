/** tracewright/opentelemetry-metrics: the metrics of OpenTelemetry's API as meters of this process. */
import type { MeterProvider } from '@opentelemetry/api';
import { OpenTelemetryMeter } from './opentelemetry/meter.ts';

const meters = new Map<string, OpenTelemetryMeter>();

const provider: MeterProvider = {
  getMeter: (name, version) => {
    const key = JSON.stringify([name, version]);
    const meter = meters.get(key) ?? new OpenTelemetryMeter(name, version);
    meters.set(key, meter);
    return meter;
  },
};

/**
 * A provider whose meters dotnet-counters shows and sessions record. While nothing collects them, writing a value costs
 * about as much as a function call, and no callback is called. It takes the place of an SDK's: call
 * `metrics.setGlobalMeterProvider(meterProvider())` before libraries create their meters.
 */
export function meterProvider(): MeterProvider {
  return provider;
}
