/**
 * How ETW tools request activity ids: PerfView, and anyone who follows .NET's documentation, enables .NET's
 * TplEventSource with the keyword TasksFlowActivityIds. tracewright's Start events create activities for any listener;
 * this request only turns the flow on before the first of them.
 *
 * Source: "EventSource Activity Support", "Enabling Activity Tracking".
 */
import type { ActivityFlow } from '../activity/flow.ts';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import { TRACER_BIT, type Tracer } from '../platform/tracer.ts';
import { Channel, encodeEventDescriptor } from '../wire/etw/event-descriptor.ts';
import { guidBytes } from '../wire/guid.ts';
import { scratch } from '../wire/scratch.ts';
import { Level } from './constants.ts';

const TPL_EVENT_SOURCE = guidBytes(TASK_EVENTS.guid);

let isFollowed = false;

/** Honours the request in this thread from now on, where there is ETW. */
export function followTaskFlow(tracer: Tracer, flow: ActivityFlow): void {
  if (isFollowed || tracer.backend !== 'etw') return;
  isFollowed = true;
  // An event of the source, only to detect whether a session requests it; it is never written.
  const descriptor = encodeEventDescriptor({
    id: 0,
    version: 0,
    channel: Channel.None,
    level: Level.Informational,
    opcode: 0,
    task: 0,
    keywords: TASK_EVENTS.flowKeyword,
  });
  const word = tracer.allocate();
  tracer.register(word, 'TplEventSource', Buffer.concat([descriptor, TPL_EVENT_SOURCE]), scratch);
  const isAskedFor = () => ((word.words[word.index] as number) & TRACER_BIT) !== 0;
  flow.keepWhile(isAskedFor);
  tracer.onCommand(() => {
    if (isAskedFor()) flow.begin();
  });
  if (isAskedFor()) flow.begin();
}
