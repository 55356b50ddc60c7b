/**
 * What a program that `tracewright record` runs asks of it: to be let write to the kernel's tracer where it may
 * not open that itself, and to have each new tracepoint recorded. It waits for the answer: the kernel tells nobody
 * of new tracepoints, and the first events would be lost to a recorder that has to look.
 */
import type { Addon } from './addon.ts';

/** Set for the command that is recorded, and all it starts: the path of the recorder's socket. */
export const RECORDER_VARIABLE = 'TRACEWRIGHT_RECORDER';

/** An answer takes a few milliseconds. A recorder that hangs holds the program up this long, once. */
const WAIT_MS = 1000;

/** A recorder that has ended, or does not answer, is left alone from then on. */
const unanswered = new WeakSet<Addon>();

/** See `Addon.open`. */
export function openTracer(addon: Addon): ReturnType<Addon['open']> {
  const recorder = recorderOf(addon);
  const opened = addon.open(process.env.TRACEWRIGHT_TRACEFS ?? '', recorder);
  if (opened.error !== 0 && recorder !== '') unanswered.add(addon);
  return opened;
}

export function announceTracepoint(addon: Addon, tracepoint: string): void {
  const recorder = recorderOf(addon);
  if (recorder !== '' && addon.awaitRecorder(recorder, tracepoint, WAIT_MS) !== 0) unanswered.add(addon);
}

function recorderOf(addon: Addon): string {
  return unanswered.has(addon) ? '' : (process.env[RECORDER_VARIABLE] ?? '');
}
