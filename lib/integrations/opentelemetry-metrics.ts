/** tracewright/integrations/opentelemetry-metrics: the metrics of OpenTelemetry's API as meters of this process. */
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
 * The provider whose meters are shown by dotnet-counters and written by sessions. While nobody asks, writing a value
 * costs about what a function call costs, and no callback is called. It takes the place of an SDK's:
 * `metrics.setGlobalMeterProvider(meterProvider())`, before libraries get their meters.
 */
export function meterProvider(): MeterProvider {
  return provider;
}
