/**
 * What Perfetto shows of a trace, decoded by protobuf.js: slices that nest in their tracks, instants, flows that end,
 * counters and CPU samples. Names and stacks must be defined before they are used, in the same sequence.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedTools } from '../consumers/application.ts';

const tools = installedTools({ protobufjs: '7.3.2' });

export const NO_DECODER = 'reason' in tools ? tools.reason : undefined;

export interface ShownSlice {
  readonly name: string;
  readonly track: string;
  readonly start: number;
  end: number;
  readonly depth: number;
  args: Record<string, unknown>;
}

export interface ShownInstant {
  readonly name: string;
  readonly category: string;
  readonly track: string;
  readonly at: number;
  readonly args: Record<string, unknown>;
}

export interface ShownTrace {
  readonly slices: readonly ShownSlice[];
  readonly instants: readonly ShownInstant[];
  /** By the names of the slices. */
  readonly arrows: readonly (readonly [from: string, to: string])[];
  readonly counters: readonly (readonly [
    track: string,
    at: number,
    value: number,
    unit: string | undefined,
  ])[];
  readonly samples: readonly (readonly [thread: string, at: number, frames: string])[];
  readonly clocks: readonly (readonly [clock: number, time: string])[];
}

// biome-ignore lint/suspicious/noExplicitAny: what protobuf.js decodes
type Decoded = any;

/** @throws Error that names the broken rule */
export function checkPerfettoTrace(bytes: Uint8Array): ShownTrace {
  const require = createRequire(join('folder' in tools ? tools.folder : '', 'package.json'));
  const { parse } = require('protobufjs') as Decoded;
  const definitions = readFileSync(new URL('perfetto-trace.proto', import.meta.url), 'utf8');
  const type = parse(definitions).root.lookupType('perfetto.protos.Trace');
  const { packet: packets = [] } = type.toObject(type.decode(bytes), { longs: String, bytes: Buffer });
  const shown = new Shown();
  for (const packet of packets) shown.add(packet);
  return shown.result();
}

