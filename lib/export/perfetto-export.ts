/**
 * A trace in Perfetto's own format, for ui.perfetto.dev and trace_processor: activities as slices in lanes, flows
 * between them, other events as instants, counters and CPU samples.
 *
 * Source: google/perfetto, docs/reference/synthetic-track-event.md and the .proto files named in
 * lib/wire/perfetto/messages.ts. Slices of a track must nest, and the activities of a thread overlap, so each lane is a track.
 */
import { hexText } from '../base/bytes.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { counterValues } from '../view/counter-values.ts';
import { isCpuSample } from '../view/cpu/cpu-profile.ts';
import { FrameNames } from '../view/cpu/frame-names.ts';
import { eventName } from '../view/event-names.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import type { Payload } from '../wire/decoded-field.ts';
import {
  type Annotation,
  EventKind,
  type InternedCallstack,
  type WrittenTrackEvent,
} from '../wire/perfetto/messages.ts';
import type { Lane } from './activity-lanes.ts';
import { ActivityTimeline, type Arrow, type TimelineWriter } from './activity-timeline.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { InternedNames, PerfettoPackets } from './perfetto-packets.ts';
import { Frames, SampledThreads } from './sampled-threads.ts';

const CATEGORY = 'activity';
const FLOW_CATEGORY = 'flow';
/** Structs and arrays nest this deep; deeper values become text. */
const MAX_DEPTH = 20;
const MAX_INT64 = 2n ** 63n;

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };
type Values = Readonly<Record<string, Payload[string] | undefined>>;

export class PerfettoExport implements Exporter, TimelineWriter {
  readonly notices: string[] = [];
  readonly #packets: PerfettoPackets;
  readonly #timeline = new ActivityTimeline(this);
  readonly #samples: SampledThreads;
  readonly #names = new InternedNames();
  readonly #categories = new InternedNames();
  readonly #fields = new InternedNames();
  /** The names that have been written, by process. */
  readonly #processNames = new Map<number, string | undefined>();
  readonly #knownNames: ReadonlyMap<number, string> | undefined;
  /** The numbers of the tracks of lanes, by the lanes' own. */
  readonly #lanes: number[] = [];
  #flowCount = 0;

  /** @param names of the frames of samples */
  constructor({ info, processNames }: ExportedTrace, names: FrameNames = new FrameNames()) {
    this.#packets = new PerfettoPackets(info.startTime, info.hasWallTime);
    this.#samples = new SampledThreads(names);
    this.#knownNames = processNames;
  }

