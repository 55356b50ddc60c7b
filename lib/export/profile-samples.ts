/**
 * The CPU samples of a trace, for exports as profiles: charged to activities and weighed as by `view --cpu`, with what
 * tells one activity from another.
 */
import type { CodeMappings } from '../trace/code-mappings.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { activityKey } from '../view/activity-key.ts';
import { type ChargedSample, ChargedSamples, NO_SWITCHES } from '../view/cpu/charged-samples.ts';
import { CpuProfile, type SampledStack } from '../view/cpu/cpu-profile.ts';
import { type Frame, type FrameNames, IDLE } from '../view/cpu/frame-names.ts';
import { ActivityLabels } from '../view/explain/activity-labels.ts';
import { countText } from '../view/number-text.ts';
import { Interned } from '../view/report/interned.ts';
import type { Span } from '../view/spans.ts';
import { type ActivityChange, TraceActivities } from '../view/trace-activities.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import { SpanKind } from '../wire/otlp.ts';
import { startedSubject } from './span-conventions.ts';

/** What is known of the activity that a sample is charged to. */
export interface SampleLabels {
  /** The nearest request around it that a server answered, by method and route: `GET /items/:id`. */
  readonly route?: string | undefined;
  readonly activity?: string | undefined;
  /** The path, otherwise the id. */
  readonly path?: string | undefined;
  /** The ids of W3C Trace Context of the nearest activity that has some. */
  readonly span?: Span | undefined;
}

export class ProfileSamples {
  readonly activities: TraceActivities = new TraceActivities();
  readonly #names: FrameNames;
  readonly #charged: ChargedSamples;
  readonly #labels = new ActivityLabels();
  readonly #routes = new WeakMap<TracedActivity, string>();
  #profile: CpuProfile;
  #count = 0;
  /** Samples of what else perf counted, which cannot be added to the others. */
  #others = 0;
  #omitted = 0;

  /** @param take receives the samples in order within a thread */
  constructor(names: FrameNames, take: (sample: ChargedSample) => void) {
    this.#names = names;
    this.#profile = new CpuProfile(names);
    this.#charged = new ChargedSamples(this.activities, names, take);
  }

  /** Takes any event in time order. */
  add(event: TraceEvent): ActivityChange | undefined {
    const change = this.activities.add(event);
    if (change !== undefined) this.#addRoute(event, change);
    const stack = this.#profile.take(event);
    if (stack === undefined) this.#charged.addEvent(event);
    else if (this.#charged.addSample(event, stack)) this.#count++;
    else this.#others++;
    return change;
  }

  /** Call this after the last event. */
  end(): void {
    this.#charged.end();
  }

  /** Makes room for further stacks: those so far are known to the samples that have them. */
  forgetStacks(): void {
    this.#omitted += this.#profile.omitted;
    this.#profile = new CpuProfile(this.#names);
  }

  /** Whether samples can be charged to activities. */
  get hasSwitches(): boolean {
    return this.#charged.switches > 0;
  }

  /** The usual time between two samples of a thread. */
  get intervalNs(): number {
    return Math.round(this.#charged.intervalNs);
  }

  /** The time since the start of the trace. */
  get nowNs(): number {
    return Math.max(0, Math.round(this.activities.nowNs));
  }

  get contents(): string {
    return countText(this.#count, 'CPU sample');
  }

  /**
   * These sentences say what a profile lacks.
   *
   * @param dropped samples for which the export had no room
   */
  notices(dropped: number): string[] {
    if (this.#count === 0) return ['The profile is empty: the trace has no CPU samples.'];
    const omitted = this.#omitted + this.#profile.omitted + dropped;
    return [
      ...(this.#others > 0
        ? [`Omitted ${countText(this.#others, 'sample')} of something else than what the first one counts.`]
        : []),
      ...(omitted > 0 ? [`Omitted ${countText(omitted, 'CPU sample')}: there are too many.`] : []),
    ];
  }

  /** These sentences say what the labels lack. */
  labelNotices(): string[] {
    if (this.hasSwitches || this.#count === 0) return [];
    return [`No CPU sample can be charged to an activity of the trace: ${NO_SWITCHES}.`];
  }

  labelsOf(run: ChargedSample['run']): SampleLabels {
    if (run === undefined) return {};
    const { activity, activityId, processId } = run;
    return {
      route: nearest(activity, (each) => this.#routes.get(each)),
      activity: activity?.name,
      path: activityKey(activityId, processId)?.text,
      span: nearest(activity, ({ span }) => span),
    };
  }

  /** Innermost first; undefined for a thread that waited for something to do. Names may follow the samples. */
  framesOf(stack: SampledStack, mappings: CodeMappings | undefined): Frame[] | undefined {
    const frames = this.#profile.framesOf(stack, mappings);
    return frames[0]?.name === IDLE ? undefined : frames;
  }

  #addRoute(event: TraceEvent, { boundary, activity }: ActivityChange): void {
    const { provider, task } = activity;
    const known = this.#routes.get(activity);
    if (boundary === 'Stop') {
      if (known !== undefined) this.#routes.set(activity, this.#labels.withRoute(known, event));
      return;
    }
    const { kind, scope, name } = startedSubject(provider, task, event.payload);
    if (kind !== SpanKind.Server) return;
    // By OpenTelemetry's conventions, the name of such a span has the route.
    this.#routes.set(activity, scope === undefined ? this.#labels.of(event, activity) : name);
  }
}

function nearest<T>(
  activity: TracedActivity | undefined,
  find: (activity: TracedActivity) => T | undefined,
): T | undefined {
  for (let at = activity; at !== undefined; at = at.parent) {
    const found = find(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The functions of stacks, each once. */
export class ProfileFunctions {
  readonly functions: Interned<Frame> = new Interned();
  readonly #stacks = new Map<SampledStack, readonly number[] | undefined>();
  readonly #framesOf: (stack: SampledStack) => readonly Frame[] | undefined;

  constructor(framesOf: (stack: SampledStack) => readonly Frame[] | undefined) {
    this.#framesOf = framesOf;
  }

  /** Indices, innermost first; undefined as for `ProfileSamples.framesOf`. */
  of(stack: SampledStack): readonly number[] | undefined {
    if (!this.#stacks.has(stack)) {
      this.#stacks.set(
        stack,
        this.#framesOf(stack)?.map((frame) => {
          const { name, module, place } = frame;
          const key = `${name}\0${module}\0${place?.line}:${place?.column}`;
          return this.functions.indexOf(key, () => frame);
        }),
      );
    }
    return this.#stacks.get(stack);
  }
}
