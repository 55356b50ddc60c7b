/** A summary of a trace, counted in one pass: events of each kind, processes, the time span. */
import type { Nanoseconds, TraceEvent } from '../trace/trace-event.ts';

/** Events of one provider with the same name, id and version. */
export interface EventCount {
  readonly name: string;
  readonly id: number;
  readonly version: number;
  readonly level: number;
  count: number;
}

export interface ProviderCount {
  readonly provider: string;
  readonly providerGuid: string | undefined;
  count: number;
  /** The key is a name. */
  readonly events: Map<string, EventCount[]>;
}

/** Counts indexed by what distinguishes events, for fast lookup. */
interface ProviderIndex {
  readonly count: ProviderCount;
  /** The outer key is a name, the inner one is made by `keyOf`. */
  readonly events: Map<string, Map<number, EventCount>>;
}

export class TraceSummary {
  count = 0;
  /** The times are in nanoseconds since 1970, if the trace has wall-clock times; undefined without events. */
  firstTime: Nanoseconds | undefined = undefined;
  /** The key is made of name and GUID. */
  readonly providers: Map<string, ProviderCount> = new Map();
  #last: TraceEvent | undefined;
  readonly #processes = new Map<number, { count: number }>();
  /** The provider of the last event. */
  #provider: ProviderIndex | undefined;
  /** The outer key is the name, the inner one the GUID. */
  readonly #index = new Map<string, Map<string | undefined, ProviderIndex>>();

  /** Events by process id. */
  get processes(): ReadonlyMap<number, number> {
    return new Map(Array.from(this.#processes, ([processId, { count }]) => [processId, count]));
  }

  /** The time of the last event. */
  get lastTime(): Nanoseconds | undefined {
    return this.#last?.timestamp;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    this.count++;
    this.firstTime ??= event.timestamp;
    this.#last = event;
    if (event.processId !== undefined) this.#countProcess(event.processId);
    const provider = this.#providerOf(event);
    provider.count.count++;
    countOf(provider, event).count++;
  }

  #countProcess(processId: number): void {
    const process = this.#processes.get(processId);
    if (process === undefined) this.#processes.set(processId, { count: 1 });
    else process.count++;
  }

  #providerOf({ provider, providerGuid }: TraceEvent): ProviderIndex {
    const last = this.#provider;
    if (last?.count.provider === provider && last.count.providerGuid === providerGuid) return last;
    this.#provider = this.#foundProvider(provider, providerGuid);
    return this.#provider;
  }

  #foundProvider(provider: string, providerGuid: string | undefined): ProviderIndex {
    let byGuid = this.#index.get(provider);
    if (byGuid === undefined) {
      byGuid = new Map();
      this.#index.set(provider, byGuid);
    }
    const found = byGuid.get(providerGuid);
    if (found !== undefined) return found;
    const added: ProviderIndex = {
      count: { provider, providerGuid, count: 0, events: new Map() },
      events: new Map(),
    };
    byGuid.set(providerGuid, added);
    this.providers.set(`${provider}\0${providerGuid ?? ''}`, added.count);
    return added;
  }
}

function countOf(provider: ProviderIndex, { name, id, version, level }: TraceEvent): EventCount {
  let named = provider.events.get(name);
  if (named === undefined) {
    named = new Map();
    provider.events.set(name, named);
    provider.count.events.set(name, []);
  }
  const key = keyOf(id, version);
  const found = named.get(key);
  if (found !== undefined) return found;
  const added = { name, id, version, level, count: 0 };
  named.set(key, added);
  provider.count.events.get(name)?.push(added);
  return added;
}

/** Ids and versions have at most 32 bits, and no provider has versions of more than 21. */
function keyOf(id: number, version: number): number {
  return version * 2 ** 32 + id;
}
