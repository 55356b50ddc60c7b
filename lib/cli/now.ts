/** `tracewright now -p PID`: what is open in a process at this moment, and what it waits for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { printable } from '../base/printable.ts';
import { RuntimeKeywords } from '../known/automatic.ts';
import { ACTIVITY_RUNS, SAMPLES } from '../known/session-requests.ts';
import { activityKey } from '../view/activity-key.ts';
import { type LoopState, type OpenActivity, OpenWork, type OtherWork } from '../view/explain/open-work.ts';
import { duration as durationText } from '../view/explain/sentences.ts';
import { countText, thousands } from '../view/number-text.ts';
import type { StreamingTracing, TracingProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { duration } from './argument-values.ts';
import { tracingOf } from './collect/collect.ts';
import type { OpenedTarget } from './collect/target.ts';
import { PROCESS_OPTIONS, withTarget } from './collect/target-argument.ts';
import { CommandLine } from './command-line.ts';
import { Output } from './output.ts';
import { flag, UsageError } from './parse-options.ts';
import { styled } from './terminal/terminal.ts';
import { explainTrace } from './trace/explained-trace.ts';
import { sessionProviders } from './trace/provider-argument.ts';

/** How long a session lasts: what the loop runs meanwhile is sampled. */
const SESSION_MS = 500;
const INTERVAL_MS = 2000;
/** The functions of a loop that has been optimized get their names after a while. */
const STUCK_MS = 500;
const PENDING_WORK: TracingProvider = {
  ...ACTIVITY_RUNS,
  keywords: ACTIVITY_RUNS.keywords | RuntimeKeywords.PendingWork,
  arguments: 'PendingWork=1',
};
/** A loop that runs for less than this share of a look, in per cent, counts as waiting. */
const BUSY = 10;
/** A pool whose work waits for less counts as free. */
const FULL_NS = 10e6;
const UNKNOWN = 'nothing that Node.js knows: perhaps a promise that nothing has settled';

export const commandLine = new CommandLine('now', '[OPTION]... -p PID', [
  `Shows what is open in a Node.js process at this moment: activities with their age, each with those inside it and what
  it waits for; and what else Node.js has begun, such as timers and work of the thread pool. Also says what the event loop
  runs, even if it is stuck. What was begun before anybody asked is in no known activity, unless the process keeps
  activities (TRACEWRIGHT_KEEP_ACTIVITIES=1).`,
  PROCESS_OPTIONS,
  {
    watch: flag('again and again, until Ctrl-C'),
    interval: duration(SESSION_MS).option('between two looks (2s)'),
    json: flag('one JSON object, or one per line with --watch; docs/explain.md describes it'),
  },
]);

/** @throws UsageError, DiagnosticsClientError, TraceError */
export async function run(args: readonly string[]): Promise<number> {
  const values = commandLine.options(args);
  if (values === undefined) return 0;
  if (values['process-id'] === undefined) throw new UsageError('now needs a process: --process-id PID.');
  const { interval = INTERVAL_MS } = values;
  const tracing = tracingOf([...sessionProviders(undefined, {}, true), SAMPLES, PENDING_WORK]);
  const output = new Output();
  return withTarget(values, async (target, stop) => {
    let isOver = false;
    stop.requested.then(() => {
      isOver = true;
    });
    do {
      const begun = performance.now();
      await look(target, tracing, output, values.json === true);
      await output.flush();
      if (values.watch !== true || isOver) return;
      await Promise.race([
        stop.requested,
        sleep(interval - (performance.now() - begun), undefined, { ref: false }),
      ]);
    } while (!isOver);
  });
}

