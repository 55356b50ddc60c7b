/** A flame graph: one bar per call, as wide as its samples; callers above what they call, or below. */
import { Canvas } from './canvas.ts';
import { barColor, type Colors, currentColors } from './colors.ts';
import { element } from './dom.ts';
import type { FlameTree } from './flame-tree.ts';
import { type FrameText, hueOf } from './frame-text.ts';
import { CHARACTER_WIDTH, paintText, ROW_HEIGHT } from './timeline-paint.ts';

const FONT = '11px system-ui, sans-serif';
const TEXT_WIDTH = 24;
const TEXT_MARGIN = 4;
/** Narrower bars are not drawn. */
const LEAST_WIDTH = 0.4;
const FADED = 0.3;

interface Place {
  readonly node: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

export class FlameChart {
  readonly element: HTMLElement;
  /** The node that the keyboard moves, or -1. */
  current = -1;
  /** The node that fills the width, or -1 for all. */
  zoomed = -1;
  /** Whether callers are at the bottom. */
  isUpward = false;
  /** The index is a function: 1 for those that stand out; undefined for all. */
  marked: Uint8Array | undefined = undefined;
  #tree: FlameTree | undefined;
  #hovered = -1;
  #colors: Colors = currentColors();
  readonly #textOf: (frame: number) => FrameText;
  readonly #canvas: Canvas;
  readonly #spacer = element('div');
  readonly #onCurrent: () => void;

