/** All events of a trace recorded by a test. */
import { openTrace, type TraceEvent } from '../../lib/trace/index.ts';

export async function readEvents(path: string): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  for await (const batch of (await openTrace(path)).batches()) events.push(...batch);
  return events;
}
