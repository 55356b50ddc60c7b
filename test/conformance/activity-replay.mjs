/**
 * Replays recorded runs of the original .NET activity trackers on ours and reports every difference.
 *
 * The recordings are of threads; ours is a pure tracker. ReplayThread bridges the difference: the thread's current
 * context, the flows forked from it, and, for runtimes before .NET 6, the id that a thread keeps there when a change
 * leaves it without a running activity (dotnet/runtime #51608). tracewright itself never does that.
 */
import { activityName } from '../../dist/activity/activity.js';
import { Guid } from '../../dist/activity/guid.js';
import { parseActivityPath } from '../../dist/activity/path.js';
import { appendNumber, endAfterNumber } from '../../dist/activity/path-writer.js';
import { formatPerfViewActivityPath } from '../../dist/activity/perfview-path.js';
import { ActivityTracker } from '../../dist/activity/tracker.js';

const RECURSIVE = 4;

class ReplayThread {
  #tracker;
  #keepsStaleId;
  #context;
  #forks = new Map();
  #entered = [];

  constructor(processId, keepsStaleId) {
    this.#tracker = new ActivityTracker(1, processId);
    this.#keepsStaleId = keepsStaleId;
  }

  /** The id that events on the thread carry now, as a Guid or undefined. */
  get current() {
    return this.#tracker.currentActivityId(this.#context);
  }

  /** Performs one operation, `verb operands...`, and returns the ids of its event. */
  do(op) {
    const [verb, ...operands] = op.split(' ');
    if (verb === 'start') return this.#start(...operands);
    if (verb === 'stop') return this.#stop(...operands);
    if (verb === 'set') this.#context = this.#tracker.setActivityId(this.#context, Guid.parse(operands[0]));
    else if (verb === 'fork') this.#forks.set(operands[0], this.#context);
    else if (verb === 'in') this.#enter(operands[0]);
    else if (verb === 'out') this.#leave();
    else if (verb !== 'cur') throw new Error(`The operation "${op}" is not one this replay knows.`);
    return {};
  }

  #start(provider, eventName, task = '0', options = '0') {
    const name = activityName(provider, eventName, Number(task));
    let flags = Number(options);
    if (this.#keepsStaleId && (flags & RECURSIVE) === 0) {
      // The stale id of the stop inside a start is visible as the start's related id, so the stop is performed
      // separately.
      this.#stopNamed(name);
      flags |= RECURSIVE;
    }
    const activity = this.#tracker.start(this.#context, name, flags);
    if (activity === undefined) return {};
    this.#context = activity;
    return { activityId: activity.id, relatedActivityId: activity.relatedActivityId };
  }

  #stop(provider, eventName, task = '0') {
    const activity = this.#stopNamed(activityName(provider, eventName, Number(task)));
    return { activityId: activity?.id };
  }

  #stopNamed(name) {
    const activity = this.#tracker.find(this.#context, name);
    if (activity !== undefined) {
      const idBefore = this.current;
      this.#changeTo(this.#tracker.stop(this.#context, activity), idBefore);
    }
    return activity;
  }

  #enter(fork) {
    this.#entered.push({ fork, outer: this.#context });
    this.#switchTo(this.#forks.get(fork));
  }

  #leave() {
    const { fork, outer } = this.#entered.pop();
    this.#forks.set(fork, this.#context);
    this.#switchTo(outer);
  }

  /** The thread gets another flow's activity; an id set by hand belongs to the thread and is not carried along. */
  #switchTo(context) {
    const left = this.#context?.activity;
    const entered = context?.activity;
    if (entered === left) return;
    const restoredId = left !== undefined && left.creator === entered ? left.manualIdBefore : undefined;
    const idBefore = this.current;
    this.#changeTo(
      restoredId === undefined ? entered : this.#tracker.setActivityId(entered, restoredId),
      idBefore,
    );
  }

  #changeTo(context, idBefore) {
    const left = this.#context?.activity;
    this.#context = context;
    if (!this.#keepsStaleId || idBefore === undefined || this.current !== undefined) return;
    const entered = context?.activity;
    if (left === entered) return;
    // Leaving a top-level activity restores the id from before its start, here none.
    const restoresNoId = left !== undefined && left.creator === undefined && entered === undefined;
    if (!restoresNoId) this.#context = this.#tracker.setActivityId(context, idBefore);
  }
}

