/** What sessions request beside the providers that their users name: samples of the CPU, and the activities of these. */
import { ACTIVITY_RUN } from '../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../activity/switches.ts';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import type { TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { RuntimeKeywords } from './automatic.ts';

const INFORMATIONAL = 4;

/** Level 0 requests all: that of activity switches is higher than those of sessions. */
const ACTIVITY_SWITCHES: TracingProvider = {
  name: ACTIVITY_SWITCH.provider,
  keywords: ACTIVITY_SWITCH.keyword,
  level: 0,
  arguments: '',
};

/** Runs tell more than switches, with the thread pool that they may have waited for: see `tracewright explain`. */
export const ACTIVITY_RUNS: TracingProvider = {
  ...ACTIVITY_SWITCHES,
  name: ACTIVITY_RUN.provider,
  keywords: ACTIVITY_RUN.keyword | RuntimeKeywords.ThreadPool,
};

/** Where the application starts activities: reading a stack for each is for a program that is started to be looked at. */
export const ACTIVITY_CODE: TracingProvider = {
  ...ACTIVITY_SWITCHES,
  keywords: RuntimeKeywords.ActivityCode,
};

/** PerfView and TraceEvent charge samples to activities by .NET's tasks. */
const TASKS: TracingProvider = {
  name: TASK_EVENTS.provider,
  keywords: TASK_EVENTS.taskKeywords,
  level: INFORMATIONAL,
  arguments: '',
};

/** What samples, of whatever origin, are charged by. */
export const CHARGES: readonly TracingProvider[] = [ACTIVITY_SWITCHES, TASKS];

/** Requests for every provider include neither samples, nor activity switches, runs and tasks. */
export const SAMPLES: TracingProvider = {
  name: 'Microsoft-DotNETCore-SampleProfiler',
  keywords: 0n,
  level: INFORMATIONAL,
  arguments: '',
};
