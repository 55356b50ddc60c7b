/**
 * Conformance with `nettrace/*.activities.jsonl`: the activities of a trace according to TraceEvent's
 * StartStopActivityComputer, and therefore PerfView: one line per start, with its name, its times and its parent.
 *
 * Two rules are TraceEvent's own and are applied here to the view's results: a start without a related id belongs to
 * whatever runs on its thread; an activity that has not stopped has the duration 0 and thread -1.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openTrace } from '../../dist/trace/open-trace.js';
import { TraceActivities } from '../../dist/view/trace-activities.js';
import { readObjectLines } from './reference-text.mjs';

const SUFFIX = '.activities.jsonl';

export const name = 'activity-tree';

export function applies(dir) {
  return answersIn(dir).length > 0;
}

export async function run(dir, report) {
  for (const file of answersIn(dir)) {
    const expected = readObjectLines(join(dir, 'nettrace', file));
    const trace = file.replace(SUFFIX, '.nettrace');
    let actual;
    try {
      actual = await activitiesOf(join(dir, 'nettrace', trace));
    } catch (error) {
      report.fail(trace, `threw ${error.stack}`);
      continue;
    }
    report.compare(`${trace}/count`, String(actual.length), String(expected.length));
    for (const [index, line] of expected.entries()) {
      const id = `${trace}/${index}`;
      report.try(id, () => {
        report.compare(id, JSON.stringify(actual[index]), JSON.stringify(JSON.parse(line)));
      });
    }
  }
}

function answersIn(dir) {
  const folder = join(dir, 'nettrace');
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(SUFFIX)) : [];
}

async function activitiesOf(file) {
  const tracker = new TraceActivities();
  const starts = [];
  const creators = new Creators();
  const trace = await openTrace(file);
  for await (const event of trace) {
    const change = tracker.add(event);
    if (change === undefined || change.activity.state === 'unstarted') continue;
    if (change.boundary === 'Stop') continue;
    starts.push(change.activity);
    creators.started(change.activity, event);
  }
  return starts.map((activity) => asTraceEventHasIt(activity, creators));
}

function asTraceEventHasIt(activity, creators) {
  const stopped = activity.state === 'stopped';
  const startMSec = activity.startNs / 1e6;
  const chain = [activity];
  for (let at = creators.of(activity); at !== undefined; at = creators.of(at)) chain.unshift(at);
  return {
    index: activity.index,
    task: activity.task,
    name: activity.label,
    activityId: activity.id,
    pid: activity.processId,
    startTid: activity.startThreadId,
    stopTid: stopped ? activity.stopThreadId : -1,
    extra: activity.extra,
    creator: chain.at(-2)?.index ?? null,
    startMSec,
    durationMSec: stopped ? activity.endNs / 1e6 - startMSec : 0,
    stopped,
    path: chain.map(({ label }) => label).join(' '),
  };
}

/** Each activity's parent, by TraceEvent's rule. */
class Creators {
  #creators = new Map();
  #byThread = new Map();

  started(activity, { relatedActivityId }) {
    const creator = relatedActivityId === undefined ? this.#onThread(activity) : activity.parent;
    this.#creators.set(activity, creator);
    this.#byThread.set(activity.startThreadId, activity);
  }

  of(activity) {
    return this.#creators.get(activity);
  }

  /** A stopped activity leaves its thread to its parent. */
  #onThread({ startThreadId }) {
    let activity = this.#byThread.get(startThreadId);
    while (activity?.state === 'stopped') activity = this.#creators.get(activity);
    return activity;
  }
}
