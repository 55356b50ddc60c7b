/** What one subscriber is told of one instrument: a series for each set of tags. */
import { addTo, type InstrumentType, type Recorder, type Series } from './instrument.ts';
import type { Meter } from './meter.ts';

export class InstrumentSeries implements Recorder {
  readonly meter: Meter;
  readonly #type: InstrumentType;
  /** Makes one more; undefined: there is no room. */
  readonly #create: () => Series | undefined;
  readonly #byTags = new Map<string, Series>();
  /** Of values without tags, which most are. */
  #untagged: Series | undefined;

  constructor(meter: Meter, type: InstrumentType, create: () => Series | undefined) {
    this.meter = meter;
    this.#type = type;
    this.#create = create;
  }

  /** With their tags, in the order in which they came. */
  get all(): Iterable<readonly [string, Series]> {
    return this.#byTags;
  }

  record(value: number, tags: string): void {
    let series = tags === '' ? this.#untagged : this.#byTags.get(tags);
    if (series === undefined) {
      series = this.#create();
      if (series === undefined) return;
      this.#byTags.set(tags, series);
      if (tags === '') this.#untagged = series;
    }
    addTo(series, this.#type, value);
  }
}
