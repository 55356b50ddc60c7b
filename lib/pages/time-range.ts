/** The part of the trace that the timeline shows, in nanoseconds since the start of the trace. */

/** No trace clock has a higher resolution. */
const SMALLEST_SPAN_NS = 10;

export class TimeRange {
  readonly min: number;
  readonly max: number;
  #start: number;
  #end: number;
  readonly #listeners: (() => void)[] = [];

  /** @param max at least `min`; if they are equal, a microsecond is shown */
  constructor(min: number, max: number) {
    this.min = min;
    this.max = max > min ? max : min + 1000;
    this.#start = this.min;
    this.#end = this.max;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get span(): number {
    return this.#end - this.#start;
  }

  get isWhole(): boolean {
    return this.#start === this.min && this.#end === this.max;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Shows this range, or as much of it as the trace has. */
  show(from: number, to: number): void {
    const whole = this.max - this.min;
    const span = Math.min(whole, Math.max(SMALLEST_SPAN_NS, to - from));
    const start = Math.min(this.max - span, Math.max(this.min, (from + to - span) / 2));
    this.#start = start;
    this.#end = span === whole ? this.max : start + span;
    for (const listener of this.#listeners) listener();
  }

  /** @param at stays in place */
  zoom(factor: number, at: number): void {
    const span = Math.min(this.max - this.min, Math.max(SMALLEST_SPAN_NS, this.span * factor));
    const start = at - ((at - this.#start) * span) / this.span;
    this.show(start, start + span);
  }

  pan(byNs: number): void {
    this.show(this.#start + byNs, this.#end + byNs);
  }

  showAll(): void {
    this.show(this.min, this.max);
  }

  /** Moves as little as possible, or zooms out, to show this range. */
  reveal(from: number, to: number): void {
    if (to - from > this.span) {
      const margin = (to - from) * 0.1;
      this.show(from - margin, to + margin);
    } else if (from < this.#start || to > this.#end) {
      const center = (from + to) / 2;
      this.show(center - this.span / 2, center + this.span / 2);
    }
  }
}
