/** Which tracepoints the events of a provider go to, in a CollectTracing request for user_events, as bytes. */
import type { MessageCursor } from './message-cursor.ts';
import type { MessageWriter } from './message-writer.ts';
import type { TracepointConfig } from './tracing.ts';

/** Of a set in bytes: the length of its name, a character and the NUL, and the number of its ids. */
const LEAST_SET_SIZE = 12;

export function writeTracepointConfig(writer: MessageWriter, config: TracepointConfig): void {
  writer.text(config.defaultName);
  writer.array(config.sets, ({ name, ids }) => {
    writer.text(name);
    writer.uint32Array(ids);
  });
}

/**
 * A set without ids is one where there is a default tracepoint, as .NET's runtime has it.
 *
 * @throws DiagnosticsIpcError
 */
export function readTracepointConfig(payload: MessageCursor): TracepointConfig {
  const at = payload.offset;
  const defaultName = payload.text() || undefined;
  const sets = payload.array('sets of events', LEAST_SET_SIZE, () => ({
    name: payload.name("tracepoint's name"),
    ids: payload.uint32Array('ids of events'),
  }));
  if (defaultName === undefined) {
    if (sets.length === 0) payload.fail('A provider has no tracepoint.', at);
    const empty = sets.find(({ ids }) => ids.length === 0);
    if (empty !== undefined) payload.fail(`Tracepoint ${empty.name} is given no events.`, at);
  }
  const seen = new Set<number>();
  for (const id of sets.flatMap(({ ids }) => [...new Set(ids)])) {
    if (seen.has(id)) payload.fail(`Event ${id} has two tracepoints.`, at);
    seen.add(id);
  }
  return { defaultName, sets };
}
