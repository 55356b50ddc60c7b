/** Whether there is a tracer of the kernel at all that user events could be recorded with. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../base/system-code.ts';
import { loadAddon } from '../platform/addon.ts';
import { tracefsRoot } from './tracefs.ts';

/**
 * What is missing, where no permission would help: in a sentence, or nothing. Who lacks a permission only is told
 * so when the recording starts, with what would give it.
 */
export function missingTracer(): string | undefined {
  if (process.platform !== 'linux') return `There is no tracer for user events on ${process.platform}.`;
  const addon = loadAddon();
  if ('reason' in addon) return addon.reason;
  const root = tracefsRoot();
  if (isMissing(join(root, 'events'))) return `There are no tracepoints in ${root}: tracefs is not mounted.`;
  if (isMissing(join(root, 'user_events_data'))) return 'There are no user_events in this kernel.';
  return undefined;
}

/** What cannot be looked at may be there. */
function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT';
  }
}
