/** An activity found in a trace. It retains only what is shown, and none of the trace's bytes. */
import { Guid } from '../activity/guid.ts';
import { formatPerfViewActivityPath } from '../activity/perfview-path.ts';
import { processIdOfPath } from './activity-key.ts';
import type { ActivityNaming } from './event-names.ts';
import type { Span } from './spans.ts';

/**
 * - `open`: its stop is not in the trace
 * - `stopped`: its stop is in the trace
 * - `killed`: an enclosing activity has stopped, and it has shown no sign of life since
 * - `unstarted`: a stop without a start
 */
export type ActivityState = 'open' | 'stopped' | 'killed' | 'unstarted';

/** TraceActivities creates and changes it; others only read it. */
export class TracedActivity {
  /** Counts the trace's starts from 0; -1 without a start. */
  readonly index: number;
  readonly provider: string;
  /** The task: `Request`. */
  readonly task: string;
  /** `MyCompany-MyService/Request` */
  readonly name: string;
  /** GUID text; the span id if it only has W3C ids. */
  readonly id: string;
  /** Present for an activity that crosses process boundaries and whose start is known. */
  readonly span: Span | undefined;
  readonly processId: number | undefined;
  /** A field of the start, as PerfView adds its first text to the name: `/url=http://site/`; without a text, a number. */
  readonly extra: string | undefined;
  readonly parent: TracedActivity | undefined;
  /** 0 at the top. */
  readonly depth: number;
  readonly startThreadId: number | undefined;
  /** Nanoseconds since the start of the trace. For an `unstarted` one, when it stopped. */
  readonly startNs: number;
  state: ActivityState;
  /** Its stop, or an event before it, says so: see `lib/known/failures.ts`. */
  isFailed = false;
  stopThreadId: number | undefined = undefined;
  /** A killed activity ends when the enclosing one stopped; undefined while `open`. */
  endNs: number | undefined = undefined;
  /** How long at least one activity ran inside it; final when it has ended. */
  coveredNs = 0;

  constructor(head: ActivityHead, parent: TracedActivity | undefined) {
    this.index = head.index;
    this.provider = head.naming.provider;
    this.task = head.naming.task;
    this.name = head.naming.name;
    this.id = head.id;
    this.span = head.span;
    this.processId = head.processId;
    this.extra = head.extra;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.startThreadId = head.startThreadId;
    this.startNs = head.startNs;
    this.state = head.state;
  }

  /** The name as PerfView prints it: `Request(/#4321/1/1/,/url=http://site/)`. */
  get label(): string {
    const extra = this.extra === undefined ? '' : `,${this.extra}`;
    return `${this.task}(${perfViewIdText(this.id, this.processId)}${extra})`;
  }

  /** The duration is undefined while the activity is open, and if its start is unknown. */
  get durationNs(): number | undefined {
    return this.endNs === undefined || this.state === 'unstarted' ? undefined : this.endNs - this.startNs;
  }

  /** How long it ran while nothing ran inside it. */
  get selfNs(): number | undefined {
    const { durationNs } = this;
    return durationNs === undefined ? undefined : durationNs - this.coveredNs;
  }
}

export interface ActivityHead {
  readonly index: number;
  readonly naming: ActivityNaming;
  readonly id: string;
  readonly span: Span | undefined;
  readonly processId: number | undefined;
  readonly extra: string | undefined;
  readonly startThreadId: number | undefined;
  readonly startNs: number;
  readonly state: ActivityState;
}

function perfViewIdText(id: string, processId: number | undefined): string {
  const guid = Guid.tryParse(id);
  if (guid === undefined) return id;
  return formatPerfViewActivityPath(guid, processIdOfPath(guid, processId) ?? 0);
}

/**
 * What one reader keeps with each activity as long as that is known. It is on the activities themselves: with WeakMaps,
 * exports take a tenth longer.
 */
export class ActivityNotes<Note> {
  readonly #key = Symbol();

  get(activity: TracedActivity): Note | undefined {
    return (activity as Noted<Note>)[this.#key];
  }

  set(activity: TracedActivity, note: Note): void {
    (activity as Noted<Note>)[this.#key] = note;
  }
}

type Noted<Note> = TracedActivity & { [key: symbol]: Note };
