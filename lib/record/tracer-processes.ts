/** The processes that use the kernel's tracers, by their open files. Source: proc(5), `/proc/PID/fd`. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { systemCodeOf } from '../base/system-code.ts';
import { numbersIn } from './code-mappings.ts';
import type { OverviewProcess } from './trace-overview.ts';

const PERF_EVENT = 'anon_inode:[perf_event]';
const TRACER = '/user_events_data';

export interface TracerProcesses {
  /** The processes that have perf events. */
  readonly recording: readonly OverviewProcess[];
  /** The processes that can have registered user_events. */
  readonly registered: readonly OverviewProcess[];
  /** How many did not let this user look. */
  readonly hidden: number;
}

export function tracerProcesses(): TracerProcesses {
  const recording: OverviewProcess[] = [];
  const registered: OverviewProcess[] = [];
  let hidden = 0;
  for (const processId of numbersIn('/proc')) {
    const files = filesOf(processId);
    if (files === undefined) hidden++;
    const process = (): OverviewProcess => ({ processId, name: programOf(processId) });
    if (files?.includes(PERF_EVENT)) recording.push(process());
    if (files?.some((file) => file.endsWith(TRACER))) registered.push(process());
  }
  return { recording, registered, hidden };
}

/** The name of its program, or else of its main thread; undefined if it has exited. */
export function programOf(processId: number): string | undefined {
  const program = attempt(() => readlinkSync(`/proc/${processId}/exe`));
  if (program !== undefined) return basename(program);
  return attempt(() => readFileSync(`/proc/${processId}/comm`, 'utf8').trimEnd());
}

/** What its descriptors refer to; undefined if this user may not know. */
function filesOf(processId: number): string[] | undefined {
  const folder = `/proc/${processId}/fd`;
  try {
    return readdirSync(folder).map((name) => attempt(() => readlinkSync(`${folder}/${name}`)) ?? '');
  } catch (error) {
    return systemCodeOf(error) === 'EACCES' ? undefined : [];
  }
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
