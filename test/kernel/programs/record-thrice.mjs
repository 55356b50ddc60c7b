// For everything.mjs: waits for three recorders, each of which creates a file in /run when it records.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export async function record() {
  while (!['file', 'pipe', 'packed'].every((name) => existsSync(`/run/records-${name}`))) await sleep(20);
}
