/**
 * Which functions of a library have called the running code: the only way to tell a call that a library publishes while
 * its caller makes it from one that it publishes later, when a connection is free, in the context of somebody else.
 * Needed only where a library publishes neither.
 */

import { callSites } from '../base/call-sites.ts';

/** Our own, Node.js's and the library's, down to the one that tells. Each takes about half a microsecond. */
const MAX_FRAMES = 14;

/**
 * The nearest caller that has one of the names.
 *
 * @param names by which a caller is meant: its function's, or the end of its file's
 */
export function nearestCaller(names: readonly string[]): string | undefined {
  for (const frame of callSites(MAX_FRAMES, nearestCaller)) {
    const name = frame.getFunctionName();
    const file = frame.getFileName() ?? '';
    const known = names.find((one) => one === name || (one.includes('/') && file.endsWith(one)));
    if (known !== undefined) return known;
  }
  return undefined;
}
