/** How the activity ids of a trace are distinguished and looked up. */
import { Guid } from '../activity/guid.ts';
import { formatActivityPath, isActivityPath } from '../activity/path.ts';
import { impliedProcessId } from '../activity/path-layout.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { hashOf } from './key-table.ts';

/** An id within one process: ids of the 2016 form do not contain their process. */
export class ActivityKey {
  /** The id as the event has it. */
  readonly id: string;
  readonly processId: number | undefined;
  readonly isPath: boolean;
  /** Process and text. */
  readonly key: string;
  readonly hash: number;
  #text: string | undefined;

  constructor(id: string, processId: number | undefined, text: string, isPath: boolean) {
    this.id = id;
    this.processId = processId;
    this.isPath = isPath;
    this.key = `${processId ?? ''} ${text}`;
    this.hash = hashOf(this.key);
  }

  /** The path as `//1/1/6$2`, or GUID text. It is not kept until somebody asks, since many keys are. */
  get text(): string {
    this.#text ??= this.key.slice(this.key.indexOf(' ') + 1);
    return this.#text;
  }
}

const EMPTY_GUID = '00000000-0000-0000-0000-000000000000';

/** The key of an event's id; undefined if it has none. */
export function activityKey(
  id: string | undefined,
  eventProcessId: number | undefined,
): ActivityKey | undefined {
  if (id === undefined || id === EMPTY_GUID) return undefined;
  const guid = Guid.tryParse(id);
  const pathProcessId = guid && processIdOfPath(guid, eventProcessId);
  if (guid === undefined || pathProcessId === undefined) return otherKey(id, eventProcessId);
  const text = formatActivityPath(guid, pathProcessId);
  const processId = eventProcessId ?? impliedProcessId(guid);
  return new ActivityKey(id, processId, text, text.startsWith('//'));
}

/** The key of an id that is not a path. */
export function otherKey(text: string, processId: number | undefined): ActivityKey {
  return new ActivityKey(text, processId, text, false);
}

/** Keys by id: most events have the same id as a recent event. */
export class ActivityKeys {
  #byProcess = new Map<number | undefined, Map<string, ActivityKey>>();
  #count = 0;
  /** The last event asked for, and the last one whose related id was: everyone asks again about the same event. */
  #event: TraceEvent | undefined;
  #key: ActivityKey | undefined;
  #relatedEvent: TraceEvent | undefined;
  #relatedKey: ActivityKey | undefined;

  ofEvent(event: TraceEvent): ActivityKey | undefined {
    if (event !== this.#event) {
      this.#event = event;
      this.#key = this.of(event.activityId, event.processId);
    }
    return this.#key;
  }

  relatedOf(event: TraceEvent): ActivityKey | undefined {
    if (event !== this.#relatedEvent) {
      this.#relatedEvent = event;
      this.#relatedKey = this.of(event.relatedActivityId, event.processId);
    }
    return this.#relatedKey;
  }

  /** See `activityKey`. */
  of(id: string | undefined, processId: number | undefined): ActivityKey | undefined {
    if (id === undefined) return undefined;
    const known = this.#byProcess.get(processId)?.get(id);
    if (known !== undefined) return known;
    const key = activityKey(id, processId);
    if (key !== undefined) this.#keep(id, processId, key);
    return key;
  }

  #keep(id: string, processId: number | undefined, key: ActivityKey): void {
    if (this.#count++ === MAX_KEYS) {
      this.#byProcess = new Map();
      this.#count = 1;
    }
    const ofProcess = this.#byProcess.get(processId);
    if (ofProcess === undefined) this.#byProcess.set(processId, new Map([[id, key]]));
    else ofProcess.set(id, key);
  }
}

/** A small number, so that they rarely outlive V8's young generation. */
const MAX_KEYS = 4096;

/**
 * The process id for the path functions. 0, which matches any process, if that yields a path: in a container, the
 * process id differs from the one that the kernel's tracer sees. Otherwise the event's process id, which may be above
 * their limit. Undefined if it is not a path.
 */
export function processIdOfPath(guid: Guid, eventProcessId: number | undefined): number | undefined {
  if (isActivityPath(guid)) return 0;
  return eventProcessId !== undefined && isActivityPath(guid, eventProcessId) ? eventProcessId : undefined;
}

/**
 * The key of the path around that of a key, as far as there is one. It may be the ancestor of an overflow id
 * (`//1/1$7`).
 */
export function keyAbove(key: string): string | undefined {
  const end = Math.max(key.lastIndexOf('/'), key.lastIndexOf('$'));
  return end <= key.indexOf('/') + 1 ? undefined : key.slice(0, end);
}
