/** The tracks of a Perfetto trace: which process or thread they belong to, and which slices are open in them. */
import type { ReadPacket, TrackDescriptor } from '../../wire/perfetto/messages.ts';
import type { Integer } from '../../wire/protobuf/message-reader.ts';

/** A slice that has begun. */
export interface OpenSlice {
  readonly activityId: string;
  readonly provider: string;
  readonly name: string;
  /** The activity as tracewright's own exports name it; undefined in other traces. */
  readonly activity: string | undefined;
}

export interface Track {
  readonly uuid: Integer | string;
  name: string | undefined;
  parent: Integer | undefined;
  processId: number | undefined;
  threadId: number | undefined;
  unit: string | undefined;
  /** The last value of a counter that is written as differences. */
  value: number | undefined;
  unitMultiplier: number;
  readonly open: OpenSlice[];
}

const MAX_TRACKS = 1 << 18;
/** The maximum length of all names together, in characters. */
const MAX_NAMES = 32 << 20;
/** Limits the open events of all tracks: the ends of more are not found. */
const MAX_OPEN = 1 << 17;
/** So many tracks may be between a track and its process. */
const MAX_PARENTS = 10;

export class Tracks {
  readonly #tracks = new Map<Integer | string, Track>();
  readonly #processNames: Map<number, string>;
  #open = 0;
  #nameSize = 0;

  constructor(processNames: Map<number, string>) {
    this.#processNames = processNames;
  }

  describe({ uuid = 0, name, staticName, parentUuid, process, thread, counter }: TrackDescriptor): void {
    const track = this.of(uuid);
    track.name = this.#kept(name ?? staticName ?? thread?.threadName) ?? track.name;
    track.parent = parentUuid ?? track.parent;
    track.processId = idOf(thread?.pid ?? process?.pid) ?? track.processId;
    track.threadId = idOf(thread?.tid) ?? track.threadId;
    if (process !== undefined) this.addProcess(process);
    if (counter === undefined) return;
    track.unit = this.#kept(counter.unitName) ?? track.unit;
    track.unitMultiplier = Number(counter.unitMultiplier ?? 1);
    if (counter.isIncremental === true) track.value ??= 0;
  }

  addProcess({ pid, processName, cmdline }: NonNullable<ReadPacket['processDescriptor']>): void {
    const id = idOf(pid);
    const name = this.#kept(processName ?? cmdline?.[0]);
    if (id !== undefined && name && this.#processNames.size < MAX_TRACKS) this.#processNames.set(id, name);
  }

  #kept(name: string | undefined): string | undefined {
    this.#nameSize += name?.length ?? 0;
    return this.#nameSize > MAX_NAMES ? undefined : name;
  }

  /** The track, which need not have been described. */
  of(uuid: Integer | string): Track {
    let track = this.#tracks.get(uuid);
    if (track !== undefined) return track;
    track = {
      uuid,
      name: undefined,
      parent: undefined,
      processId: undefined,
      threadId: undefined,
      unit: undefined,
      value: undefined,
      unitMultiplier: 1,
      open: [],
    };
    if (this.#tracks.size < MAX_TRACKS) this.#tracks.set(uuid, track);
    return track;
  }

  /** Its own process and thread, or those of the tracks around it. */
  placeOf(track: Track): { readonly processId: number | undefined; readonly threadId: number | undefined } {
    let at: Track | undefined = track;
    for (let i = 0; at !== undefined && i < MAX_PARENTS; i++) {
      if (at.processId !== undefined) return { processId: at.processId, threadId: at.threadId };
      at = at.parent === undefined ? undefined : this.#tracks.get(at.parent);
    }
    return { processId: undefined, threadId: undefined };
  }

  begin(track: Track, slice: OpenSlice): void {
    if (this.#open >= MAX_OPEN) return;
    this.#open++;
    track.open.push(slice);
  }

  end(track: Track): OpenSlice | undefined {
    const slice = track.open.pop();
    if (slice !== undefined) this.#open--;
    return slice;
  }
}

/** Signed 32 bits in the format. */
export function idOf(id: Integer | undefined): number | undefined {
  return id === undefined ? undefined : id < 0 ? Number(id) >>> 0 : Number(id);
}
