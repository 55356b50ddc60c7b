/** The activities open at one point of a trace, and the most recently ended ones, looked up by id. */
import type { ActivityKey } from './activity-key.ts';
import { type Keyed, KeyTable } from './key-table.ts';
import { spanKey } from './spans.ts';
import { type ActivityHead, type ActivityState, TracedActivity } from './traced-activity.ts';

/** Beyond this number, those open longest are given up. */
const MAX_OPEN = 1 << 17;
/** Among more open ones with the same key, one is not found by its name. */
const MAX_SAME_KEY = 1000;
const GIVEN_UP_AT_ONCE = MAX_OPEN / 4;
/** This many ended activities are kept for late children and late stops. */
const MAX_ENDED = 5000;

/** An activity that is open, or was. */
export class KnownActivity extends TracedActivity implements Keyed<KnownActivity> {
  /** Its id and process: see `ActivityKey`. */
  readonly key: string;
  readonly hash: number;
  nextInBucket: KnownActivity | undefined = undefined;
  /** Undefined once it is no longer open. */
  place: OpenPlace | undefined = undefined;
  /** The activity it started in or, after that has ended, the one enclosing it. */
  around: KnownActivity | undefined = undefined;

  constructor(head: ActivityHead, parent: TracedActivity | undefined, { key, hash }: ActivityKey) {
    super(head, parent);
    this.key = key;
    this.hash = hash;
  }
}

/** The place of an activity among the open ones: apart from it, because those that have ended are kept. */
class OpenPlace implements Keyed<OpenPlace> {
  readonly activity: KnownActivity;
  readonly key: string;
  readonly hash: number;
  nextInBucket: OpenPlace | undefined = undefined;
  /** Process and thread. */
  readonly threadKey: string;
  /** Its W3C ids as a key. */
  readonly span: string | undefined;
  /** The first and the last of the open activities for which this is the nearest open ancestor. */
  firstInside: OpenPlace | undefined = undefined;
  lastInside: OpenPlace | undefined = undefined;
  /** The ones beside it in the activity around it. */
  previous: OpenPlace | undefined = undefined;
  next: OpenPlace | undefined = undefined;
  /** Something has been running inside since this time. */
  busySinceNs = 0;
  /** The open activities that started before and after it. */
  earlier: OpenPlace | undefined = undefined;
  later: OpenPlace | undefined = undefined;
  /** Those of them with the same key. */
  before: OpenPlace | undefined = undefined;
  after: OpenPlace | undefined = undefined;
  /** The last one of them has this: which of them its key stands for. */
  ofKey: OpenPlace | undefined = undefined;

  constructor(activity: KnownActivity) {
    this.activity = activity;
    this.key = activity.key;
    this.hash = activity.hash;
    this.threadKey = threadText(activity.processId, activity.startThreadId);
    const { span } = activity;
    this.span = span && spanKey(span.traceId, span.spanId);
  }
}

export class KnownActivities {
  /** The open activities in order of their starts: they are linked, because a set would hash each. */
  #first: OpenPlace | undefined;
  #last: OpenPlace | undefined;
  #count = 0;
  /** The last ones of each key: providers whose ids are not paths may give one id to several with other names. */
  readonly #byKey = new KeyTable<OpenPlace>();
  readonly #byThread = new Map<string, KnownActivity>();
  /** The open activities that cross process boundaries. */
  readonly #bySpan = new Map<string, KnownActivity>();
  /** The most recently ended ones of each key, and in the order of their ends: the next one takes the place of the oldest. */
  readonly #ended = new KeyTable<KnownActivity>();
  readonly #endedInOrder: (KnownActivity | undefined)[] = new Array(MAX_ENDED).fill(undefined);
  #nextEnded = 0;
  /** The most recently ended ones by span, and those that ended before them. */
  #endedSpans = new Map<string, KnownActivity>();
  #endedSpansBefore = new Map<string, KnownActivity>();
  readonly #onClosed: (activity: TracedActivity) => void;

  /** @param onClosed see `TraceActivities` */
  constructor(onClosed: (activity: TracedActivity) => void) {
    this.#onClosed = onClosed;
  }

