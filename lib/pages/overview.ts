/** The strip that shows the whole trace: the number of events over time, and the part that the timeline shows. */
import { Canvas } from './canvas.ts';
import { currentColors } from './colors.ts';
import type { PageState } from './page-state.ts';

const SMALLEST_WINDOW = 3;
/** The height of a mark at the upper edge. */
const FAILURE_MARK = 5;

export class Overview {
  readonly #state: PageState;
  readonly #canvas: Canvas;
  /** Events per pixel. */
  #counts = new Uint32Array(0);
  /** 1 for each pixel in which an activity failed. */
  #failures = new Uint8Array(0);
  #pressedAt: number | undefined;
  /** While the window is dragged, where it was grabbed. */
  #grip: number | undefined;

  constructor(state: PageState, element: HTMLCanvasElement) {
    this.#state = state;
    this.#canvas = new Canvas(element, () => this.#paint());
    state.range.onChange(() => this.#canvas.invalidate());
    state.theme.onChange(() => this.#canvas.invalidate());
    element.addEventListener('pointerdown', (event) => this.#down(event));
    element.addEventListener('pointermove', (event) => this.#move(event));
    element.addEventListener('pointerup', () => this.#end());
    element.addEventListener('pointercancel', () => this.#end());
    element.addEventListener('dblclick', () => state.range.showAll());
  }

  #timeAt(x: number): number {
    const { min, max } = this.#state.range;
    return min + (x / this.#canvas.width) * (max - min);
  }

  #xOf(ns: number): number {
    const { min, max } = this.#state.range;
    return ((ns - min) / (max - min)) * this.#canvas.width;
  }

  #down(event: PointerEvent): void {
    const { range } = this.#state;
    this.#canvas.element.setPointerCapture(event.pointerId);
    const ns = this.#timeAt(event.offsetX);
    if (!range.isWhole && ns >= range.start && ns <= range.end) this.#grip = ns - range.start;
    else this.#pressedAt = ns;
  }

  #move(event: PointerEvent): void {
    const { range } = this.#state;
    const ns = this.#timeAt(event.offsetX);
    if (this.#grip !== undefined) range.pan(ns - this.#grip - range.start);
    if (this.#pressedAt !== undefined)
      range.show(Math.min(ns, this.#pressedAt), Math.max(ns, this.#pressedAt));
  }

  #end(): void {
    this.#grip = undefined;
    this.#pressedAt = undefined;
  }

  #count(): void {
    const width = Math.ceil(this.#canvas.width);
    if (this.#counts.length === width) return;
    this.#counts = new Uint32Array(width);
    const { min, max } = this.#state.range;
    const pixels = width / (max - min);
    const pixelOf = (ns: number) => Math.min(width - 1, Math.floor((ns - min) * pixels));
    const { activities, events } = this.#state.data;
    for (const time of events.time) {
      const x = pixelOf(time);
      this.#counts[x] = (this.#counts[x] as number) + 1;
    }
    this.#failures = new Uint8Array(width);
    for (const [activity, failed] of activities.failed.entries()) {
      if (failed === 1) this.#failures[pixelOf(activities.end[activity] as number)] = 1;
    }
  }

  #paint(): void {
    this.#count();
    const { context, width, height } = this.#canvas;
    const colors = currentColors();
    const { range } = this.#state;
    context.fillStyle = colors.background;
    context.fillRect(0, 0, width, height);
    const most = this.#counts.reduce((a, b) => Math.max(a, b), 1);
    context.fillStyle = colors.event;
    for (const [x, count] of this.#counts.entries()) {
      // The square root keeps a few events visible beside many.
      const high = count === 0 ? 0 : Math.max(1, Math.sqrt(count / most) * (height - 4));
      context.fillRect(x, height - high, 1, high);
    }
    context.fillStyle = colors.open;
    for (const [x, failed] of this.#failures.entries()) {
      if (failed === 1) context.fillRect(x, 0, 1, FAILURE_MARK);
    }
    const left = this.#xOf(range.start);
    const right = Math.max(left + SMALLEST_WINDOW, this.#xOf(range.end));
    context.globalAlpha = 0.7;
    context.fillStyle = colors.band;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.fillStyle = colors.accent;
    context.fillRect(left - 1, 0, 2, height);
    context.fillRect(right - 1, 0, 2, height);
  }
}
