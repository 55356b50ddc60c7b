/** Creates the events of a Perfetto trace, in time order: slices nest only then. */
import { Guid } from '../../activity/guid.ts';
import { isActivityPath } from '../../activity/path.ts';
import { EmptyPayload } from '../../wire/decoded-field.ts';
import {
  EventKind,
  EXPORTER,
  type PerfSample,
  TRACE_TRACK,
  TRACK_EVENT,
  type TrackEvent,
} from '../../wire/perfetto/messages.ts';
import { type Integer, MessageReader } from '../../wire/protobuf/message-reader.ts';
import type { CodeMappings } from '../code-mappings.ts';
import { annotationsOf, type EventHead, PerfettoEvent, type PerfettoTrace } from './perfetto-event.ts';
import type { NamedFrame, SequenceState } from './sequences.ts';
import { categoryOf, isAsync, NO_PROVIDER, nameOf, typeOf } from './track-events.ts';
import { idOf, type OpenSlice, type Track, type Tracks } from './tracks.ts';

/** Something with a time. */
export interface TimedRecord {
  /** The time on the trace's clock. */
  readonly timeNs: bigint;
  readonly state: SequenceState;
  /** The position of the packet. */
  readonly position: number;
  /** The bytes of a `TRACK_EVENT`; a sample; or the track of a slice that ends, because its duration is known. */
  readonly content: Uint8Array | PerfSample | Track;
}

/** The category of the activities in tracewright's own exports, which are read as what they were. */
const OWN_CATEGORY = 'activity';
const OWN_FLOWS = 'flow';
const MAX_FLOWS = 1 << 18;
const MAX_FUNCTIONS = 1 << 20;
/** The maximum length of all their names together, in characters. */
const MAX_FUNCTION_NAMES = 64 << 20;
/** Names that are kept have at most this length. */
const MAX_NAME = 500;
/** A lane of tracewright's own exports has at most this many activities above that of an event. */
const MAX_AROUND = 100;
const NOTHING = new Uint8Array(0);

export class EventFactory {
  readonly #trace: PerfettoTrace;
  readonly #tracks: Tracks;
  readonly #mappings: CodeMappings;
  /** The activities that flows come from. */
  readonly #flows = new Map<Integer, string>();
  /** The ids of activities in tracewright's own exports, by process and path. */
  readonly #ids = new Map<string, string>();
  /** The addresses that stand for functions. */
  readonly #functions = new Map<string, bigint>();
  readonly #stacks = new WeakMap<SequenceState, Map<Integer, readonly bigint[]>>();
  #slices = 0;
  #functionNames = 0;

  constructor(trace: PerfettoTrace, tracks: Tracks, mappings: CodeMappings) {
    this.#trace = trace;
    this.#tracks = tracks;
    this.#mappings = mappings;
  }

  /**
   * @param later takes the end of a slice whose duration is known
   * @returns undefined for what is no event
   */
  eventOf(record: TimedRecord, later: (end: TimedRecord) => void): PerfettoEvent | undefined {
    const { content } = record;
    if (content instanceof Uint8Array) return this.#trackEvent(record, content, later);
    if ('open' in content) return this.#stop(record, content, NOTHING);
    return this.#sample(record, content);
  }

