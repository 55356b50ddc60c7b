/** Loads the modules of a folder inside an activity, and prints what Node.Module says about it. */
import { hasSubscribers } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import '../../../dist/auto/index.js';
import { defineEventSource, event, eventSources, listen } from '../../../dist/index.js';

const [folder] = process.argv.slice(2);
const log = defineEventSource('Loading-Service', { WorkStart: event(), WorkStop: event() });
const modules = eventSources().find(({ name }) => name === 'Node.Module');
const subscribersBefore = hasSubscribers('tracing:module.require:start');
const starts = new Map();
const loads = [];
const inside = (id) => {
  const start = starts.get(id);
  return start === undefined ? [] : [start.label, ...inside(start.related)];
};
const onEvent = ({ name, activityId, relatedActivityId, payload }) => {
  if (name.endsWith('Start')) {
    const label = name === 'WorkStart' ? 'Work' : basename(payload.name);
    const start = { label, related: relatedActivityId };
    starts.set(activityId, start);
    if (name !== 'LoadStart') return;
    start.load = {
      name: payload.name,
      package: payload.package,
      kind: payload.kind,
      inside: inside(relatedActivityId),
    };
    loads.push(start.load);
  } else if (name === 'LoadStop') starts.get(activityId).load.errorType = payload.errorType;
};
listen(log, onEvent);
listen(modules, onEvent);
const require = createRequire(join(folder, 'main.cjs'));
await log.activity('Work', {}, async () => {
  require(join(folder, 'app.cjs'));
  try {
    require(join(folder, 'broken.cjs'));
  } catch {
    // It requires a module that does not exist.
  }
  await import(join(folder, 'late.mjs'));
});
console.log(JSON.stringify({ loads, subscribersBefore }));
