/** The timeline: lanes of bars and marks under a ruler, with its own scrolling and a tooltip. */
import { Canvas } from './canvas.ts';
import { type Colors, currentColors } from './colors.ts';
import { firstWhere, type Grouped, grouped } from './grouped.ts';
import type { Lane, LaneKind, Lanes } from './lanes.ts';
import { lanesBy } from './lanes.ts';
import type { PageState } from './page-state.ts';
import type { Selected } from './selection.ts';
import { ticks } from './time-text.ts';
import { activityAt, eventAt } from './timeline-hits.ts';
import {
  type Painter,
  paintBars,
  paintMarks,
  paintText,
  ROW_HEIGHT,
  type Scale,
  timeAt,
  xOf,
} from './timeline-paint.ts';

export const RULER_HEIGHT = 24;
const TICK_DISTANCE = 110;
/** The opacity of what a search has not found. */
const FADED = 0.3;
const MAX_LABELS = 20_000;
const FONT = '11px system-ui, sans-serif';

export class Timeline {
  readonly canvas: Canvas;
  readonly scroller: HTMLElement;
  hovered: Selected | undefined = undefined;
  /** The range being selected, in nanoseconds. */
  chosenSpan: readonly [number, number] | undefined = undefined;
  readonly #state: PageState;
  readonly #spacer: HTMLElement;
  #lanes: Lanes;
  #colors: Colors = currentColors();
  #found: { readonly bars: Grouped; readonly marks: Grouped } | undefined;
  readonly #labels = new Map<number, string>();

