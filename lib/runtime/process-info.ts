/** Identifies the process to each new listener. */
import { threadId } from 'node:worker_threads';
import { shortened } from '../base/thrown-fields.ts';
import type { RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

const MAX_COMMAND_LINE = 2000;

/** Serves the first listener; `writeProcessInfo` serves those that join later. */
export function processInfo(events: RuntimeEvents): Observation {
  return {
    isWanted: () => events.ProcessInfo.enabled,
    start: () => {
      writeProcessInfo(events);
      return () => {};
    },
  };
}

export function writeProcessInfo(events: RuntimeEvents): void {
  events.ProcessInfo(() => ({
    processId: process.pid,
    parentProcessId: process.ppid,
    threadId,
    startTime: new Date(Date.now() - process.uptime() * 1000),
    commandLine: shortened(
      [process.execPath, ...process.execArgv, ...process.argv.slice(1)].join(' '),
      MAX_COMMAND_LINE,
    ),
    title: shortened(process.title, MAX_COMMAND_LINE),
    nodeVersion: process.versions.node,
    v8Version: process.versions.v8,
    platform: process.platform,
    architecture: process.arch,
  }));
}