function demand(condition: boolean, rule: string, where: unknown): void {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(where).slice(0, 300)}`);
}

interface Sequence {
  readonly names: Map<string, string>;
}

class Shown {
  readonly #slices: ShownSlice[] = [];
  readonly #instants: ShownInstant[] = [];
  readonly #arrows: (readonly [string, string])[] = [];
  readonly #counters: (readonly [string, number, number, string | undefined])[] = [];
  readonly #samples: (readonly [string, number, string])[] = [];
  readonly #clocks: (readonly [number, string])[] = [];
  readonly #tracks = new Map<string, Decoded>();
  readonly #open = new Map<string, ShownSlice[]>();
  readonly #flows = new Map<string, string>();
  readonly #sequences = new Map<number, Sequence>();

  add(packet: Decoded): void {
    const { trustedPacketSequenceId: id, sequenceFlags: flags } = packet;
    demand(
      flags === 1 || (flags === 2 && this.#sequences.has(id)),
      'A sequence starts with no state',
      packet,
    );
    if (flags === 1) this.#sequences.set(id, { names: new Map() });
    const { names } = this.#sequences.get(id) as Sequence;
    this.#intern(names, packet.internedData ?? {});
    for (const { clockId, timestamp } of packet.clockSnapshot?.clocks ?? [])
      this.#clocks.push([clockId, timestamp]);
    if (packet.trackDescriptor) this.#tracks.set(packet.trackDescriptor.uuid, packet.trackDescriptor);
    const at = Number(packet.timestamp);
    if (packet.trackEvent) this.#event(at, packet.trackEvent, names);
    if (packet.perfSample) {
      const { pid, tid, callstackIid } = packet.perfSample;
      const stack = names.get(`stack ${callstackIid}`);
      demand(stack !== undefined, 'A stack is defined before it is used', packet);
      this.#samples.push([`${pid}/${tid}`, at, stack as string]);
    }
  }

  result(): ShownTrace {
    for (const open of this.#open.values()) demand(open.length === 0, 'Every slice ends', open.at(-1)?.name);
    demand(this.#flows.size === 0, 'Every flow ends', [...this.#flows]);
    return {
      slices: this.#slices,
      instants: this.#instants,
      arrows: this.#arrows,
      counters: this.#counters,
      samples: this.#samples,
      clocks: this.#clocks,
    };
  }

  #intern(names: Map<string, string>, data: Decoded): void {
    const define = (kind: string, { iid }: Decoded, value: string) => {
      demand(iid !== undefined && !names.has(`${kind} ${iid}`), 'A number is defined once', data);
      names.set(`${kind} ${iid}`, value);
    };
    for (const entry of data.eventCategories ?? []) define('category', entry, entry.name);
    for (const entry of data.eventNames ?? []) define('event', entry, entry.name);
    for (const entry of data.debugAnnotationNames ?? []) define('annotation', entry, entry.name);
    for (const entry of data.functionNames ?? [])
      define('function', entry, Buffer.from(entry.str).toString());
    for (const entry of data.frames ?? []) {
      define('frame', entry, names.get(`function ${entry.functionNameId}`) as string);
    }
    for (const entry of data.callstacks ?? []) {
      define('stack', entry, entry.frameIds.map((frame: string) => names.get(`frame ${frame}`)).join(' > '));
    }
  }

  #event(at: number, event: Decoded, names: Map<string, string>): void {
    const nameOf = (kind: string, iid: string) => {
      demand(names.has(`${kind} ${iid}`), 'A name is defined before it is used', event);
      return names.get(`${kind} ${iid}`) as string;
    };
    const track = this.#trackName(event.trackUuid);
    const open = this.#open.get(track) ?? [];
    this.#open.set(track, open);
    const name = event.nameIid === undefined ? event.name : nameOf('event', event.nameIid);
    const category =
      event.categoryIids === undefined ? event.categories?.[0] : nameOf('category', event.categoryIids[0]);
    const args = valuesOf(event.debugAnnotations ?? [], (iid) => nameOf('annotation', iid));
    for (const flow of event.terminatingFlowIds ?? []) {
      demand(this.#flows.has(flow), 'A flow starts before it ends', event);
      this.#arrows.push([this.#flows.get(flow) as string, name]);
      this.#flows.delete(flow);
    }
    for (const flow of event.flowIds ?? []) {
      const around = this.#slices.findLast(
        (slice) => slice.track === track && slice.start <= at && !(slice.end < at),
      );
      this.#flows.set(flow, around?.name as string);
    }
    switch (event.type) {
      case 1: {
        const slice = { name, track, start: at, end: Number.NaN, depth: open.length, args };
        open.push(slice);
        this.#slices.push(slice);
        return;
      }
      case 2: {
        const slice = open.pop() as ShownSlice;
        demand(slice !== undefined && slice.start <= at, 'An end ends a slice', event);
        slice.end = at;
        slice.args = { ...slice.args, ...args };
        return;
      }
      case 3:
        this.#instants.push({ name, category, track, at, args });
        return;
      default:
        demand(event.type === 4, 'There is no such type of event', event);
        this.#counters.push([
          track,
          at,
          event.doubleCounterValue,
          this.#tracks.get(event.trackUuid).counter.unitName,
        ]);
    }
  }

  #trackName(uuid: string | undefined): string {
    if (uuid === undefined) return 'trace';
    const track = this.#tracks.get(uuid);
    demand(track !== undefined, 'A track is described before it is used', uuid);
    const { process, thread, name, parentUuid } = track;
    if (process) return process.processName ?? `process ${process.pid}`;
    if (thread) return `thread ${thread.pid}/${thread.tid}`;
    return parentUuid === undefined ? name : `${this.#trackName(parentUuid)}: ${name}`;
  }
}

function valuesOf(annotations: readonly Decoded[], nameOf: (iid: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    annotations.map((annotation) => [
      annotation.name ?? nameOf(annotation.nameIid),
      annotated(annotation, nameOf),
    ]),
  );
}

function annotated(annotation: Decoded, nameOf: (iid: string) => string): unknown {
  const { dictEntries, arrayValues, boolValue, uintValue, intValue, doubleValue, stringValue } = annotation;
  if (dictEntries) return valuesOf(dictEntries, nameOf);
  if (arrayValues) return arrayValues.map((item: Decoded) => annotated(item, nameOf));
  if (annotation.pointerValue !== undefined) return `0x${BigInt(annotation.pointerValue).toString(16)}`;
  const number = intValue ?? uintValue;
  return (
    boolValue ??
    (number === undefined ? undefined : BigInt(number)) ??
    doubleValue ??
    stringValue ??
    annotation.legacyJsonValue ??
    null
  );
}
