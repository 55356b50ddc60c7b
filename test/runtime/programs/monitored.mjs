// A Node.js process with counters for tools: Node.js's own, and those of a library that writes its metrics through
// OpenTelemetry. Prints where its diagnostic port is, or why it has none.
import { metrics } from '@opentelemetry/api';
import { enableDiagnostics } from 'tracewright/diagnostics';
import { meterProvider } from 'tracewright/opentelemetry-metrics';
import { enableRuntimeEvents } from 'tracewright/runtime';

metrics.setGlobalMeterProvider(meterProvider());
enableRuntimeEvents();
const sold = metrics.getMeter('shop').createCounter('sold', { unit: '{item}' });
const { address, problem } = enableDiagnostics();
setInterval(() => sold.add(1, { kind: 'book' }), 10);
console.log(address ?? problem);
