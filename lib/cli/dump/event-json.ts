/**
 * An event as a line of JSON: the result of `printableJson(JSON.stringify(event))`, without creating an object per
 * event.
 */
import { jsonValue, KIND_PROPERTIES, type TraceEvent } from '../../trace/trace-event.ts';
import { KindTexts } from '../../view/kind-texts.ts';
import { json, PayloadJson, quoted } from '../../view/payload-json.ts';

const NAMES = Object.keys(KIND_PROPERTIES);

export class EventJson {
  readonly #kinds = new KindTexts((values) =>
    json(Object.fromEntries(values.map((value, i) => [NAMES[i], value]))).slice(0, -'}'.length),
  );
  readonly #payloads = new PayloadJson();

  line(event: TraceEvent): string {
    const { processId, threadId, processor, activityId, relatedActivityId } = event;
    let text = this.#kinds.of(event);
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
}

function activityText(which: 'activity' | 'relatedActivity', id: string, path: string | undefined): string {
  const text = `,"${which}Id":${quoted(id)}`;
  return path === undefined ? text : `${text},"${which}Path":${quoted(path)}`;
}

function addressText(address: bigint): string {
  return `"0x${address.toString(16)}"`;
}
