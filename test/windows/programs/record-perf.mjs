// For everything.mjs: waits for perf, which is started in parallel.
import { setTimeout as sleep } from 'node:timers/promises';

export async function record(source) {
  while (!Object.values(source).every((event) => event.enabled !== false)) await sleep(5);
  // perf sets the enabled bit a little before it records.
  await sleep(500);
}