  /** None may start or end meanwhile. */
  *open(): Generator<TracedActivity, void, undefined> {
    for (let place = this.#first; place !== undefined; place = place.later) yield place.activity;
  }

  /** Adds an activity that starts in `parent`. None with the same key and name may be open: see `giveUp`. */
  start(activity: KnownActivity, parent: KnownActivity | undefined): void {
    const nowNs = activity.startNs;
    const place = new OpenPlace(activity);
    activity.place = place;
    activity.around = nearestOpen(parent);
    enter(place, nowNs);
    place.earlier = this.#last;
    if (this.#last === undefined) this.#first = place;
    else this.#last.later = place;
    this.#last = place;
    this.#count++;
    const before = this.#byKey.get(place.key, place.hash);
    place.before = before;
    if (before !== undefined) {
      before.after = place;
      before.ofKey = undefined;
      this.#byKey.delete(before);
    }
    place.ofKey = place;
    this.#byKey.add(place);
    if (place.span !== undefined) this.#bySpan.set(place.span, activity);
    this.#byThread.set(place.threadKey, activity);
    if (this.#count > MAX_OPEN) this.#giveUpOldest(GIVEN_UP_AT_ONCE, nowNs);
  }

  /**
   * Ends an open activity and marks everything inside it as killed, except in other processes, which do not notice the
   * end.
   */
  stop(activity: KnownActivity, nowNs: number): void {
    const { place } = activity;
    if (place === undefined) return;
    leave(place, nowNs);
    const ending: OpenPlace[] = [];
    this.#end(place, 'stopped', nowNs, ending);
    for (let next = ending.pop(); next !== undefined; next = ending.pop()) {
      this.#end(next, 'killed', nowNs, ending);
    }
  }

  /** @param ending receives those inside, in the same process */
  #end(place: OpenPlace, state: ActivityState, nowNs: number, ending: OpenPlace[]): void {
    const { activity } = place;
    if (isBusy(place)) activity.coveredNs += nowNs - place.busySinceNs;
    for (const inner of takeInside(place)) {
      if (inner.activity.processId === activity.processId) ending.push(inner);
      else inner.activity.around = undefined;
    }
    activity.endNs = nowNs;
    activity.state = state;
    this.#forget(place);
    this.#remember(place);
  }

  /** Gives up an open activity whose stop must be missing. It never gets an end. */
  giveUp({ place, around }: KnownActivity, nowNs: number): void {
    if (place === undefined) return;
    leave(place, nowNs);
    for (const inner of takeInside(place)) {
      inner.activity.around = around;
      enter(inner, nowNs);
    }
    this.#forget(place);
  }

  openOfName({ key, hash }: ActivityKey, name: string): KnownActivity | undefined {
    let place = this.#byKey.get(key, hash);
    for (let i = 0; i < MAX_SAME_KEY && place !== undefined; i++) {
      if (place.activity.name === name) return place.activity;
      place = place.before;
    }
    return undefined;
  }

  openOfKey(key: string, hash: number): KnownActivity | undefined {
    return this.#byKey.get(key, hash)?.ofKey?.activity;
  }

  /** The last open one, otherwise the last ended one. */
  ofKey(key: string, hash: number): KnownActivity | undefined {
    return this.openOfKey(key, hash) ?? this.#ended.get(key, hash);
  }

  /** Searches all processes: returns the open activity with these W3C ids, otherwise the last ended one. */
  ofSpan(traceId: string, spanId: string): KnownActivity | undefined {
    const span = spanKey(traceId, spanId);
    return this.#bySpan.get(span) ?? this.#endedSpans.get(span) ?? this.#endedSpansBefore.get(span);
  }

  openOnThread(processId: number | undefined, threadId: number | undefined): KnownActivity | undefined {
    return this.#byThread.get(threadText(processId, threadId));
  }

  #forget(place: OpenPlace): void {
    const { activity, threadKey, span, earlier, later } = place;
    const { around } = activity;
    activity.place = undefined;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    place.earlier = place.later = undefined;
    this.#count--;
    this.#forgetKey(place);
    if (span !== undefined && this.#bySpan.get(span) === activity) this.#bySpan.delete(span);
    this.#onClosed(activity);
    if (this.#byThread.get(threadKey) !== activity) return;
    if (around?.place !== undefined) this.#byThread.set(threadKey, around);
    else this.#byThread.delete(threadKey);
  }

  #forgetKey(place: OpenPlace): void {
    const { key, hash, before, after } = place;
    const last = after === undefined ? place : (this.#byKey.get(key, hash) as OpenPlace);
    const around = place.activity.around?.place;
    const ofKey = last.ofKey === place ? (around?.key === key ? around : undefined) : last.ofKey;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    else {
      this.#byKey.delete(place);
      if (before !== undefined) this.#byKey.add(before);
    }
    const left = after === undefined ? before : last;
    if (left !== undefined) left.ofKey = ofKey;
    place.before = place.after = place.ofKey = undefined;
  }

  #remember({ activity, key, hash, span }: OpenPlace): void {
    const earlier = this.#ended.get(key, hash);
    if (earlier !== undefined) this.#ended.delete(earlier);
    this.#forgetEnded(this.#nextEnded);
    this.#ended.add(activity);
    this.#endedInOrder[this.#nextEnded] = activity;
    this.#nextEnded = (this.#nextEnded + 1) % MAX_ENDED;
    if (span === undefined) return;
    this.#endedSpans.set(span, activity);
    if (this.#endedSpans.size < MAX_ENDED) return;
    this.#endedSpansBefore = this.#endedSpans;
    this.#endedSpans = new Map();
  }

  #forgetEnded(place: number): void {
    const ended = this.#endedInOrder[place];
    if (ended !== undefined) this.#ended.delete(ended);
    this.#endedInOrder[place] = undefined;
  }

  /** Forgets all but the last ones. */
  retain(open: number, ended: number, nowNs: number): void {
    this.#giveUpOldest(this.#count - open, nowNs);
    for (let i = 0; i < MAX_ENDED - ended; i++) this.#forgetEnded((this.#nextEnded + i) % MAX_ENDED);
    const spans = [...this.#endedSpansBefore, ...this.#endedSpans];
    this.#endedSpansBefore = new Map();
    this.#endedSpans = new Map(spans.slice(Math.max(0, spans.length - ended)));
  }

  #giveUpOldest(count: number, nowNs: number): void {
    for (let left = count; left > 0 && this.#first !== undefined; left--) {
      this.giveUp(this.#first.activity, nowNs);
    }
  }
}

/** Shortens the chain by removing the ended ones on the way. */
function nearestOpen(from: KnownActivity | undefined): KnownActivity | undefined {
  let open = from;
  while (open !== undefined && open.place === undefined) open = open.around;
  for (let ended = from; ended !== undefined && ended !== open; ) {
    const next: KnownActivity | undefined = ended.around;
    ended.around = open;
    ended = next;
  }
  return open;
}

function enter(place: OpenPlace, nowNs: number): void {
  const around = place.activity.around?.place;
  if (around === undefined) return;
  const previous = around.lastInside;
  if (previous === undefined) {
    around.busySinceNs = nowNs;
    around.firstInside = place;
  } else previous.next = place;
  place.previous = previous;
  around.lastInside = place;
}

function leave(place: OpenPlace, nowNs: number): void {
  const { previous, next } = place;
  const around = place.activity.around?.place;
  if (around === undefined) return;
  if (previous === undefined) around.firstInside = next;
  else previous.next = next;
  if (next === undefined) around.lastInside = previous;
  else next.previous = previous;
  place.previous = place.next = undefined;
  if (!isBusy(around)) around.activity.coveredNs += nowNs - around.busySinceNs;
}

function isBusy({ firstInside }: OpenPlace): boolean {
  return firstInside !== undefined;
}

/** Takes out the activities inside, in order. */
function takeInside(place: OpenPlace): readonly OpenPlace[] {
  if (!isBusy(place)) return NONE;
  const inside: OpenPlace[] = [];
  for (let each = place.firstInside; each !== undefined; ) {
    const { next }: OpenPlace = each;
    each.previous = each.next = undefined;
    inside.push(each);
    each = next;
  }
  place.firstInside = place.lastInside = undefined;
  return inside;
}

const NONE: readonly OpenPlace[] = [];

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
