/** Selects counter values from a session's events, for a view. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { counterProblem, counterValues } from '../../view/counter-values.ts';
import type { CounterView } from './counter-view.ts';

/** A process can name any number of them. */
const MAX_METERS = 1000;

export class CounterFeed {
  readonly #view: CounterView;
  readonly #sessionId: string;
  readonly #interval: number;
  /** Meters that have reported a value. */
  readonly #meters = new Set<string>();

  /**
   * @param sessionId of the meters
   * @param interval requested, in seconds
   */
  constructor(view: CounterView, sessionId: string, interval: number) {
    this.#view = view;
    this.#sessionId = sessionId;
    this.#interval = interval;
  }

  async take(events: readonly TraceEvent[]): Promise<void> {
    for (const event of events) this.#take(event);
    await this.#view.flush();
  }

  #take(event: TraceEvent): void {
    const problem = counterProblem(event);
    if (problem !== undefined) this.#view.tell(problem);
    for (const value of counterValues(event, this.#sessionId, this.#interval)) {
      // Newer runtimes report the same metrics as a meter and as EventCounters: the meter has more detail.
      if (value.isOfMeter && !this.#meters.has(value.provider) && this.#meters.size < MAX_METERS) {
        this.#meters.add(value.provider);
        this.#view.forget(value.provider);
      }
      if (value.isOfMeter || !this.#meters.has(value.provider)) this.#view.show(value, event.timestamp);
    }
  }
}
