/**
 * A program that `tracewright record` runs tells it of each new tracepoint, and waits until it records it:
 * the kernel tells nobody, and the first events would be lost to a recorder that has to look.
 */
import type { Addon } from './addon.ts';

/** Set for the command that is recorded, and all it starts: where the recorder listens. */
export const RECORDER_VARIABLE = 'TRACEWRIGHT_RECORDER';

/** An answer takes a few milliseconds. A recorder that hangs holds the program up this long, once. */
const WAIT_MS = 1000;

const unanswered = new WeakSet<Addon>();

export function announceTracepoint(addon: Addon, tracepoint: string): void {
  const address = process.env[RECORDER_VARIABLE];
  if (address === undefined || address === '' || unanswered.has(addon)) return;
  // A recorder that has ended, or does not answer, is left alone from then on.
  if (addon.awaitRecorder(address, tracepoint, WAIT_MS) !== 0) unanswered.add(addon);
}
