/**
 * How a program that `tracewright record` runs talks to it: it requests access to the kernel's tracer if it may not
 * open that itself, and announces each new tracepoint. It waits for the answer: the kernel does not announce new
 * tracepoints, so a recorder that had to poll would miss the first events.
 */
import type { TracerAddon } from './addon-functions.ts';

/** Set for the recorded command and everything it starts: the path of the recorder's socket. */
export const RECORDER_VARIABLE = 'TRACEWRIGHT_RECORDER';

/** An answer takes a few milliseconds. A recorder that hangs delays the program by this time, once. */
const WAIT_MS = 1000;

/** A recorder that has ended, or does not answer, is not contacted again. */
const unanswered = new WeakSet<TracerAddon>();

/** See `TracerAddon.open`. */
export function openTracer(addon: TracerAddon): ReturnType<TracerAddon['open']> {
  const recorder = recorderOf(addon);
  const opened = addon.open(process.env.TRACEWRIGHT_TRACEFS ?? '', recorder);
  if (opened.error !== 0 && recorder !== '') unanswered.add(addon);
  return opened;
}

export function announceTracepoint(addon: TracerAddon, tracepoint: string): void {
  const recorder = recorderOf(addon);
  if (recorder !== '' && addon.awaitRecorder(recorder, tracepoint, WAIT_MS) !== 0) unanswered.add(addon);
}

function recorderOf(addon: TracerAddon): string {
  return unanswered.has(addon) ? '' : (process.env[RECORDER_VARIABLE] ?? '');
}
