/** The activities open at one point of a trace, and the most recently ended ones, looked up by id. */
import { spanKey } from './spans.ts';
import type { TracedActivity } from './traced-activity.ts';

/** Beyond this number, those open longest are given up. */
const MAX_OPEN = 1 << 17;
/** Among more open ones with the same key, one is not found by its name. */
const MAX_SAME_KEY = 1000;
const GIVEN_UP_AT_ONCE = MAX_OPEN / 4;
/** At least this many ended activities are kept for late children and late stops, and at most twice as many. */
const MIN_ENDED = 5000;

/** An activity and its place among the open ones. */
export class KnownActivity {
  readonly activity: TracedActivity;
  /** Its id and process: see `ActivityKey`. */
  readonly key: string;
  /** Process and thread. */
  readonly threadKey: string;
  /** Its W3C ids as a key. */
  readonly span: string | undefined;
  /** The activity it started in or, after that has ended, the one enclosing it. */
  around: KnownActivity | undefined;
  /** The first and the last of the open activities for which this is the nearest open ancestor. */
  firstInside: KnownActivity | undefined = undefined;
  lastInside: KnownActivity | undefined = undefined;
  /** The ones beside it in the activity around it. */
  previous: KnownActivity | undefined = undefined;
  next: KnownActivity | undefined = undefined;
  /** Something has been running inside since this time. */
  busySinceNs = 0;
  isOpen = true;
  /** The open activities that started before and after it. */
  earlier: KnownActivity | undefined = undefined;
  later: KnownActivity | undefined = undefined;
  /** Those of them with the same key. */
  before: KnownActivity | undefined = undefined;
  after: KnownActivity | undefined = undefined;
  /** The last one of them has this: which of them its key stands for. */
  ofKey: KnownActivity | undefined = undefined;

  constructor(activity: TracedActivity, key: string, around: KnownActivity | undefined) {
    this.activity = activity;
    this.key = key;
    this.threadKey = threadText(activity.processId, activity.startThreadId);
    const { span } = activity;
    this.span = span && spanKey(span.traceId, span.spanId);
    this.around = around;
  }
}

export class KnownActivities {
  /** The open activities in order of their starts: they are linked, because a set would hash each. */
  #first: KnownActivity | undefined;
  #last: KnownActivity | undefined;
  #count = 0;
  /** The last ones of each key: providers whose ids are not paths may give one id to several with other names. */
  readonly #byKey = new Map<string, KnownActivity>();
  readonly #byThread = new Map<string, KnownActivity>();
  /** The open activities that cross process boundaries. */
  readonly #bySpan = new Map<string, KnownActivity>();
  /** The most recently ended ones by key and span, and those that ended before them. */
  #ended = new Map<string, KnownActivity>();
  #endedBefore = new Map<string, KnownActivity>();
  readonly #onClosed: (activity: TracedActivity) => void;

  /** @param onClosed see `TraceActivities` */
  constructor(onClosed: (activity: TracedActivity) => void) {
    this.#onClosed = onClosed;
  }

