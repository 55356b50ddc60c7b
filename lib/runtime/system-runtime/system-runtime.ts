/**
 * The event source and the meter `System.Runtime`, which dotnet-counters requests by default: .NET's metrics that exist
 * in Node.js. For their meaning see docs/runtime.md.
 */
import { counterGroup } from '../../counters/counter-group.ts';
import { Demand } from '../../counters/demand.ts';
import { Meter } from '../../counters/meter.ts';
import { defineEventSource } from '../../source/event-source.ts';
import { defineEventCounters } from './event-counters.ts';
import { defineInstruments } from './instruments.ts';
import { ObservedTotals } from './observed-totals.ts';

const NAME = 'System.Runtime';

/** Call this once per process, in its main thread. Nothing is observed while nothing collects it. */
export function defineSystemRuntime(): void {
  const source = defineEventSource(NAME, {});
  const meter = new Meter(NAME);
  const totals = new ObservedTotals();
  const observing = new Demand(() => totals.observe());
  counterGroup(source).add(observing);
  meter.accompany(observing);
  defineEventCounters(source, totals);
  defineInstruments(meter, totals);
}
