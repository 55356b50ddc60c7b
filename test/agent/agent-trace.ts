/** A nettrace as a process sends it: sections of events, each ended by a sequence point. */
import { NetTraceWriter } from '../../lib/wire/nettrace/write/nettrace-writer.ts';

const KIND = { provider: 'P', eventId: 1, keywords: 0n, version: 0, level: 4, fields: [] };
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
  section(name: string, count: number, dropped = 0): Uint8Array {
    const known = this.#kinds.get(name);
    const metadataId = known ?? this.#writer.define({ ...KIND, name });
    this.#kinds.set(name, metadataId);
    for (let i = 0; i < count; i++) {
      this.#writer.write({ metadataId, thread: this.#thread, ticks: ++this.#ticks, payload: PAYLOAD });
    }
    if (dropped > 0) this.#writer.drop(this.#thread, dropped);
    return Uint8Array.from(this.#writer.flush());
  }
}
