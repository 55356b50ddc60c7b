/** A listener that requests meters as dotnet-counters does, in the same process. */
import { EventListener, eventSources, type WrittenEvent } from '../../lib/index.ts';

export interface AskingListener {
  readonly events: readonly WrittenEvent[];
  /** `tags: value` of each value of the instrument that was told; quantiles, of a histogram. */
  values(instrument: string, field?: string): string[];
  close(): void;
}

/** There has to be a meter already. */
export function askForMeters(...names: readonly string[]): AskingListener {
  const source = eventSources().find(({ name }) => name === 'System.Diagnostics.Metrics');
  if (source === undefined) throw new Error('There is no meter.');
  const events: WrittenEvent[] = [];
  const listener = new EventListener({ onEventWritten: (event) => void events.push(event) });
  listener.enableEvents(source, 4, 2n, { SessionId: 'SHARED', Metrics: names.join(), RefreshInterval: 1 });
  return {
    events,
    values: (instrument, field = 'value') =>
      events
        .filter(({ name, payload }) => name.endsWith('Published') && payload.instrumentName === instrument)
        .map(({ payload }) => `${payload.tags}: ${payload[field]}`),
    close: () => listener.close(),
  };
}