  add(event: TraceEvent): void {
    if (isCpuSample(event) && event.stack !== undefined && event.stack.length > 0) {
      this.#samples.addSample(event);
      return;
    }
    this.#samples.addNames(event);
    if (!this.#counters(event)) this.#timeline.add(event);
  }

  get isFull(): boolean {
    return this.#packets.isFull;
  }

  take(): Uint8Array {
    return this.#packets.take();
  }

  *end({ processNames, mappings }: ExportedEnd): Generator<Uint8Array, void> {
    const notice = this.#timeline.end();
    if (notice !== undefined) this.notices.push(notice);
    this.notices.push(...this.#samples.notices);
    for (const [pid, written] of this.#processNames) {
      const name = processNames.get(pid);
      if (name !== undefined && name !== written) {
        this.#packets.describe(this.#process(pid) as number, {
          process: { pid: pid | 0, processName: name },
        });
      }
    }
    const frames = new Frames();
    const stacks = this.#samples.stacks(frames, mappings);
    yield* this.#sampleNames(frames, stacks);
    for (const { processId, threadId, samples, times } of this.#samples.threads) {
      this.#thread(processId, threadId);
      for (const [index, stack] of samples.entries()) {
        this.#packets.sample(times[index] as number, {
          perfSample: {
            ...(processId !== undefined && { pid: processId }),
            ...(threadId !== undefined && { tid: threadId }),
            callstackIid: stack + 1,
          },
        });
        if (this.isFull) yield this.take();
      }
    }
    yield this.take();
  }

  /** @internal */
  begin(event: TraceEvent, activity: TracedActivity, lane: Lane, arrow: Arrow | undefined): void {
    const { activityId, activityPath, relatedActivityId, relatedActivityPath, labels, threadId } = event;
    const trackUuid = this.#lane(lane);
    let terminatingFlowIds: number[] = [];
    if (arrow !== undefined) {
      // From an instant, because the slice of the cause has been written.
      const flowIds = [++this.#flowCount];
      const cause = { type: EventKind.Instant, trackUuid: this.#lane(arrow.lane), flowIds };
      this.#event(arrow.fromNs, FLOW_CATEGORY, `starts ${activity.task}`, cause);
      terminatingFlowIds = flowIds;
    }
    const values = {
      provider: event.provider,
      activity: activityPath ?? activityId,
      id: activityPath === undefined ? undefined : activityId,
      related: relatedActivityPath ?? relatedActivityId,
      thread: threadId,
      labels,
      fields: nonEmpty(event.payload),
    };
    const track = { type: EventKind.SliceBegin, trackUuid, terminatingFlowIds };
    this.#event(activity.startNs, CATEGORY, activity.task, track, values, event.hexFields);
  }

  /** @internal */
  stop({ isFailed }: TracedActivity, lane: Lane, atNs: number, stop: TraceEvent | string): void {
    const track = { type: EventKind.SliceEnd, trackUuid: this.#lane(lane) };
    if (typeof stop === 'string') {
      this.#event(atNs, undefined, undefined, track, { stop });
      return;
    }
    const { threadId, labels, payload } = stop;
    const values = {
      failed: isFailed || undefined,
      'stop thread': threadId,
      'stop labels': labels,
      stop: nonEmpty(payload),
    };
    this.#event(atNs, undefined, undefined, track, values, stop.hexFields);
  }

  /** @internal */
  instant(event: TraceEvent, lane: Lane | undefined, atNs: number): void {
    const { provider, threadId, activityId, activityPath, relatedActivityId, relatedActivityPath, labels } =
      event;
    const trackUuid = lane === undefined ? this.#thread(event.processId, threadId) : this.#lane(lane);
    const track = { type: EventKind.Instant, ...(trackUuid !== undefined && { trackUuid }) };
    const name = eventName(event).slice(provider.length + 1);
    this.#event(
      atNs,
      provider,
      name,
      track,
      {
        activity: activityPath ?? activityId,
        id: lane !== undefined || activityPath === undefined ? undefined : activityId,
        related: relatedActivityPath ?? relatedActivityId,
        thread: lane === undefined ? undefined : threadId,
        labels,
        fields: nonEmpty(event.payload),
      },
      event.hexFields,
    );
  }

  /** @returns whether the event has counters */
  #counters(event: TraceEvent): boolean {
    const counters = counterValues(event, undefined, 1);
    for (const { provider, displayName, tags, unit, value } of counters) {
      if (value === undefined) continue;
      const name = `${provider}/${displayName}${tags === '' ? '' : ` {${tags}}`}`;
      const trackUuid = this.#packets.track(`counter ${event.processId} ${name}`, () => ({
        ...this.#parent(event.processId),
        name,
        counter: unit === '' ? {} : { unitName: unit },
      }));
      const trackEvent = { type: EventKind.Counter, trackUuid, doubleCounterValue: value };
      this.#packets.event(event.nsSinceStart, { trackEvent });
    }
    return counters.length > 0;
  }

  #event(
    atNs: number,
    category: string | undefined,
    name: string | undefined,
    track: Draft<WrittenTrackEvent>,
    values: Values = {},
    hexFields?: ReadonlySet<string>,
  ): void {
    const categoryIid = category === undefined ? undefined : this.#categories.numberOf(category);
    const nameIid = name === undefined ? undefined : this.#names.numberOf(name);
    // Assigned instead of spread: that takes twice as long.
    if (categoryIid !== undefined) track.categoryIids = [categoryIid];
    else if (category !== undefined) track.categories = [category];
    if (nameIid !== undefined) track.nameIid = nameIid;
    else if (name !== undefined) track.name = name;
    track.debugAnnotations = this.#annotations(values, hexFields, 0);
    const eventCategories = this.#categories.takeAdded();
    const eventNames = this.#names.takeAdded();
    const debugAnnotationNames = this.#fields.takeAdded();
    if ((eventCategories ?? eventNames ?? debugAnnotationNames) === undefined) {
      this.#packets.event(atNs, { trackEvent: track });
      return;
    }
    const internedData = {
      ...(eventCategories && { eventCategories }),
      ...(eventNames && { eventNames }),
      ...(debugAnnotationNames && { debugAnnotationNames }),
    };
    this.#packets.event(atNs, { internedData, trackEvent: track });
  }

  #annotations(values: Values, hexFields: ReadonlySet<string> | undefined, depth: number): Annotation[] {
    const annotations: Annotation[] = [];
    for (const name in values) {
      const value = values[name];
      if (value === undefined) continue;
      const nameIid = this.#fields.numberOf(name);
      const annotation: Draft<Annotation> = nameIid === undefined ? { name } : { nameIid };
      this.#annotate(annotation, value, hexFields?.has(name) ?? false, hexFields, depth);
      annotations.push(annotation);
    }
    return annotations;
  }

  #annotate(
    annotation: Draft<Annotation>,
    value: Payload[string],
    isHex: boolean,
    hexFields: ReadonlySet<string> | undefined,
    depth: number,
  ): void {
    switch (typeof value) {
      case 'string':
        annotation.stringValue = value;
        return;
      case 'boolean':
        annotation.boolValue = value;
        return;
      case 'bigint':
        if (isHex && value >= 0n) annotation.pointerValue = value;
        else if (value >= MAX_INT64) annotation.uintValue = value;
        else annotation.intValue = value;
        return;
      case 'number':
        if (!Number.isSafeInteger(value) || Object.is(value, -0)) annotation.doubleValue = value;
        else if (isHex && value >= 0) annotation.pointerValue = value;
        else annotation.intValue = value;
        return;
    }
    if (value === null) return;
    if (value instanceof Uint8Array) {
      annotation.stringValue = hexText(value);
      return;
    }
    const isArray = Array.isArray(value);
    // Nothing distinguishes empty ones.
    if ((isArray ? value : Object.keys(value)).length === 0)
      annotation.legacyJsonValue = isArray ? '[]' : '{}';
    else if (depth >= MAX_DEPTH) annotation.stringValue = '…';
    else if (!isArray) annotation.dictEntries = this.#annotations(value as Payload, hexFields, depth + 1);
    else {
      annotation.arrayValues = value.map((item) => {
        const entry: Draft<Annotation> = {};
        this.#annotate(entry, item, isHex, hexFields, depth + 1);
        return entry;
      });
    }
  }

  #lane(lane: Lane): number {
    this.#lanes[lane.index] ??= this.#packets.track(`lane ${lane.index}`, () => ({
      ...this.#parent(lane.processId),
      name: `Activities ${lane.number}`,
    }));
    return this.#lanes[lane.index] as number;
  }

  /** The track of a thread, otherwise of the process; undefined for that of the whole trace. */
  #thread(pid: number | undefined, tid: number | undefined): number | undefined {
    if (pid === undefined || tid === undefined) return this.#process(pid);
    this.#process(pid);
    return this.#packets.track(`thread ${pid} ${tid}`, () => ({ thread: { pid: pid | 0, tid } }));
  }

  #process(pid: number | undefined): number | undefined {
    if (pid === undefined) return undefined;
    return this.#packets.track(`process ${pid}`, () => {
      const name = this.#knownNames?.get(pid);
      this.#processNames.set(pid, name);
      return { process: { pid: pid | 0, ...(name !== undefined && { processName: name }) } };
    });
  }

  #parent(pid: number | undefined): { readonly parentUuid?: number } {
    const parentUuid = this.#process(pid);
    return parentUuid === undefined ? {} : { parentUuid };
  }

  /** The functions, frames and stacks that all samples refer to. */
  *#sampleNames(frames: Frames, stacks: readonly (readonly number[])[]): Generator<Uint8Array, void> {
    let iid = 0;
    for (const name of frames.names) {
      iid++;
      const functionNames = [{ iid, str: Buffer.from(name) }];
      this.#packets.sample(0, { internedData: { functionNames, frames: [{ iid, functionNameId: iid }] } });
      if (this.isFull) yield this.take();
    }
    for (const [index, stack] of stacks.entries()) {
      const callstack: InternedCallstack = { iid: index + 1, frameIds: stack.map((frame) => frame + 1) };
      this.#packets.sample(0, { internedData: { callstacks: [callstack] } });
      if (this.isFull) yield this.take();
    }
  }
}

function nonEmpty(payload: Payload): Payload | undefined {
  for (const _ in payload) return payload;
  return undefined;
}
