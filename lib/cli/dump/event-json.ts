/**
 * An event as a line of JSON: the result of `printableJson(JSON.stringify(event))`, without creating an object per
 * event. The text that events of one kind share is created once.
 */
import { jsonValue, KIND_PROPERTIES, type TraceEvent } from '../../trace/trace-event.ts';
import { json, PayloadJson, quoted } from '../../view/payload-json.ts';

/** The maximum size of what is kept, in characters: corrupt or hostile traces can have any number of kinds. */
const MAX_KEPT = 4_000_000;
/** The approximate size of an entry besides its text. */
const ENTRY_SIZE = 100;
/** The maximum number of kinds with the same name. */
const MAX_OF_NAME = 16;

const NAMES = Object.keys(KIND_PROPERTIES);
const GETTERS = Object.values(KIND_PROPERTIES);

interface Kind {
  /** The values are in the order of `KIND_PROPERTIES`. */
  readonly values: readonly unknown[];
  readonly text: string;
}

const NO_KINDS: readonly Kind[] = [];

export class EventJson {
  /** The key is a name, which events of several providers can share. */
  readonly #kinds = new Map<string, Kind[]>();
  readonly #payloads = new PayloadJson();
  #room = MAX_KEPT;

  line(event: TraceEvent): string {
    const { processId, threadId, processor, activityId, relatedActivityId } = event;
    let text = this.#kindOf(event).text;
    if (processId !== undefined) text += `,"processId":${processId}`;
    if (threadId !== undefined) text += `,"threadId":${threadId}`;
    if (processor !== undefined) text += `,"processor":${processor}`;
    text += `,"timestamp":"${event.timestamp}","timeSinceStart":"${event.timeSinceStart}"`;
    if (activityId !== undefined) text += activityText('activity', activityId, event.activityPath);
    if (relatedActivityId !== undefined) {
      text += activityText('relatedActivity', relatedActivityId, event.relatedActivityPath);
    }
    const { labels, message, payloadProblem, stack } = event;
    if (labels !== undefined) text += `,"labels":${json(jsonValue(labels))}`;
    if (message !== undefined) text += `,"message":${quoted(message)}`;
    text += `,"payload":${this.#payloads.text(event)}`;
    if (payloadProblem !== undefined) text += `,"payloadProblem":${quoted(payloadProblem)}`;
    if (stack !== undefined) text += `,"stack":[${stack.map(addressText).join()}]`;
    return `${text},"position":${event.position}}`;
  }

  #kindOf(event: TraceEvent): Kind {
    const { name } = event;
    const named = this.#kinds.get(name);
    for (const kind of named ?? NO_KINDS) if (isOf(kind, event)) return kind;
    const kind = kindOf(event);
    if ((named?.length ?? 0) < MAX_OF_NAME && this.#takeRoom(kind.text)) {
      if (named === undefined) this.#kinds.set(name, [kind]);
      else named.push(kind);
    }
    return kind;
  }

  #takeRoom(text: string): boolean {
    this.#room -= text.length + ENTRY_SIZE;
    return this.#room >= 0;
  }
}

function isOf({ values }: Kind, event: TraceEvent): boolean {
  for (let i = 0; i < GETTERS.length; i++) if (GETTERS[i]?.(event) !== values[i]) return false;
  return true;
}

function kindOf(event: TraceEvent): Kind {
  const values = GETTERS.map((get) => get(event));
  const shown = values.map((value, i) => [
    NAMES[i],
    typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
  ]);
  return { values, text: json(Object.fromEntries(shown)).slice(0, -'}'.length) };
}

function activityText(which: 'activity' | 'relatedActivity', id: string, path: string | undefined): string {
  const text = `,"${which}Id":${quoted(id)}`;
  return path === undefined ? text : `${text},"${which}Path":${quoted(path)}`;
}

function addressText(address: bigint): string {
  return `"0x${address.toString(16)}"`;
}