  /**
   * @param textOf what it shows of a function or group
   * @param onCurrent called when the user has moved to a node, or zoomed
   * @param onHover called with the node under the mouse, or -1
   */
  constructor(
    textOf: (frame: number) => FrameText,
    onCurrent: () => void,
    onHover: (node: number, event: MouseEvent) => void,
  ) {
    this.#textOf = textOf;
    this.#onCurrent = onCurrent;
    const canvas = element('canvas');
    this.element = element(
      'div',
      {
        class: 'flame scroller',
        tabindex: '0',
        role: 'application',
        'aria-label': 'Flame graph',
        'aria-describedby': 'flame-keys',
      },
      canvas,
      this.#spacer,
    );
    this.#canvas = new Canvas(canvas, () => this.#paint());
    this.element.addEventListener('scroll', () => this.invalidate());
    const hover = (node: number, event: MouseEvent) => {
      if (node !== this.#hovered) this.invalidate();
      this.#hovered = node;
      onHover(node, event);
    };
    canvas.addEventListener('pointermove', (event) => hover(this.#at(event), event));
    canvas.addEventListener('pointerleave', (event) => hover(-1, event));
    canvas.addEventListener('click', (event) => this.#goTo(this.#at(event)));
    canvas.addEventListener('dblclick', (event) => this.zoomTo(this.#at(event)));
    this.element.addEventListener('keydown', (event) => this.#key(event));
  }

  get tree(): FlameTree | undefined {
    return this.#tree;
  }

  show(tree: FlameTree): void {
    this.#tree = tree;
    this.current = -1;
    this.#hovered = -1;
    this.zoomTo(-1);
  }

  /** Turns the graph around. */
  turn(isUpward: boolean): void {
    this.isUpward = isUpward;
    this.zoomTo(this.zoomed);
  }

  invalidate(isNewTheme = false): void {
    if (isNewTheme) this.#colors = currentColors();
    this.#canvas.invalidate();
  }

  zoomTo(node: number): void {
    this.zoomed = node;
    if (node >= 0) this.current = node;
    this.#spacer.style.height = `max(0px, ${(this.#tree?.levels ?? 0) * ROW_HEIGHT}px - 100%)`;
    this.element.scrollTop = this.isUpward ? this.element.scrollHeight : 0;
    this.#reveal(node);
    this.#onCurrent();
    this.invalidate();
  }

  #goTo(node: number): void {
    this.current = node;
    this.#reveal(node);
    this.#onCurrent();
    this.invalidate();
  }

  #topOf(depth: number): number {
    const { height } = this.#canvas;
    const whole = Math.max(height, (this.#tree?.levels ?? 0) * ROW_HEIGHT);
    return (this.isUpward ? whole - (depth + 1) * ROW_HEIGHT : depth * ROW_HEIGHT) - this.element.scrollTop;
  }

  #reveal(node: number): void {
    if (node < 0 || this.#tree === undefined) return;
    const top = this.#topOf(this.#tree.depth[node] as number);
    const { height } = this.#canvas;
    if (top < 0) this.element.scrollTop += top;
    else if (top + ROW_HEIGHT > height) this.element.scrollTop += top + ROW_HEIGHT - height;
  }

  /** The bars that are wide enough to see, callers first. */
  *#places(): Generator<Place, void, undefined> {
    const tree = this.#tree;
    if (tree === undefined) return;
    const { width } = this.#canvas;
    const { zoomed } = this;
    const shown = zoomed < 0 ? tree.samples : (tree.total[zoomed] as number);
    const start = zoomed < 0 ? 0 : (tree.left[zoomed] as number);
    const unit = shown > 0 ? width / shown : 0;
    for (let above = zoomed < 0 ? -1 : (tree.parent[zoomed] as number); above >= 0; ) {
      yield { node: above, left: 0, width, top: this.#topOf(tree.depth[above] as number) };
      above = tree.parent[above] as number;
    }
    const left: Uint32Array[] = [zoomed < 0 ? tree.roots : Uint32Array.of(zoomed)];
    for (let nodes = left.pop(); nodes !== undefined; nodes = left.pop()) {
      for (const node of nodes) {
        const barWidth = (tree.total[node] as number) * unit;
        // The others are narrower still.
        if (barWidth < LEAST_WIDTH) break;
        const top = this.#topOf(tree.depth[node] as number);
        yield { node, left: ((tree.left[node] as number) - start) * unit, width: barWidth, top };
        left.push(tree.children(node));
      }
    }
  }

  #at({ offsetX, offsetY }: MouseEvent): number {
    for (const { node, left, width, top } of this.#places()) {
      const isHit = offsetX >= left && offsetX < left + width && offsetY >= top && offsetY < top + ROW_HEIGHT;
      if (isHit) return node;
    }
    return -1;
  }

  #paint(): void {
    const { context, width, height } = this.#canvas;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.fillStyle = this.#colors.background;
    context.fillRect(0, 0, width, height);
    const outlines: [place: Place, color: string, lineWidth: number][] = [];
    for (const place of this.#places()) {
      if (place.top > height || place.top + ROW_HEIGHT < 0) continue;
      this.#paintBar(place);
      if (place.node === this.current) outlines.push([place, this.#colors.accent, 2]);
      else if (place.node === this.#hovered) outlines.push([place, this.#colors.text, 1]);
    }
    for (const [{ left, top, width: barWidth }, color, lineWidth] of outlines) {
      context.strokeStyle = color;
      context.lineWidth = lineWidth;
      context.strokeRect(left + 1, top + 1, Math.max(1, barWidth - 2), ROW_HEIGHT - 2);
    }
  }

  #paintBar({ node, left, top, width }: Place): void {
    const tree = this.#tree as FlameTree;
    const { context } = this.#canvas;
    const frame = tree.frame(node);
    const { label, short, place } = this.#textOf(frame);
    const isAbove = this.zoomed >= 0 && (tree.depth[node] as number) < (tree.depth[this.zoomed] as number);
    const isFaded = isAbove || (this.marked !== undefined && this.marked[frame] !== 1);
    context.globalAlpha = isFaded ? FADED : 1;
    context.fillStyle = frame < 0 ? this.#colors.line : barColor(this.#colors, hueOf(place), false);
    context.fillRect(left, top, Math.max(1, width - (width > 3 ? 1 : 0)), ROW_HEIGHT - 1);
    context.globalAlpha = isFaded ? 0.7 : 1;
    const room = width - 2 * TEXT_MARGIN;
    if (room < TEXT_WIDTH) return;
    context.fillStyle = isFaded ? this.#colors.text : this.#colors.barText;
    const text = label.length * CHARACTER_WIDTH > room ? short : label;
    paintText(context, text, left + TEXT_MARGIN, top + ROW_HEIGHT / 2, room);
    context.globalAlpha = 1;
  }

  #key(event: KeyboardEvent): void {
    const tree = this.#tree;
    if (event.ctrlKey || event.metaKey || event.altKey || tree === undefined) return;
    const { current } = this;
    const above = current < 0 ? -1 : (tree.parent[current] as number);
    const beside = (step: number) => {
      const nodes = above < 0 ? tree.roots : tree.children(above);
      return nodes[nodes.indexOf(current) + step] ?? current;
    };
    const [inward, outward] = this.isUpward ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp'];
    const { key } = event;
    if (key === inward) this.#goTo((current < 0 ? tree.roots : tree.children(current))[0] ?? current);
    else if (key === outward) this.#goTo(above < 0 ? current : above);
    else if (key === 'ArrowLeft') this.#goTo(beside(-1));
    else if (key === 'ArrowRight') this.#goTo(beside(1));
    else if (key === 'Enter' || key === 'z') this.zoomTo(current);
    else if (key === '0' || key === 'Home' || key === 'Escape') this.zoomTo(-1);
    else return;
    event.preventDefault();
  }
}