  /** None may start or end meanwhile. */
  *open(): Generator<KnownActivity, void, undefined> {
    for (let known = this.#first; known !== undefined; known = known.later) yield known;
  }

  /** Adds an activity that starts in `parent`. None with the same key and name may be open: see `giveUp`. */
  start(activity: TracedActivity, key: string, parent: KnownActivity | undefined): void {
    const nowNs = activity.startNs;
    const known = new KnownActivity(activity, key, nearestOpen(parent));
    enter(known, nowNs);
    known.earlier = this.#last;
    if (this.#last === undefined) this.#first = known;
    else this.#last.later = known;
    this.#last = known;
    this.#count++;
    const before = this.#byKey.get(key);
    known.before = before;
    if (before !== undefined) {
      before.after = known;
      before.ofKey = undefined;
    }
    known.ofKey = known;
    this.#byKey.set(key, known);
    if (known.span !== undefined) this.#bySpan.set(known.span, known);
    this.#byThread.set(known.threadKey, known);
    if (this.#count > MAX_OPEN) this.#giveUpOldest(GIVEN_UP_AT_ONCE, nowNs);
  }

  /**
   * Ends an open activity and marks everything inside it as killed, except in other processes, which do not notice the
   * end.
   */
  stop(known: KnownActivity, nowNs: number): void {
    leave(known, nowNs);
    const ending = [known];
    for (let next = ending.pop(); next !== undefined; next = ending.pop()) {
      if (isBusy(next)) next.activity.coveredNs += nowNs - next.busySinceNs;
      for (const inner of takeInside(next)) {
        if (inner.activity.processId === next.activity.processId) ending.push(inner);
        else inner.around = undefined;
      }
      next.activity.endNs = nowNs;
      next.activity.state = next === known ? 'stopped' : 'killed';
      this.#forget(next);
      this.#remember(next);
    }
  }

  /** Gives up an open activity whose stop must be missing. It never gets an end. */
  giveUp(known: KnownActivity, nowNs: number): void {
    leave(known, nowNs);
    for (const inner of takeInside(known)) {
      inner.around = known.around;
      enter(inner, nowNs);
    }
    this.#forget(known);
  }

  openOfName(key: string, name: string): KnownActivity | undefined {
    let known = this.#byKey.get(key);
    for (let i = 0; i < MAX_SAME_KEY && known !== undefined; i++) {
      if (known.activity.name === name) return known;
      known = known.before;
    }
    return undefined;
  }

  openOfKey(key: string): KnownActivity | undefined {
    return this.#byKey.get(key)?.ofKey;
  }

  /** The last open one, otherwise the last ended one. */
  ofKey(key: string): KnownActivity | undefined {
    return this.openOfKey(key) ?? this.#ended.get(key) ?? this.#endedBefore.get(key);
  }

  /** Searches all processes: returns the open activity with these W3C ids, otherwise the last ended one. */
  ofSpan(traceId: string, spanId: string): KnownActivity | undefined {
    const span = spanKey(traceId, spanId);
    return this.#bySpan.get(span) ?? this.#ended.get(span) ?? this.#endedBefore.get(span);
  }

  openOnThread(processId: number | undefined, threadId: number | undefined): KnownActivity | undefined {
    return this.#byThread.get(threadText(processId, threadId));
  }

  #forget(known: KnownActivity): void {
    const { activity, threadKey, around, span, earlier, later } = known;
    known.isOpen = false;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    known.earlier = known.later = undefined;
    this.#count--;
    this.#forgetKey(known);
    if (span !== undefined && this.#bySpan.get(span) === known) this.#bySpan.delete(span);
    this.#onClosed(activity);
    if (this.#byThread.get(threadKey) !== known) return;
    if (around?.isOpen) this.#byThread.set(threadKey, around);
    else this.#byThread.delete(threadKey);
  }

  #forgetKey(known: KnownActivity): void {
    const { key, around, before, after } = known;
    const last = after === undefined ? known : (this.#byKey.get(key) as KnownActivity);
    const ofKey =
      last.ofKey === known ? (around?.key === key && around.isOpen ? around : undefined) : last.ofKey;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    else if (before === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, before);
    const left = after === undefined ? before : last;
    if (left !== undefined) left.ofKey = ofKey;
    known.before = known.after = known.ofKey = undefined;
  }

  #remember(known: KnownActivity): void {
    this.#ended.set(known.key, known);
    if (known.span !== undefined) this.#ended.set(known.span, known);
    if (this.#ended.size < MIN_ENDED) return;
    this.#endedBefore = this.#ended;
    this.#ended = new Map();
  }

  /** Forgets all but the last ones. */
  retain(open: number, ended: number, nowNs: number): void {
    this.#giveUpOldest(this.#count - open, nowNs);
    const all = [...this.#endedBefore, ...this.#ended];
    this.#endedBefore = new Map();
    this.#ended = new Map(all.slice(Math.max(0, all.length - ended)));
  }

  #giveUpOldest(count: number, nowNs: number): void {
    for (let left = count; left > 0 && this.#first !== undefined; left--) this.giveUp(this.#first, nowNs);
  }
}

/** Shortens the chain by removing the ended ones on the way. */
function nearestOpen(from: KnownActivity | undefined): KnownActivity | undefined {
  let open = from;
  while (open !== undefined && !open.isOpen) open = open.around;
  for (let ended = from; ended !== undefined && ended !== open; ) {
    const next: KnownActivity | undefined = ended.around;
    ended.around = open;
    ended = next;
  }
  return open;
}

function enter(known: KnownActivity, nowNs: number): void {
  const { around } = known;
  if (around === undefined) return;
  const previous = around.lastInside;
  if (previous === undefined) {
    around.busySinceNs = nowNs;
    around.firstInside = known;
  } else previous.next = known;
  known.previous = previous;
  around.lastInside = known;
}

function isBusy({ firstInside }: KnownActivity): boolean {
  return firstInside !== undefined;
}

function leave(known: KnownActivity, nowNs: number): void {
  const { around, previous, next } = known;
  if (around === undefined) return;
  if (previous === undefined) around.firstInside = next;
  else previous.next = next;
  if (next === undefined) around.lastInside = previous;
  else next.previous = previous;
  known.previous = known.next = undefined;
  if (!isBusy(around)) around.activity.coveredNs += nowNs - around.busySinceNs;
}

/** Takes out the activities inside, in order. */
function takeInside(known: KnownActivity): readonly KnownActivity[] {
  if (!isBusy(known)) return NONE;
  const inside: KnownActivity[] = [];
  for (let each = known.firstInside; each !== undefined; ) {
    const { next }: KnownActivity = each;
    each.previous = each.next = undefined;
    inside.push(each);
    each = next;
  }
  known.firstInside = known.lastInside = undefined;
  return inside;
}

const NONE: readonly KnownActivity[] = [];

/** Most often, it is the thread asked for before. */
const lastThread: { processId?: number | undefined; threadId?: number | undefined; text: string } = {
  text: ' ',
};

function threadText(processId: number | undefined, threadId: number | undefined): string {
  if (processId !== lastThread.processId || threadId !== lastThread.threadId) {
    lastThread.processId = processId;
    lastThread.threadId = threadId;
    lastThread.text = `${processId ?? ''} ${threadId ?? ''}`;
  }
  return lastThread.text;
}