async function look(
  target: OpenedTarget,
  tracing: StreamingTracing,
  output: Output,
  isJson: boolean,
): Promise<void> {
  const work = new OpenWork();
  const session = await target.client.collectTracing(tracing);
  const stopAfter = (ms: number) => setTimeout(() => session.stop().catch(() => {}), ms);
  let timer = stopAfter(SESSION_MS);
  try {
    const { explained, framesOf, failure } = await explainTrace(
      session.stream,
      {},
      {
        take: () => {},
        onRun: (run) => work.addRun(run),
        onSample: (event, stack) => work.addSample(event, stack),
        onEvent: (event, activities) => {
          const wasStuck = work.isStuck;
          work.add(event, activities);
          if (wasStuck || !work.isStuck) return;
          clearTimeout(timer);
          timer = stopAfter(STUCK_MS);
        },
      },
    );
    // A process that is too busy to end its session has sent what it could.
    if (failure !== undefined && !session.isCutOff) throw failure;
    if (session.isStopped && !session.isCutOff) await session.stop();
    if (work.isStuck) target.onStuck?.();
    const found: Found = {
      target,
      loop: work.loop(explained, framesOf),
      open: work.activities(explained),
      others: work.others(),
      poolDelayNs: work.poolDelayNs,
      isWhole: explained.recorded.runs,
    };
    if (isJson) output.json(jsonOf(found));
    else print(found, output);
  } finally {
    clearTimeout(timer);
    session.close();
  }
}

interface Found {
  readonly target: OpenedTarget;
  readonly loop: LoopState;
  readonly open: readonly OpenActivity[];
  readonly others: readonly OtherWork[];
  readonly poolDelayNs: number;
  /** Whether the process has said what it waits for: one that is stuck cannot. */
  readonly isWhole: boolean;
}

function print({ target, loop, open, others, poolDelayNs, isWhole }: Found, output: Output): void {
  const head = `${target.name}: ${countText(open.length, 'open activity')}. ${loopText(loop)}${poolText(poolDelayNs)}`;
  output.styledLine(styled(printable(head), 'bold'));
  for (const each of open) {
    const { time, ageNs, depth } = each;
    const age = durationText(ageNs).padStart(12);
    output.line(`${age}  ${'  '.repeat(depth)}${time.label}${waitText(each, loop, isWhole)}`);
  }
  if (others.length > 0) {
    output.line('');
    output.line('In no known activity:');
    for (const { text, count } of others) output.line(`${thousands(count).padStart(12)}  ${text}`);
  }
  output.line('');
}

function loopText({ stuckNs, by, code, busyShare }: LoopState): string {
  const where = code === undefined ? '' : ` (${code})`;
  if (stuckNs !== undefined) {
    const what = by === undefined ? (code ?? 'something') : `${by}${where}`;
    return `The event loop is stuck: it has run ${what} for at least ${durationText(stuckNs)}.`;
  }
  const share = Math.round(busyShare * 100);
  if (share < BUSY || by === undefined) return 'The event loop waits for events.';
  return `The event loop is busy (${share} %), mostly with ${by}${where}.`;
}

function poolText(delayNs: number): string {
  return delayNs < FULL_NS
    ? ''
    : ` The thread pool is full: work waits ${durationText(delayNs)} in its queue.`;
}

function waitText(
  { waitsFor, isRunning }: OpenActivity,
  { stuckNs, by, code }: LoopState,
  isWhole: boolean,
): string {
  if (isRunning) return code === undefined ? ': runs' : `: runs ${code}`;
  // What is inside follows.
  const waits = waitsFor.filter(({ state }) => state !== 'child').map(({ text }) => text);
  const held =
    stuckNs === undefined ? '' : `, and for the loop, which runs ${by ?? code ?? 'something else'}`;
  if (waits.length > 0) return `: waits for ${waits.join(' and ')}${held}`;
  if (waitsFor.length > 0) return '';
  return isWhole
    ? `: waits for ${UNKNOWN}`
    : stuckNs === undefined
      ? ''
      : `: cannot go on, the loop runs ${by ?? code ?? 'something else'}`;
}

function jsonOf({ target, loop, open, others, poolDelayNs }: Found): object {
  return {
    schema: 1,
    processId: target.processId,
    loop: {
      isStuck: loop.stuckNs !== undefined,
      stuckMSec: loop.stuckNs && msec(loop.stuckNs),
      busyShare: loop.busyShare,
      by: loop.by,
      code: loop.code,
    },
    threadPool: { delayMSec: msec(poolDelayNs) },
    activities: open.map(({ time: { activity, label, startedAt }, ageNs, isRunning, waitsFor }) => ({
      label,
      name: activity.name,
      activityId: activity.id,
      activityPath: activityKey(activity.id, activity.processId)?.text,
      parentId: activity.parent?.id,
      ageMSec: msec(ageNs),
      startedAt,
      isRunning,
      waitsFor,
    })),
    others,
  };
}

function msec(ns: number): number {
  return Math.round(ns) / 1e6;
}
