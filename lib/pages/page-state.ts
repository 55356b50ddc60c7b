/** The state that the page's views share. */
import type { LaneKind } from './lanes.ts';
import type { ReportData } from './report-data.ts';
import type { Matches } from './search.ts';
import type { Selected } from './selection.ts';
import { TimeRange } from './time-range.ts';

/** A shared value that notifies its listeners of changes. */
export class Signal<T> {
  #value: T;
  readonly #listeners: ((value: T) => void)[] = [];

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  /** @param listener called with each value set from now on */
  onChange(listener: (value: T) => void): void {
    this.#listeners.push(listener);
  }
}

export type Theme = 'light' | 'dark';

export class PageState {
  readonly data: ReportData;
  readonly range: TimeRange;
  readonly selected: Signal<Selected | undefined> = new Signal<Selected | undefined>(undefined);
  readonly matches: Signal<Matches | undefined> = new Signal<Matches | undefined>(undefined);
  readonly lanes: Signal<LaneKind>;
  /** The time under the mouse. */
  readonly pointed: Signal<number | undefined> = new Signal<number | undefined>(undefined);
  readonly theme: Signal<Theme>;
  /** It names the tab that is shown at first: the one that says most about the trace. */
  readonly firstTab: string;
  /** The name of the tab shown. */
  readonly tab: Signal<string>;

  constructor(data: ReportData, theme: Theme) {
    this.data = data;
    this.range = new TimeRange(data.header.startNs, data.header.endNs);
    this.lanes = new Signal<LaneKind>(data.activities.count > 0 ? 'activity' : 'thread');
    const { activities, hasSamples, header } = data;
    const withoutAnswers = activities.count > 0 ? 'tree' : hasSamples ? 'cpu' : 'events';
    this.firstTab = header.explanations.activities.length > 0 ? 'why' : withoutAnswers;
    this.tab = new Signal(this.firstTab);
    this.theme = new Signal<Theme>(theme);
  }
}
