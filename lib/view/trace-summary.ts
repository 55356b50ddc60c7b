/** What a trace holds, counted in one pass: events of each kind, processes, the time they span. */
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
  /** By name. */
  readonly events: Map<string, EventCount[]>;
}

export class TraceSummary {
  count = 0;
  /** In nanoseconds since 1970, if the trace has wall times; undefined where there are no events. */
  firstTime: Nanoseconds | undefined;
  lastTime: Nanoseconds | undefined;
  /** By name and GUID. */
  readonly providers: Map<string, ProviderCount> = new Map();
  /** Events by process id. */
  readonly processes: Map<number, number> = new Map();

  /** Takes the next event in the order of time. */
  add(event: TraceEvent): void {
    this.count++;
    this.firstTime ??= event.timestamp;
    this.lastTime = event.timestamp;
    const { processId } = event;
    if (processId !== undefined) this.processes.set(processId, (this.processes.get(processId) ?? 0) + 1);
    const provider = this.#providerOf(event);
    provider.count++;
    countOf(provider, event).count++;
  }

  #providerOf({ provider, providerGuid }: TraceEvent): ProviderCount {
    const key = `${provider}\0${providerGuid ?? ''}`;
    const found = this.providers.get(key);
    if (found !== undefined) return found;
    const added = { provider, providerGuid, count: 0, events: new Map() };
    this.providers.set(key, added);
    return added;
  }
}

function countOf(provider: ProviderCount, { name, id, version, level }: TraceEvent): EventCount {
  const named = provider.events.get(name);
  const found = named?.find((count) => count.id === id && count.version === version);
  if (found !== undefined) return found;
  const added = { name, id, version, level, count: 0 };
  if (named === undefined) provider.events.set(name, [added]);
  else named.push(added);
  return added;
}
