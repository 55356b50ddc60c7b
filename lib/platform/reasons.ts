/**
 * Turns the results of the addon's functions into words: sentences for what could not be set up, names for
 * events that were not written.
 */
import type { Addon } from './addon.ts';
import * as etw from './etw-reasons.ts';
import * as userEvents from './user-events-reasons.ts';

export function openReason(addon: Addon, error: number, path: string): string {
  if (error === addon.codes.unsupported) {
    return `tracewright writes to no kernel tracer on ${process.platform}; listeners in the process work.`;
  }
  return userEvents.openReason(error, path);
}

/** @param name what was to be registered: a tracepoint, or a provider */
export function registerReason(addon: Addon, error: number, name: string): string {
  if (error === addon.codes.notRegistered)
    return `${name} was not registered: the kernel's tracer is not open.`;
  return addon.platform === 'etw' ? etw.registerReason(error, name) : userEvents.registerReason(error, name);
}

/** Why one event was not written: the key under which `stats().dropped` counts it. */
export function writeReason(addon: Addon, error: number): string {
  const { codes } = addon;
  if (error === codes.nobodyListens) return 'nobodyListens';
  if (error === codes.fileClosed) return 'fileClosed';
  if (error === codes.notRegistered) return 'notRegistered';
  return addon.platform === 'etw' ? etw.writeReason(error) : userEvents.writeReason(error);
}
