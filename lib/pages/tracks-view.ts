/** The tracks above the timeline, with the values at the time under the mouse. */
import { thousands } from '../view/number-text.ts';
import { Canvas } from './canvas.ts';
import { barColor, type Colors, currentColors } from './colors.ts';
import { element } from './dom.ts';
import { hueOf } from './frame-text.ts';
import { firstWhere } from './grouped.ts';
import { processTitle, threadTitle } from './lanes.ts';
import type { PageState } from './page-state.ts';
import { durationText } from './time-text.ts';
import { paintText, type Scale, timeAt, xOf } from './timeline-paint.ts';
import { type Track, textAt, valueText } from './tracks.ts';

const TRACK_HEIGHT = 34;
/** The plot is below the texts. */
const PLOT_HEIGHT = 18;
const FONT = '11px system-ui, sans-serif';
const TEXT_MARGIN = 8;
/** The mouse may miss a span by this many pixels. */
const REACH = 3;
const FILL = 0.35;

export class TracksView {
  readonly #state: PageState;
  readonly #canvas: Canvas;
  readonly #tracks: readonly Track[];
  #colors: Colors = currentColors();

  constructor(state: PageState, host: HTMLElement) {
    this.#state = state;
    this.#tracks = state.data.tracks;
    host.hidden = this.#tracks.length === 0;
    const canvas = element('canvas', { role: 'img', 'aria-label': this.#summary() });
    canvas.style.height = `${this.#tracks.length * TRACK_HEIGHT}px`;
    host.append(canvas);
    this.#canvas = new Canvas(canvas, () => this.#paint());
    canvas.addEventListener('pointermove', ({ offsetX }) => state.pointed.set(timeAt(this.#scale, offsetX)));
    canvas.addEventListener('pointerleave', () => state.pointed.set(undefined));
    const repaint = () => this.#canvas.invalidate();
    state.range.onChange(repaint);
    state.pointed.onChange(repaint);
    state.theme.onChange(() => {
      this.#colors = currentColors();
      repaint();
    });
  }

  get #scale(): Scale {
    const { start, span } = this.#state.range;
    const { width } = this.#canvas;
    return { startNs: start, pixelsPerNs: width / span, width };
  }

  /** The tracks are a picture, so assistive technology needs them as text. */
  #summary(): string {
    const texts = this.#tracks.map((track) => `${this.#titleOf(track)}: ${this.#overall(track)}`);
    return `Values over time. ${texts.join('; ')}`;
  }

  #overall(track: Track): string {
    const { isSpans, values, most } = track;
    if (!isSpans) return `up to ${valueText(track, most)}`;
    const total = values.reduce((sum, value) => sum + value, 0);
    return `${thousands(values.length)}, ${durationText(total)} in all, up to ${durationText(most)}`;
  }

  /** The title names the thread or process if several tracks have it. */
  #titleOf({ title, thread }: Track): string {
    const about = this.#state.data.header.threads[thread];
    const isOnly = this.#tracks.filter((other) => other.title === title).length === 1;
    if (isOnly || about === undefined) return title;
    return `${title} · ${about.threadId === undefined ? processTitle(about) : threadTitle(about)}`;
  }

  #paint(): void {
    const { context, width, height } = this.#canvas;
    const pointed = this.#state.pointed.value;
    const scale = this.#scale;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.fillStyle = this.#colors.background;
    context.fillRect(0, 0, width, height);
    for (const [index, track] of this.#tracks.entries()) {
      const top = index * TRACK_HEIGHT;
      if (track.isSpans) this.#paintSpans(track, scale, top);
      else this.#paintValues(track, scale, top);
      context.fillStyle = this.#colors.line;
      context.fillRect(0, top + TRACK_HEIGHT - 1, width, 1);
      const text =
        pointed === undefined ? this.#overall(track) : textAt(track, pointed, REACH / scale.pixelsPerNs);
      this.#paintTexts(this.#titleOf(track), text, top);
    }
    if (pointed === undefined) return;
    context.fillStyle = this.#colors.text;
    context.fillRect(Math.round(xOf(scale, pointed)), 0, 1, height);
  }

  /** The title on the left, and the value on the right. */
  #paintTexts(title: string, text: string, top: number): void {
    const { context, width } = this.#canvas;
    const y = top + TEXT_MARGIN;
    const textWidth = context.measureText(text).width;
    context.fillStyle = this.#colors.text;
    context.fillText(text, width - textWidth - TEXT_MARGIN, y);
    paintText(context, title, TEXT_MARGIN, y, width - textWidth - 3 * TEXT_MARGIN);
  }

  #paintSpans({ times, values, kinds }: Track, scale: Scale, top: number): void {
    const { context, width } = this.#canvas;
    for (const [point, start] of times.entries()) {
      const left = Math.max(0, xOf(scale, start));
      const right = Math.min(width, xOf(scale, start + (values[point] as number)));
      if (left > width) break;
      if (right < 0) continue;
      context.fillStyle = barColor(this.#colors, hueOf(kinds[point] as string), false);
      context.fillRect(left, top + TRACK_HEIGHT - 1 - PLOT_HEIGHT, Math.max(1, right - left), PLOT_HEIGHT);
    }
  }

  /** Paints the values as steps; of several in a pixel, the highest. */
  #paintValues({ times, values, most }: Track, scale: Scale, top: number): void {
    const { context, width } = this.#canvas;
    const { length } = times;
    const endNs = timeAt(scale, width);
    const first = firstWhere(0, length, (point) => (times[point] as number) >= scale.startNs);
    let left = first === 0 ? xOf(scale, this.#state.range.min) : xOf(scale, times[first - 1] as number);
    let highest = 0;
    for (let point = first; point < length; point++) {
      const right = xOf(scale, times[point] as number);
      highest = Math.max(highest, values[point] as number);
      const isShown = right - left >= 1;
      if (isShown) {
        const high = most > 0 ? (highest / most) * PLOT_HEIGHT : 0;
        const y = top + TRACK_HEIGHT - 1 - high;
        context.fillStyle = this.#colors.accent;
        context.globalAlpha = FILL;
        context.fillRect(left, y, right - left, high);
        context.globalAlpha = 1;
        if (high > 0) context.fillRect(left, y, right - left, 1);
        left = right;
        highest = 0;
      }
      if ((times[point] as number) > endNs) break;
    }
  }
}
