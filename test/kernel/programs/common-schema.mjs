// A span and a log line in Common Schema, as an application with OpenTelemetry's SDK and console.log writes them.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource } from 'tracewright';
import { consoleEvents } from 'tracewright/console';
import { spanActivities } from 'tracewright/opentelemetry-traces';
import { until } from './tracefs.mjs';

const processor = spanActivities({ provider: 'Test_Traces', commonSchema: true });
consoleEvents({ provider: 'Test_Logs', commonSchema: true });
const probes = ['Test_Traces', 'Test_Logs'].map((name) => defineEventSource(name, {}));

const span = {
  name: 'order',
  kind: 2,
  startTime: [1_700_000_000, 0],
  endTime: [1_700_000_001, 0],
  attributes: { 'db.system.name': 'mysql', rows: 3 },
  status: { code: 1 },
  events: [],
  links: [],
  resource: { attributes: { 'service.name': 'shop' } },
  spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
};

await until(() => probes.every((probe) => probe.isEnabled(4, 1n)), 'the events to be enabled', 60_000);
// perf sets the enabled bit a little before it records: the first ones may be lost.
for (let tick = 0; tick < 20; tick++) {
  processor.onEnd(span);
  console.info('hello', { user: 7 });
  await sleep(20);
}