  #trackEvent(
    record: TimedRecord,
    bytes: Uint8Array,
    later: (end: TimedRecord) => void,
  ): PerfettoEvent | undefined {
    const { state, position } = record;
    const event: TrackEvent = new MessageReader(bytes, position).message(TRACK_EVENT);
    const { legacyEvent: legacy } = event;
    const type = Number(event.type ?? 0) || typeOf(legacy);
    const track = this.#trackOf(event, state);
    switch (type) {
      case EventKind.SliceBegin: {
        const begun = this.#start(record, event, track, bytes);
        if (legacy?.durationUs !== undefined && legacy.durationUs >= 0) {
          later({ ...record, timeNs: record.timeNs + BigInt(legacy.durationUs) * 1000n, content: track });
        }
        return begun;
      }
      case EventKind.SliceEnd:
        return this.#stop(record, track, bytes, event);
      case EventKind.Counter:
        return this.#counter(record, event, track);
      default:
        return this.#instant(record, event, track, bytes);
    }
  }

  #start(record: TimedRecord, event: TrackEvent, track: Track, bytes: Uint8Array): PerfettoEvent {
    const { state, position } = record;
    const category = categoryOf(event, state);
    const task = short(nameOf(event, state) ?? track.name ?? NO_PROVIDER);
    const isOwn = this.#isOwn && category === OWN_CATEGORY;
    const values = isOwn ? annotationsOf(bytes, state, position).values : {};
    const place = this.#tracks.placeOf(track);
    const related = isOwn
      ? this.#ownId(place.processId, values.related)
      : (track.open.at(-1)?.activityId ?? this.#flowOf(event));
    const activity = isOwn ? short(textOf(values.activity) ?? '') : undefined;
    const id = Guid.tryParse(textOf(values.id) ?? activity ?? '');
    const slice: OpenSlice = {
      activityId: id?.toString() ?? this.#newId(track.uuid),
      provider: short(textOf(values.provider) ?? category),
      name: task,
      activity,
    };
    this.#tracks.begin(track, slice);
    if (isOwn) this.#addId(`${place.processId} ${slice.activity}`, slice.activityId);
    this.#addFlows(event, slice.activityId);
    return this.#event(record, {
      provider: slice.provider,
      name: `${task}/Start`,
      boundary: 'Start',
      task,
      processId: place.processId,
      threadId: isOwn ? numberOf(values.thread) : place.threadId,
      activityId: slice.activityId,
      relatedActivityId: related,
      bytes,
      ...(isOwn && { fields: 'fields' }),
    });
  }

  #stop(record: TimedRecord, track: Track, bytes: Uint8Array, event?: TrackEvent): PerfettoEvent | undefined {
    const slice = this.#tracks.end(track);
    if (event !== undefined && slice !== undefined) this.#addFlows(event, slice.activityId);
    const task = slice?.name ?? (event && nameOf(event, record.state)) ?? NO_PROVIDER;
    const { processId, threadId } = this.#tracks.placeOf(track);
    const head = {
      provider: slice?.provider ?? (event ? categoryOf(event, record.state) : NO_PROVIDER),
      name: `${task}/Stop`,
      boundary: 'Stop',
      task,
      processId,
      activityId: slice?.activityId,
      bytes,
    } as const;
    if (slice?.activity === undefined) return this.#event(record, { ...head, threadId });
    const { values } = annotationsOf(bytes, record.state, record.position);
    // Its stop was missing.
    if (typeof values.stop === 'string') return undefined;
    return this.#event(record, { ...head, threadId: numberOf(values['stop thread']), fields: 'stop' });
  }

  #instant(
    record: TimedRecord,
    event: TrackEvent,
    track: Track,
    bytes: Uint8Array,
  ): PerfettoEvent | undefined {
    const { state, position } = record;
    const category = categoryOf(event, state);
    const { processId, threadId } = this.#tracks.placeOf(track);
    const top = track.open.at(-1);
    if (top !== undefined) this.#addFlows(event, top.activityId);
    const name = nameOf(event, state) ?? track.name ?? NO_PROVIDER;
    const head = { provider: category, name, processId, threadId, bytes };
    if (!this.#isOwn) return this.#event(record, { ...head, activityId: top?.activityId });
    // What draws an arrow.
    if (category === OWN_FLOWS) return undefined;
    const { values } = annotationsOf(bytes, state, position);
    const around = openNamed(track, values.activity);
    return this.#event(record, {
      ...head,
      threadId: numberOf(values.thread) ?? threadId,
      activityId:
        around?.activityId ??
        Guid.tryParse(textOf(values.id) ?? '')?.toString() ??
        this.#ownId(processId, values.activity),
      relatedActivityId: this.#ownId(processId, values.related),
      fields: 'fields',
    });
  }

  #counter(record: TimedRecord, event: TrackEvent, track: Track): PerfettoEvent {
    const { counterValue, doubleCounterValue } = event;
    let value = doubleCounterValue ?? Number(counterValue ?? 0);
    if (track.value !== undefined) {
      track.value += value;
      value = track.value;
    }
    const payload = new EmptyPayload();
    payload.value = value * track.unitMultiplier;
    if (track.unit !== undefined) payload.unit = track.unit;
    return this.#event(record, {
      provider: categoryOf(event, record.state),
      name: track.name ?? nameOf(event, record.state) ?? 'Counter',
      ...this.#tracks.placeOf(track),
      bytes: NOTHING,
      payload,
    });
  }

  #sample(record: TimedRecord, { pid, tid, cpu, callstackIid }: PerfSample): PerfettoEvent {
    return this.#event(record, {
      provider: 'perf',
      name: 'sample',
      processId: idOf(pid),
      threadId: idOf(tid),
      ...(cpu !== undefined && { processor: Number(cpu) }),
      bytes: NOTHING,
      payload: new EmptyPayload(),
      ...(callstackIid !== undefined && { stack: this.#stackOf(record.state, callstackIid) }),
    });
  }

  #event(
    record: TimedRecord,
    head: Omit<EventHead, 'trace' | 'timeNs' | 'state' | 'position'>,
  ): PerfettoEvent {
    const { timeNs, state, position } = record;
    return new PerfettoEvent({ ...head, trace: this.#trace, timeNs, state, position });
  }

  /** Events of the older form have asynchronous ones, by id. */
  #trackOf({ trackUuid, legacyEvent: legacy, ...event }: TrackEvent, state: SequenceState): Track {
    const sequenceTrack = () => this.#sequenceTrack(trackUuid ?? state.defaults?.trackUuid, state);
    const id = legacy?.unscopedId ?? legacy?.localId ?? legacy?.globalId;
    if (legacy === undefined || id === undefined || !isAsync(legacy)) return sequenceTrack();
    const { processId } = this.#tracks.placeOf(sequenceTrack());
    const key = `${legacy.globalId === undefined ? processId : ''} ${legacy.idScope ?? categoryOf(event, state)} ${id}`;
    const track = this.#tracks.of(key);
    track.processId = processId;
    return track;
  }

  #sequenceTrack(uuid: Integer | undefined, { thread, sequence }: SequenceState): Track {
    if (uuid !== undefined || thread === undefined) return this.#tracks.of(uuid ?? 0);
    const track = this.#tracks.of(`sequence ${sequence}`);
    track.processId = idOf(thread.pid);
    track.threadId = idOf(thread.tid);
    return track;
  }

  #stackOf(state: SequenceState, iid: Integer): readonly bigint[] {
    let stacks = this.#stacks.get(state);
    if (stacks === undefined) {
      stacks = new Map();
      this.#stacks.set(state, stacks);
    }
    let stack = stacks.get(iid);
    if (stack === undefined) {
      const frames = state.stacks.get(iid) ?? [];
      stack = frames
        .map((frame) => this.#addressOf(state.frames.get(frame) ?? { name: `frame ${frame}`, module: '' }))
        .reverse();
      stacks.set(iid, stack);
    }
    return stack;
  }

  /** Stands for the function: the format has names instead. */
  #addressOf(frame: NamedFrame): bigint {
    const key = `${frame.module}\0${frame.name}`;
    let address = this.#functions.get(key);
    if (address === undefined) {
      address = BigInt(this.#functions.size + 1) << 12n;
      this.#functionNames += key.length;
      if (this.#functions.size >= MAX_FUNCTIONS || this.#functionNames > MAX_FUNCTION_NAMES) return address;
      this.#functions.set(key, address);
      this.#mappings.functions.set(address, frame);
    }
    return address;
  }

  /** Makes an id of version 8, which says nothing about how it is made; but no path of activities. */
  #newId(uuid: Integer | string): string {
    const track = (typeof uuid === 'string' ? 0n : BigInt.asUintN(60, BigInt(uuid))).toString(16);
    for (;;) {
      const a = track.padStart(15, '0');
      const b = (++this.#slices).toString(16).padStart(15, '0');
      const id = `${a.slice(0, 8)}-${a.slice(8, 12)}-8${a.slice(12)}-8${b.slice(0, 3)}-${b.slice(3)}`;
      if (!isActivityPath(Guid.parse(id))) return id;
    }
  }

  get #isOwn(): boolean {
    return this.#tracks.of(TRACE_TRACK).name === EXPORTER;
  }

  /** The id of an activity that an own export names by its path, or by the id itself. */
  #ownId(processId: number | undefined, activity: unknown): string | undefined {
    const id = textOf(activity);
    return id === undefined
      ? undefined
      : (this.#ids.get(`${processId} ${id}`) ?? Guid.tryParse(id)?.toString());
  }

  #addId(key: string, id: string): void {
    if (this.#ids.size >= MAX_FLOWS) this.#ids.clear();
    this.#ids.set(key, id);
  }

  #addFlows({ flowIds = [], terminatingFlowIds = [] }: TrackEvent, activityId: string): void {
    for (const flow of flowIds) {
      if (this.#flows.size >= MAX_FLOWS) this.#flows.clear();
      if (!this.#flows.has(flow)) this.#flows.set(flow, activityId);
    }
    for (const flow of terminatingFlowIds) this.#flows.delete(flow);
  }

  /** The activity that a flow comes from. */
  #flowOf({ flowIds = [], terminatingFlowIds = [] }: TrackEvent): string | undefined {
    for (const flow of [...terminatingFlowIds, ...flowIds]) {
      const cause = this.#flows.get(flow);
      if (cause !== undefined) return cause;
    }
    return undefined;
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A copy, as a part of a text would retain all of it. */
function short(text: string): string {
  return text.length > MAX_NAME ? Buffer.from(text.slice(0, MAX_NAME)).toString() : text;
}

/** The innermost open activity that an own export names like this. */
function openNamed({ open }: Track, activity: unknown): OpenSlice | undefined {
  for (let i = open.length - 1; i >= Math.max(0, open.length - MAX_AROUND); i--) {
    if (open[i]?.activity === activity) return open[i];
  }
  return undefined;
}
