// Two copies of the package in one process: one tracepoint, both enabled together, one tree of activities.
import { pathToFileURL } from 'node:url';
import * as one from 'tracewright';
import * as tracefs from './tracefs.mjs';

const two = await import(pathToFileURL(`${process.argv[2]}/dist/cjs/index.mjs`).href);
const define = ({ defineEventSource, event }) => {
  const [start, stop] = [event(), event({ success: 'bool' })];
  return defineEventSource('Copies', {
    OuterStart: start,
    OuterStop: stop,
    InnerStart: start,
    InnerStop: stop,
    Tick: event(),
  });
};
const [first, second] = [define(one), define(two)];
tracefs.clear();
tracefs.setRecorded('Copies_L4K0', true);
await tracefs.until(() => first.Tick.enabled && second.Tick.enabled, 'both copies to be enabled');
const ids = [];
await first.activity('Outer', {}, async () => {
  ids.push(one.currentActivityId(), two.currentActivityId());
  await second.activity('Inner', {}, async () => {
    ids.push(one.currentActivityId());
    first.Tick();
    second.Tick();
  });
});
const lines = tracefs.recordedLines().length;
console.log(
  JSON.stringify({ same: one === two, ids, lines, written: [first.stats().written, second.stats().written] }),
);
