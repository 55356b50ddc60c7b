/**
 * A trace as a file for speedscope.app: activities as calls, in one profile per lane, and CPU samples, in one per
 * thread.
 *
 * Source: speedscope's file-format-spec.ts. A profile's numbers must be contiguous and all profiles share their frames,
 * so everything is kept until the end.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import { ChargedSamples, processorTime } from '../view/cpu/charged-samples.ts';
import { isCpuSample } from '../view/cpu/cpu-profile.ts';
import { FrameNames } from '../view/cpu/frame-names.ts';
import { countText } from '../view/number-text.ts';
import { TraceActivities } from '../view/trace-activities.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import { ActivityLanes, type Lane } from './activity-lanes.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { JsonPieces } from './json-pieces.ts';
import { Frames, SampledThreads, type SamplePlace } from './sampled-threads.ts';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

/** The maximum number of activities kept. */
const MAX_ACTIVITIES = 1_000_000;

/** The begins and ends of a lane's activities, as numbers: there can be millions. */
interface Calls {
  readonly times: number[];
  /** Frames; of ends, their complement. */
  readonly frames: number[];
}

export class SpeedscopeExport implements Exporter {
  readonly notices: string[] = [];
  /** The export is never full, since nothing is written before the end. */
  readonly isFull: boolean = false;
  readonly #name: string;
  readonly #activities = new TraceActivities();
  readonly #lanes = new ActivityLanes();
  readonly #calls = new Map<Lane, Calls>();
  readonly #frames = new Frames();
  readonly #names: FrameNames;
  readonly #samples: SampledThreads;
  readonly #charged: ChargedSamples<SamplePlace | undefined>;
  /** Whether samples are weighed by time. */
  #hasTimes: boolean;
  #activityCount = 0;
  #dropped = 0;

  /** @param names of the frames of samples */
  constructor({ name, info }: ExportedTrace, names: FrameNames = new FrameNames()) {
    this.#name = name;
    const interval = Number(info.properties.ExpectedCPUSamplingRate);
    this.#hasTimes = interval > 0;
    this.#names = names;
    this.#samples = new SampledThreads(names);
    this.#charged = new ChargedSamples(this.#activities, names, (sample) => {
      const { subject, ns } = sample;
      if (subject === undefined) return;
      this.#hasTimes ||= ns !== undefined;
      subject.thread.weights[subject.index] = Math.round(processorTime(sample, interval > 0 ? interval : 1));
    });
  }

  add(event: TraceEvent): void {
    const change = this.#activities.add(event);
    if (change?.boundary === 'Start') this.#start(change.activity);
    else if (change !== undefined) this.#close(change.activity);
    if (isCpuSample(event)) {
      this.#charged.addSample(event, this.#names.isIdle(event) ? undefined : this.#samples.addSample(event));
      return;
    }
    this.#names.add(event);
    this.#charged.addEvent(event);
  }

  get contents(): string {
    return `${countText(this.#activityCount, 'activity')} and ${countText(this.#samples.count, 'CPU sample')}`;
  }

  take(): string {
    return '';
  }

  *end(end: ExportedEnd): Generator<string, void> {
    for (const open of this.#lanes.closeAll()) this.#call('C', open);
    const json = new JsonPieces();
    const head = { $schema: SCHEMA, exporter: 'tracewright', name: this.#name, activeProfileIndex: 0 };
    json.text(`${JSON.stringify(head).slice(0, -1)},"profiles":[`);
    let count = this.#calls.size;
    for (const [lane, calls] of this.#calls) yield* laneProfile(json, lane, calls, end);
    this.#charged.end();
    const unit = this.#hasTimes ? 'nanoseconds' : 'none';
    for (const profile of this.#samples.profiles(this.#frames, unit, end)) {
      json.element(profile);
      count++;
      yield json.take();
    }
    json.text('\n],"shared":{"frames":[');
    let separator = '\n';
    for (const name of this.#frames.names) {
      json.text(`${separator}${JSON.stringify({ name })}`);
      separator = ',\n';
      if (json.isFull) yield json.take();
    }
    json.text('\n]}}\n');
    yield json.take();
    this.#notice(count);
  }

  #start(activity: TracedActivity): void {
    for (const lost of this.#lanes.lostBy(activity)) this.#call('C', lost);
    const isPlaced = this.#activityCount < MAX_ACTIVITIES && this.#lanes.open(activity) !== undefined;
    if (!isPlaced) {
      this.#dropped++;
      return;
    }
    this.#activityCount++;
    this.#call('O', activity);
  }

  #close(activity: TracedActivity): void {
    for (const ended of this.#lanes.close(activity)) this.#call('C', ended);
  }

  #call(type: 'O' | 'C', activity: TracedActivity): void {
    const lane = this.#lanes.lastLaneOf(activity) as Lane;
    let calls = this.#calls.get(lane);
    if (calls === undefined) {
      calls = { times: [], frames: [] };
      this.#calls.set(lane, calls);
    }
    const frame = this.#frames.indexOf(activity.name);
    calls.times.push(this.#activities.nowNs);
    calls.frames.push(type === 'O' ? frame : ~frame);
  }

  #notice(profileCount: number): void {
    if (this.#dropped > 0) this.notices.push(`${this.#dropped} activities are omitted: there are too many.`);
    this.notices.push(...this.#samples.notices);
    if (profileCount > 0) return;
    this.notices.push(
      'The file is empty: speedscope shows activities and CPU samples, but the trace has none.',
    );
  }
}

function* laneProfile(
  json: JsonPieces,
  { number, processId }: Lane,
  { times, frames }: Calls,
  { processNames }: ExportedEnd,
): Generator<string, void> {
  const process = processId === undefined ? undefined : (processNames.get(processId) ?? processId);
  const profile = {
    type: 'evented',
    name: `Activities ${number}${process === undefined ? '' : ` of ${process}`}`,
    unit: 'nanoseconds',
    startValue: times[0],
    endValue: times.at(-1),
    events: [],
  };
  json.beginElement(JSON.stringify(profile).slice(0, -']}'.length));
  for (const [index, at] of times.entries()) {
    const frame = frames[index] as number;
    const call = frame < 0 ? { type: 'C', at, frame: ~frame } : { type: 'O', at, frame };
    json.text(`${index === 0 ? '' : ','}${JSON.stringify(call)}`);
    if (json.isFull) yield json.take();
  }
  json.text(']}');
  yield json.take();
}
