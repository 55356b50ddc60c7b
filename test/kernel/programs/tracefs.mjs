// The tracer's own files, for programs run as root on a kernel with user_events.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const TRACEFS = '/sys/kernel/tracing';

/** Has ftrace record the tracepoint, or stop. */
export function setRecorded(tracepoint, on) {
  writeFileSync(`${TRACEFS}/events/user_events/${tracepoint}/enable`, on ? '1' : '0');
}

export function isKnown(tracepoint) {
  return existsSync(`${TRACEFS}/events/user_events/${tracepoint}`);
}

export function setBufferKiB(size) {
  writeFileSync(`${TRACEFS}/buffer_size_kb`, String(size));
}

/** Empties the ring buffers. */
export function clear() {
  writeFileSync(`${TRACEFS}/trace`, '');
}

/** The recorded events' text, one line each; they stay recorded. */
export function recordedLines() {
  return readFileSync(`${TRACEFS}/trace`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Sums a count over the ring buffers of all processors: entries, overrun, dropped events, read events... */
export function bufferStatistic(name) {
  let sum = 0;
  for (const cpu of readdirSync(`${TRACEFS}/per_cpu`)) {
    const stats = readFileSync(`${TRACEFS}/per_cpu/${cpu}/stats`, 'utf8');
    sum += Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  }
  return sum;
}

/** Waits until it is so; the kernel takes its time to create, delete and switch tracepoints. */
export async function until(isSo, what, milliseconds = 10_000) {
  const end = Date.now() + milliseconds;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`Waited ${milliseconds} ms in vain: ${what}.`);
    await sleep(2);
  }
}
