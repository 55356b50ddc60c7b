/** Draws the rows of the timeline: bars for activities, marks for events. Anything narrower than a pixel is merged. */
import { barColor, type Colors } from './colors.ts';
import { firstWhere, type Grouped } from './grouped.ts';
import type { ReportData } from './report-data.ts';

export const ROW_HEIGHT = 18;
const BAR_HEIGHT = 15;
/** Narrower bars have no room for text. */
const TEXT_WIDTH = 28;
const TEXT_MARGIN = 4;
/** The width of the end of a bar whose stop is missing. */
const END_WIDTH = 3;
/** The size of event marks in a row of activities, and in a row of their own. */
const SMALL_MARK = 5;
const LARGE_MARK = 13;

/** The position of things, in CSS pixels; time 0 of the trace may be outside. */
export interface Scale {
  readonly startNs: number;
  readonly pixelsPerNs: number;
  readonly width: number;
}

export interface Painter {
  readonly context: CanvasRenderingContext2D;
  readonly colors: Colors;
  readonly data: ReportData;
  readonly scale: Scale;
  /** The text on an activity's bar. */
  readonly labelOf: (activity: number) => string;
}

export function xOf({ startNs, pixelsPerNs }: Scale, ns: number): number {
  return (ns - startNs) * pixelsPerNs;
}

export function timeAt({ startNs, pixelsPerNs }: Scale, x: number): number {
  return startNs + x / pixelsPerNs;
}

/** Draws the bars of one row, which do not overlap. */
export function paintBars(painter: Painter, { starts, items }: Grouped, row: number, y: number): void {
  const { colors, scale, data } = painter;
  const { activities } = data;
  const to = starts[row + 1] as number;
  const endNs = scale.startNs + scale.width / scale.pixelsPerNs;
  const endAt = (at: number) => activities.end[items[at] as number] as number;
  const run = new PixelRun(painter.context, y);
  let at = firstWhere(starts[row] as number, to, (place) => endAt(place) >= scale.startNs);
  while (at < to) {
    const activity = items[at] as number;
    const startNs = activities.start[activity] as number;
    if (startNs > endNs) break;
    const left = Math.max(-1, xOf(scale, startNs));
    const right = Math.min(scale.width + 1, xOf(scale, endAt(at)));
    const color = barColor(colors, activities.task[activity] as number, activities.failed[activity] === 1);
    if (right - left >= 1) {
      paintBar(painter, activity, color, left, right, y);
      at++;
      continue;
    }
    const pixel = Math.floor(left);
    run.add(pixel, color);
    const nextNs = scale.startNs + (pixel + 1) / scale.pixelsPerNs;
    at = nextOf(at + 1, to, (place) => endAt(place) >= nextNs);
  }
  run.end();
}

/** Draws adjacent one-pixel bars of the same color as one: drawing is the slow part. */
class PixelRun {
  readonly #context: CanvasRenderingContext2D;
  readonly #y: number;
  #color = '';
  #left = 0;
  #right = 0;

  constructor(context: CanvasRenderingContext2D, y: number) {
    this.#context = context;
    this.#y = y;
  }

  add(pixel: number, color: string): void {
    // A bar that starts in the pixel of the previous one belongs to the same run.
    if (pixel < this.#right - 1 || pixel > this.#right || color !== this.#color) {
      this.end();
      this.#color = color;
      this.#left = pixel;
    }
    this.#right = pixel + 1;
  }

  end(): void {
    if (this.#right <= this.#left) return;
    this.#context.fillStyle = this.#color;
    this.#context.fillRect(this.#left, this.#y, this.#right - this.#left, BAR_HEIGHT);
    this.#left = this.#right;
  }
}

/** Galloping search: the next one is usually near. */
function nextOf(from: number, to: number, isReached: (at: number) => boolean): number {
  let step = 1;
  let low = from;
  while (low + step < to && !isReached(low + step)) {
    low += step;
    step *= 2;
  }
  return firstWhere(low, Math.min(to, low + step + 1), isReached);
}

function paintBar(
  { context, colors, data, labelOf }: Painter,
  activity: number,
  color: string,
  left: number,
  right: number,
  y: number,
): void {
  const width = right - left;
  context.fillStyle = color;
  context.fillRect(left, y, Math.max(1, width - (width > 3 ? 0.5 : 0)), BAR_HEIGHT);
  const state = data.activities.stateOf(activity);
  if (state === 'open' || state === 'killed') {
    context.fillStyle = state === 'open' ? colors.open : colors.killed;
    context.fillRect(Math.max(left, right - END_WIDTH), y, Math.min(width, END_WIDTH), BAR_HEIGHT);
  }
  const textLeft = Math.max(left, 0) + TEXT_MARGIN;
  const room = right - textLeft - TEXT_MARGIN;
  if (room < TEXT_WIDTH) return;
  context.fillStyle = colors.barText;
  paintText(context, labelOf(activity), textLeft, y + BAR_HEIGHT / 2, room);
}

/** The average width of a character, to truncate text without measuring it. */
export const CHARACTER_WIDTH = 6.2;

export function paintText(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
): void {
  const fitting = Math.floor(room / CHARACTER_WIDTH);
  const shown = text.length <= fitting ? text : `${text.slice(0, Math.max(1, fitting - 1))}…`;
  context.fillText(shown, x, y, room);
}

/** Draws the marks of one row's events. */
export function paintMarks(
  { context, colors, scale, data }: Painter,
  { starts, items }: Grouped,
  row: number,
  y: number,
  isLarge: boolean,
): void {
  const { time } = data.events;
  const to = starts[row + 1] as number;
  const timeOf = (at: number) => time[items[at] as number] as number;
  const endNs = scale.startNs + scale.width / scale.pixelsPerNs;
  const height = isLarge ? LARGE_MARK : SMALL_MARK;
  const top = isLarge ? y + 1 : y + BAR_HEIGHT - SMALL_MARK;
  context.fillStyle = colors.event;
  let at = firstWhere(starts[row] as number, to, (place) => timeOf(place) >= scale.startNs);
  while (at < to && timeOf(at) <= endNs) {
    const first = Math.floor(xOf(scale, timeOf(at)));
    let pixel = first;
    // Adjacent marks become one.
    do {
      pixel++;
      const nextNs = scale.startNs + pixel / scale.pixelsPerNs;
      at = nextOf(at + 1, to, (place) => timeOf(place) >= nextNs);
    } while (at < to && Math.floor(xOf(scale, timeOf(at))) === pixel && pixel < scale.width);
    context.fillRect(first, top, pixel - first, height);
  }
}