/** The recorded runs of random scenarios: one JSON object per line. */
export function readTrackerScenarios(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Replays one such scenario; yields a sentence for each difference. */
export function replayTrackerScenario({ flavor, processId, ops, expected }) {
  const thread = new ReplayThread(flavor === 'net46' ? 0 : processId, flavor === 'net46');
  const differences = [];
  const steps = expected.filter((step) => !/^in /.test(step.op) || step.exited !== undefined);
  // Entering a flow is recorded as "(entered A)"; leaving it, as the "in A" that has ended.
  if (steps.length !== ops.length) return [`${ops.length} operations, but ${steps.length} recorded steps.`];
  ops.forEach((op, i) => {
    const step = steps[i];
    const ids = thread.do(op);
    for (const [key, ours] of Object.entries({ ...ids, current: thread.current })) {
      const theirs = step[key] === null ? undefined : inNet10Form(flavor, step[key]);
      if (ours?.toString() !== theirs)
        differences.push(`Step ${i} "${op}": ${key} is ${ours}, not ${theirs}.`);
    }
  });
  return differences;
}

const VECTOR_LINE = /^(.+?) +act=(?:None|(\S+) (\S+)) +rel=(\S+) cur=(\S+)$/;

/** The recorded runs with printed paths: sections of a heading and one line per operation. */
export function readPathVectorSections(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading, ...lines] = section.trimEnd().split('\n');
      const [, title, flavor, processId] = /^(.*) flavor (\S+) pid (\d+)$/.exec(heading) ?? [];
      return { title, flavor, processId: Number(processId), lines: lines.map(readVectorLine) };
    });
}

function readVectorLine(line) {
  const [, op, id, path, related, current] = VECTOR_LINE.exec(line) ?? [];
  if (op === undefined) throw new Error(`The line "${line}" is not a recorded operation.`);
  const known = (text) => (text === 'None' ? undefined : text);
  return { op: op.trim(), id, path, related: known(related), current: known(current) };
}

/**
 * Replays one section; yields a sentence for each difference. Ids are compared as bytes and as PerfView prints them.
 * .NET up to version 9 left a spare zero byte after some numbers, which we do not: its ids are compared without them.
 */
export function replayPathVectorSection({ flavor, processId, lines }) {
  const is2016 = flavor === 'net46';
  const thread = new ReplayThread(is2016 ? 0 : processId, is2016 || flavor === 'net5');
  const differences = [];
  const withSpareByte = new Map();
  const print = (id) => id && formatPerfViewActivityPath(withSpareByte.get(id.toString()) ?? id);
  const entered = [];
  let chainLength = 0;

  for (const [i, { op, id, path, related, current }] of lines.entries()) {
    const compare = (what, ours, theirs) => {
      if (ours !== theirs) differences.push(`Line ${i} "${op}": ${what} is ${ours}, not ${theirs}.`);
    };
    if (op.startsWith('(entered ')) {
      compare('current id', print(thread.current), current);
      continue;
    }
    if (op.startsWith('in ')) {
      const fork = op.slice('in '.length);
      if (entered.at(-1) !== fork) {
        entered.push(fork);
        thread.do(op);
        continue;
      }
      entered.pop();
      thread.do('out');
      compare('current id', print(thread.current), current);
      continue;
    }

    const link = Number(/^start P A(\d+)$/.exec(op)?.[1] ?? 0);
    if (link > chainLength + 1) {
      for (let n = chainLength + 1; n < link; n++) thread.do(`start P A${n}`);
    } else if (i === 0 && id !== undefined) startUnrecordedPath(thread, id);
    if (link > 0) chainLength = link;

    const ids = thread.do(op);
    if (id !== undefined) compare('printed path', formatPerfViewActivityPath(Guid.parse(id)), path);
    const net10Id = id && inNet10Form(flavor, id);
    if (net10Id !== id) withSpareByte.set(net10Id, Guid.parse(id));
    compare('activity id', ids.activityId?.toString(), net10Id);
    compare('related id', print(ids.relatedActivityId), related);
    compare('current id', print(thread.current), current);
  }
  return differences;
}

/** Starts what a section omitted before its first start, so that this start gets the id recorded for it. */
function startUnrecordedPath(thread, id) {
  const [, ...numbers] = parseActivityPath(Guid.parse(id))?.numbers ?? [];
  numbers.forEach((number, level) => {
    for (let n = 1; n < number; n++) {
      thread.do(`start Unrecorded Sibling${level}Start`);
      thread.do(`stop Unrecorded Sibling${level}Stop`);
    }
    if (level < numbers.length - 1) thread.do(`start Unrecorded Level${level}Start`);
  });
}

/** A recorded id as .NET 10 writes it: the same numbers, without the spare bytes of earlier versions. */
function inNet10Form(flavor, text) {
  const path = parseActivityPath(Guid.parse(text));
  if (flavor === 'net10' || path === undefined || path.overflow) return text;
  let id = Guid.empty;
  let end = 0;
  for (const number of path.numbers) {
    id = appendNumber(id, end, number, path.processId);
    end = endAfterNumber(end, number);
  }
  return id.toString();
}
