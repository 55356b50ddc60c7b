/** Mouse, touch and keyboard input of the timeline. */
import type { PageState } from './page-state.ts';
import type { Selected } from './selection.ts';
import { isSame } from './selection.ts';
import { RULER_HEIGHT, type Timeline } from './timeline.ts';
import { ROW_HEIGHT } from './timeline-paint.ts';

const ZOOM_STEP = 0.75;
/** The share of the visible range that one key press moves. */
const PAN_STEP = 0.15;
/** The zoom changes by this per pixel of wheel movement. */
const WHEEL_ZOOM = 0.0025;
const LINE_PIXELS = 16;
/** A press that moves less is a click. */
const CLICK_REACH = 4;

export class TimelineInput {
  readonly #timeline: Timeline;
  readonly #state: PageState;
  readonly #onHover: (hovered: Selected | undefined, event: PointerEvent) => void;
  #press: { x: number; y: number; scrollTop: number; startNs: number; mode: 'pan' | 'span' } | undefined;
  #isDragging = false;

  constructor(
    timeline: Timeline,
    state: PageState,
    onHover: (hovered: Selected | undefined, event: PointerEvent) => void,
  ) {
    this.#timeline = timeline;
    this.#state = state;
    this.#onHover = onHover;
    const { element } = timeline.canvas;
    element.addEventListener('pointerdown', (event) => this.#down(event));
    element.addEventListener('pointermove', (event) => this.#move(event));
    element.addEventListener('pointerup', (event) => this.#up(event));
    element.addEventListener('pointercancel', () => this.#end());
    element.addEventListener('pointerleave', (event) => {
      this.#hover(undefined, event);
      state.pointed.set(undefined);
    });
    element.addEventListener('dblclick', (event) =>
      timeline.zoomTo(timeline.at(event.offsetX, event.offsetY)),
    );
    timeline.scroller.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    timeline.scroller.addEventListener('keydown', (event) => this.#key(event));
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#timeline.canvas.element.setPointerCapture(event.pointerId);
    const isSpan = event.shiftKey || event.offsetY < RULER_HEIGHT;
    this.#press = {
      x: event.offsetX,
      y: event.offsetY,
      scrollTop: this.#timeline.scroller.scrollTop,
      startNs: this.#state.range.start,
      mode: isSpan ? 'span' : 'pan',
    };
  }

  #move(event: PointerEvent): void {
    const press = this.#press;
    this.#state.pointed.set(this.#timeline.timeAt(event.offsetX));
    if (press === undefined) {
      this.#hover(this.#timeline.at(event.offsetX, event.offsetY), event);
      return;
    }
    const [byX, byY] = [event.offsetX - press.x, event.offsetY - press.y];
    if (Math.hypot(byX, byY) > CLICK_REACH) this.#isDragging = true;
    if (!this.#isDragging) return;
    const { range } = this.#state;
    if (press.mode === 'span') {
      this.#timeline.chosenSpan = [this.#timeline.timeAt(press.x), this.#timeline.timeAt(event.offsetX)];
      this.#timeline.canvas.invalidate();
      return;
    }
    range.pan(press.startNs - byX / this.#timeline.scale.pixelsPerNs - range.start);
    this.#timeline.scroller.scrollTop = press.scrollTop - byY;
  }

  #up(event: PointerEvent): void {
    const span = this.#timeline.chosenSpan;
    const isClick = this.#press !== undefined && !this.#isDragging;
    this.#end();
    if (span !== undefined) this.#state.range.show(Math.min(...span), Math.max(...span));
    else if (isClick) this.#state.selected.set(this.#timeline.at(event.offsetX, event.offsetY));
  }

  #end(): void {
    this.#press = undefined;
    this.#isDragging = false;
    this.#timeline.chosenSpan = undefined;
    this.#timeline.canvas.invalidate();
  }

  #hover(hovered: Selected | undefined, event: PointerEvent): void {
    if (!isSame(hovered, this.#timeline.hovered)) {
      this.#timeline.hovered = hovered;
      this.#timeline.canvas.invalidate();
    }
    this.#onHover(hovered, event);
  }

  /** Ctrl zooms; browsers report a pinch on a touchpad the same way. Otherwise the wheel pans and scrolls. */
  #wheel(event: WheelEvent): void {
    const { range } = this.#state;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PIXELS : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const { left } = this.#timeline.canvas.element.getBoundingClientRect();
      range.zoom(Math.exp(event.deltaY * unit * WHEEL_ZOOM), this.#timeline.timeAt(event.clientX - left));
      return;
    }
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (sideways === 0) return;
    event.preventDefault();
    range.pan((sideways * unit) / this.#timeline.scale.pixelsPerNs);
    if (!event.shiftKey) this.#timeline.scroller.scrollTop += event.deltaY * unit;
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = (event.shiftKey ? this.#withShift(event.key) : undefined) ?? this.#plain(event.key);
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  #plain(key: string): (() => void) | undefined {
    const { range } = this.#state;
    const zoom = (factor: number) => () => range.zoom(factor, (range.start + range.end) / 2);
    const pan = (share: number) => () => range.pan(range.span * share);
    const scroll = (rows: number) => () => {
      this.#timeline.scroller.scrollTop += rows * ROW_HEIGHT;
    };
    const page = Math.max(1, Math.floor(this.#timeline.canvas.height / ROW_HEIGHT) - 2);
    switch (key) {
      case '+':
      case '=':
      case 'w':
        return zoom(ZOOM_STEP);
      case '-':
      case 's':
        return zoom(1 / ZOOM_STEP);
      case 'ArrowLeft':
      case 'a':
        return pan(-PAN_STEP);
      case 'ArrowRight':
      case 'd':
        return pan(PAN_STEP);
      case 'ArrowUp':
        return scroll(-1);
      case 'ArrowDown':
        return scroll(1);
      case 'PageUp':
        return scroll(-page);
      case 'PageDown':
        return scroll(page);
      case '0':
      case 'Home':
        return () => range.showAll();
      case 'z':
      case 'Enter':
        return () => this.#timeline.zoomTo(this.#state.selected.value);
      case 'Escape':
        return () => this.#state.selected.set(undefined);
      default:
        return undefined;
    }
  }

  /** Moves between activities. */
  #withShift(key: string): (() => void) | undefined {
    const { activities } = this.#state.data;
    const selected = this.#state.selected.value;
    if (!key.startsWith('Arrow') || activities.count === 0) return undefined;
    if (selected?.kind !== 'activity') return () => this.#select(activities.roots[0]);
    const { index } = selected;
    switch (key) {
      case 'ArrowLeft':
        return () => this.#select(this.#timeline.besides(index, -1));
      case 'ArrowRight':
        return () => this.#select(this.#timeline.besides(index, 1));
      case 'ArrowUp':
        return () => this.#select(activities.parent[index]);
      case 'ArrowDown':
        return () => this.#select(activities.children(index)[0]);
      default:
        return undefined;
    }
  }

  #select(index: number | undefined): void {
    if (index === undefined || index < 0) return;
    const selected: Selected = { kind: 'activity', index };
    this.#state.selected.set(selected);
    this.#timeline.reveal(selected);
  }
}
