// A process that forks without exec while it traces, and one that starts another through child_process.fork.
import { fork as forkNode } from 'node:child_process';
import { createRequire } from 'node:module';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const log = defineEventSource('Forked', { Tick: event({ number: 'uint32' }) });

if (process.send !== undefined) {
  await tracefs.until(() => log.Tick.enabled, 'the event to be enabled in the child process');
  log.Tick({ number: 1 });
  process.send(log.stats());
  process.disconnect();
} else {
  const { fork, wait } = createRequire(import.meta.url)(process.argv[2]);
  const children = [];
  for (let round = 0; round < 20; round++) {
    const on = round % 2 === 0;
    children.push(fork(20));
    tracefs.setRecorded('Forked_L4K0', on);
    await tracefs.until(() => log.Tick.enabled === on, `switch ${round} to arrive`);
    log.Tick({ number: round });
  }
  tracefs.setRecorded('Forked_L4K0', true);
  const child = forkNode(import.meta.filename);
  const childStats = await new Promise((resolve) => child.once('message', resolve));
  const statuses = children.map(wait);
  console.log(
    JSON.stringify({ statuses, stats: log.stats(), childStats, lines: tracefs.recordedLines().length }),
  );
}
