// The counterpart of meters: OpenTelemetry's metrics.
import { requirePeer } from '../peer.mjs';
import { askedLoop, idleLoop, meterForms, TOLD_MS } from './count.mjs';

const { metrics } = requirePeer('@opentelemetry/api');

const forms = meterForms(() => metrics.getMeter('benchmark'));

/** Without an SDK: the cost for an instrumented library. */
export const apiOnly = (form) => idleLoop(forms[form]());

/** An SDK with a reader that never reads. */
export function idle(form) {
  const { MeterProvider, MetricReader } = requirePeer('@opentelemetry/sdk-metrics');
  class IdleReader extends MetricReader {
    async onForceFlush() {}
    async onShutdown() {}
  }
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [new IdleReader()] }));
  return idleLoop(forms[form]());
}

/** Read ten times a second, into memory. */
export function asked(form) {
  const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
    requirePeer('@opentelemetry/sdk-metrics');
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const options = { exporter, exportIntervalMillis: TOLD_MS, exportTimeoutMillis: TOLD_MS };
  const reader = new PeriodicExportingMetricReader(options);
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  return askedLoop(forms[form](), async () => exporter.getMetrics().length);
}