  constructor(state: PageState, scroller: HTMLElement, canvas: HTMLCanvasElement, spacer: HTMLElement) {
    this.#state = state;
    this.scroller = scroller;
    this.#spacer = spacer;
    this.canvas = new Canvas(canvas, () => this.#paint());
    this.#lanes = lanesBy(state.lanes.value, state.data);
    this.#setHeight();
    scroller.addEventListener('scroll', () => this.canvas.invalidate());
    state.range.onChange(() => this.canvas.invalidate());
    state.selected.onChange(() => this.canvas.invalidate());
    state.lanes.onChange((kind) => this.#arrange(kind));
    state.matches.onChange(() => this.#findMatches());
    state.theme.onChange(() => {
      this.#colors = currentColors();
      this.canvas.invalidate();
    });
  }

  get scale(): Scale {
    const { range } = this.#state;
    return { startNs: range.start, pixelsPerNs: this.canvas.width / range.span, width: this.canvas.width };
  }

  timeAt(x: number): number {
    return timeAt(this.scale, x);
  }

  /** The event or activity at a position of the canvas. */
  at(x: number, y: number): Selected | undefined {
    if (y < RULER_HEIGHT) return undefined;
    const place = y - RULER_HEIGHT + this.scroller.scrollTop;
    const row = Math.floor(place / ROW_HEIGHT);
    if (row >= this.#lanes.rowCount) return undefined;
    const lane = this.#laneOf(row);
    const isEventsRow = lane.hasEvents && row === lane.firstRow + 1;
    const isLow = place % ROW_HEIGHT > ROW_HEIGHT / 2;
    const hits = { lanes: this.#lanes, data: this.#state.data, scale: this.scale };
    const event = isEventsRow || isLow ? eventAt(hits, row, x) : undefined;
    if (event !== undefined) return { kind: 'event', index: event };
    const activity = activityAt(hits, row, x);
    return activity === undefined ? undefined : { kind: 'activity', index: activity };
  }

  /** Scrolls and pans to show this. */
  reveal({ kind, index }: Selected): void {
    const { activities, events } = this.#state.data;
    const isActivity = kind === 'activity';
    const time = events.time[index] as number;
    const from = isActivity ? (activities.start[index] as number) : time;
    this.#state.range.reveal(from, isActivity ? (activities.end[index] as number) : time);
    const row = (isActivity ? this.#lanes.activityRow[index] : this.#lanes.eventRow[index]) ?? -1;
    if (row < 0) return;
    const top = row * ROW_HEIGHT;
    const { scrollTop } = this.scroller;
    const height = this.canvas.height - RULER_HEIGHT;
    if (top < scrollTop + ROW_HEIGHT || top + ROW_HEIGHT > scrollTop + height) {
      this.scroller.scrollTop = top - height / 2;
    }
  }

  /** Makes an activity fill the width. */
  zoomTo(shown: Selected | undefined): void {
    if (shown?.kind === 'activity') {
      const { start, end } = this.#state.data.activities;
      const [from, to] = [start[shown.index] as number, end[shown.index] as number];
      const margin = Math.max(1000, (to - from) * 0.05);
      this.#state.range.show(from - margin, to + margin);
    }
    if (shown !== undefined) this.reveal(shown);
  }

  /** The next activity to the left or right in the same row. */
  besides(activity: number, step: -1 | 1): number | undefined {
    const { starts, items } = this.#lanes.activitiesByRow;
    const row = this.#lanes.activityRow[activity] as number;
    const [from, to] = [starts[row] as number, starts[row + 1] as number];
    const at = firstWhere(from, to, (place) => (items[place] as number) >= activity) + step;
    return at >= from && at < to ? items[at] : undefined;
  }

  #laneOf(row: number): Lane {
    return this.#lanes.list[this.#lanes.laneOfRow[row] as number] as Lane;
  }

  #arrange(kind: LaneKind): void {
    this.#lanes = lanesBy(kind, this.#state.data);
    this.#setHeight();
    this.scroller.scrollTop = 0;
    this.#findMatches();
    const selected = this.#state.selected.value;
    if (selected !== undefined) this.reveal(selected);
  }

  /** The height with all rows. */
  get wholeHeight(): number {
    return RULER_HEIGHT + (this.#lanes.rowCount + 1) * ROW_HEIGHT;
  }

  /** The canvas is as high as the viewport and stays in place; the spacer provides the scroll height. */
  #setHeight(): void {
    this.#spacer.style.height = `max(0px, ${this.wholeHeight - ROW_HEIGHT}px - 100%)`;
  }

  #findMatches(): void {
    const matches = this.#state.matches.value;
    const { activityRow, eventRow, rowCount } = this.#lanes;
    this.#found = matches && {
      bars: grouped(activityRow, rowCount, matches.activities),
      marks: grouped(eventRow, rowCount, matches.events),
    };
    this.canvas.invalidate();
  }

  #labelOf(activity: number): string {
    const known = this.#labels.get(activity);
    if (known !== undefined) return known;
    if (this.#labels.size >= MAX_LABELS) this.#labels.clear();
    const label = this.#state.data.activities.label(activity);
    this.#labels.set(activity, label);
    return label;
  }

  #paint(): void {
    const { context, width, height } = this.canvas;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.fillStyle = this.#colors.background;
    context.fillRect(0, 0, width, height);
    const found = ticks(this.#state.range.start, this.#state.range.end, width / TICK_DISTANCE);
    context.fillStyle = this.#colors.line;
    for (const { ns } of found) context.fillRect(Math.round(xOf(this.scale, ns)), RULER_HEIGHT, 1, height);
    this.#paintRows();
    this.#paintSpan();
    this.#paintRuler(found);
  }

  #paintRows(): void {
    const { context, colors, scale, labelOf } = {
      context: this.canvas.context,
      colors: this.#colors,
      scale: this.scale,
      labelOf: (activity: number) => this.#labelOf(activity),
    };
    const painter: Painter = { context, colors, scale, labelOf, data: this.#state.data };
    const { scrollTop } = this.scroller;
    const first = Math.floor(scrollTop / ROW_HEIGHT);
    const last = Math.min(this.#lanes.rowCount - 1, Math.ceil((scrollTop + this.canvas.height) / ROW_HEIGHT));
    for (let row = first; row <= last; row++) {
      const y = RULER_HEIGHT + row * ROW_HEIGHT - scrollTop;
      const lane = this.#laneOf(row);
      if (row === lane.firstRow) this.#paintTitle(lane, y);
      else this.#paintRow(painter, row, y + 1, lane.hasEvents && row === lane.firstRow + 1);
    }
    this.#paintOutline(this.#state.selected.value, colors.accent, 2);
    this.#paintOutline(this.hovered, colors.text, 1);
    // The title of the first visible lane stays visible.
    if (first <= last) this.#paintTitle(this.#laneOf(first), RULER_HEIGHT);
  }

  #paintRow(painter: Painter, row: number, y: number, isEventsRow: boolean): void {
    const { context } = painter;
    const { activitiesByRow, eventsByRow } = this.#lanes;
    if (this.#found !== undefined) context.globalAlpha = FADED;
    paintBars(painter, activitiesByRow, row, y);
    paintMarks(painter, eventsByRow, row, y, isEventsRow);
    context.globalAlpha = 1;
    if (this.#found === undefined) return;
    paintBars(painter, this.#found.bars, row, y);
    paintMarks(painter, this.#found.marks, row, y, isEventsRow);
  }

  #paintTitle({ title }: Lane, y: number): void {
    const { context, width } = this.canvas;
    context.fillStyle = this.#colors.band;
    context.fillRect(0, y, width, ROW_HEIGHT);
    context.fillStyle = this.#colors.mutedText;
    paintText(context, title, 8, y + ROW_HEIGHT / 2, width - 16);
  }

  #paintOutline(shown: Selected | undefined, color: string, lineWidth: number): void {
    if (shown === undefined) return;
    const { context } = this.canvas;
    const { activities, events } = this.#state.data;
    const isActivity = shown.kind === 'activity';
    const row = (isActivity ? this.#lanes.activityRow : this.#lanes.eventRow)[shown.index] as number;
    if (row < 0) return;
    const from = isActivity ? activities.start[shown.index] : events.time[shown.index];
    const to = isActivity ? activities.end[shown.index] : from;
    const left = Math.max(-5, xOf(this.scale, from as number));
    const right = Math.min(this.canvas.width + 5, Math.max(left + 2, xOf(this.scale, to as number)));
    const y = RULER_HEIGHT + row * ROW_HEIGHT - this.scroller.scrollTop;
    context.strokeStyle = color;
    context.lineWidth = lineWidth;
    context.strokeRect(left - 1, y + 1, right - left + 2, ROW_HEIGHT - 3);
  }

  #paintSpan(): void {
    if (this.chosenSpan === undefined) return;
    const { context, height } = this.canvas;
    const [from, to] = this.chosenSpan.map((ns) => xOf(this.scale, ns)) as [number, number];
    context.globalAlpha = 0.2;
    context.fillStyle = this.#colors.accent;
    context.fillRect(Math.min(from, to), 0, Math.abs(to - from), height);
    context.globalAlpha = 1;
  }

  #paintRuler(found: ReturnType<typeof ticks>): void {
    const { context, width } = this.canvas;
    const { band, line, mutedText } = this.#colors;
    context.fillStyle = band;
    context.fillRect(0, 0, width, RULER_HEIGHT);
    context.fillStyle = line;
    context.fillRect(0, RULER_HEIGHT - 1, width, 1);
    for (const { ns, text } of found) {
      const x = Math.round(xOf(this.scale, ns));
      context.fillStyle = line;
      context.fillRect(x, RULER_HEIGHT - 7, 1, 7);
      context.fillStyle = mutedText;
      if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, RULER_HEIGHT / 2);
    }
  }
}
