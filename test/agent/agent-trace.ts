/** A nettrace as a process sends it: sections of events, each ended by a sequence point; and what is in a file. */
import { Guid } from '../../lib/activity/guid.ts';
import { openTrace } from '../../lib/trace/index.ts';
import type { NetTraceField } from '../../lib/wire/nettrace/field-type.ts';
import { NetTraceWriter } from '../../lib/wire/nettrace/write/nettrace-writer.ts';

const KIND = { provider: 'P', eventId: 1, keywords: 0n, version: 0, level: 4 };
const PAYLOAD = new Uint8Array(8);

export class AgentTrace {
  readonly #writer = new NetTraceWriter(4, {
    startTimeMs: 1e12,
    syncTicks: 0n,
    ticksPerSecond: 1_000_000_000n,
    pointerSize: 8,
    processId: 7,
  });
  readonly #thread = this.#writer.thread({ processId: 7, threadId: 8, name: 'main' });
  readonly #kinds = new Map<string, number>();
  #ticks = 0n;

  /** A section with so many events of a name; each new name is described in it. */
  section(name: string, count: number, dropped = 0): Buffer {
    this.#write(name, count, PAYLOAD, []);
    if (dropped > 0) this.#writer.drop(this.#thread, dropped);
    return Buffer.from(this.#writer.flush());
  }

  /** The same without a sequence point, which so ends no section. */
  part(name: string, count: number, payload: Uint8Array): Buffer {
    this.#write(name, count, payload, []);
    return Buffer.from(this.#writer.flushOpen());
  }

  /** A section with one event with these fields. */
  event(name: string, fields: readonly NetTraceField[], payload: Uint8Array): Buffer {
    this.#write(name, 1, payload, fields);
    return Buffer.from(this.#writer.flush());
  }

  /** A section with the starts and stops of activities, each a millisecond after the one before. */
  boundaries(all: readonly (readonly [name: string, activityId: string])[]): Buffer {
    for (const [name, id] of all) {
      this.#ticks += 1_000_000n;
      const activityId = Guid.parse(id);
      this.#writer.write({
        metadataId: this.#kindOf(name, []),
        thread: this.#thread,
        ticks: this.#ticks,
        payload: new Uint8Array(0),
        activityId,
      });
    }
    return Buffer.from(this.#writer.flush());
  }

  #kindOf(name: string, fields: readonly NetTraceField[]): number {
    const metadataId = this.#kinds.get(name) ?? this.#writer.define({ ...KIND, name, fields });
    this.#kinds.set(name, metadataId);
    return metadataId;
  }

  #write(name: string, count: number, payload: Uint8Array, fields: readonly NetTraceField[]): void {
    const metadataId = this.#kindOf(name, fields);
    for (let i = 0; i < count; i++) {
      this.#writer.write({ metadataId, thread: this.#thread, ticks: ++this.#ticks, payload });
    }
  }
}

/** How many events of each name are in a file, which must be whole. */
export async function readEvents(path = ''): Promise<{ events: Record<string, number>; lost: number }> {
  const trace = await openTrace(path);
  const events: Record<string, number> = {};
  for await (const { name } of trace) events[name] = (events[name] ?? 0) + 1;
  return { events, lost: trace.lostEvents };
}
