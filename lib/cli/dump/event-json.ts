/**
 * An event as a line of JSON: the result of `printableJson(JSON.stringify(event))`, without creating an object per
 * event. The text that events of one kind share is created once.
 */
import { jsonValue, type TraceEvent } from '../../trace/trace-event.ts';
import { json, PayloadJson, quoted } from '../../view/payload-json.ts';

/** The maximum size of what is kept, in characters: corrupt or hostile traces can have any number of kinds. */
const MAX_KEPT = 4_000_000;
/** The approximate size of an entry besides its text. */
const ENTRY_SIZE = 100;
/** The maximum number of kinds with the same name. */
const MAX_OF_NAME = 16;

interface Kind {
  /** The properties of its events, compared in this order: the one that differs most often comes first. */
  readonly id: number;
  readonly provider: string;
  readonly level: number;
  readonly version: number;
  readonly opcode: number;
  readonly keywords: bigint;
  readonly task: number;
  readonly channel: number;
  readonly providerGuid: string | undefined;
  readonly taskName: string | undefined;
  readonly opcodeName: string | undefined;
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

function isOf(kind: Kind, event: TraceEvent): boolean {
  return (
    kind.id === event.id &&
    kind.provider === event.provider &&
    kind.level === event.level &&
    kind.version === event.version &&
    kind.opcode === event.opcode &&
    kind.keywords === event.keywords &&
    kind.task === event.task &&
    kind.channel === event.channel &&
    kind.providerGuid === event.providerGuid &&
    kind.taskName === event.taskName &&
    kind.opcodeName === event.opcodeName
  );
}

function kindOf(event: TraceEvent): Kind {
  const {
    provider,
    providerGuid,
    id,
    version,
    level,
    opcode,
    opcodeName,
    task,
    taskName,
    keywords,
    channel,
  } = event;
  const shared = {
    provider,
    providerGuid,
    name: event.name,
    id,
    version,
    level,
    opcode,
    opcodeName,
    task,
    taskName,
    keywords: `0x${keywords.toString(16)}`,
    channel,
  };
  const text = json(shared).slice(0, -'}'.length);
  return {
    id,
    provider,
    level,
    version,
    opcode,
    keywords,
    task,
    channel,
    providerGuid,
    taskName,
    opcodeName,
    text,
  };
}

function activityText(which: 'activity' | 'relatedActivity', id: string, path: string | undefined): string {
  const text = `,"${which}Id":${quoted(id)}`;
  return path === undefined ? text : `${text},"${which}Path":${quoted(path)}`;
}

function addressText(address: bigint): string {
  return `"0x${address.toString(16)}"`;
}
