/** A canvas as large as its element and as sharp as the screen, drawn at most once per frame. */
export class Canvas {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  readonly #draw: () => void;
  #isDue = false;

  /** @param draw draws everything, in CSS pixels */
  constructor(element: HTMLCanvasElement, draw: () => void) {
    this.element = element;
    this.context = element.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
    this.#draw = draw;
    new ResizeObserver(() => this.#resize()).observe(element);
  }

  /** Draws in the next frame. */
  invalidate(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow(): void {
    this.#isDue = false;
    if (this.width > 0 && this.height > 0) this.#draw();
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.element;
    const scale = devicePixelRatio;
    this.width = clientWidth;
    this.height = clientHeight;
    this.element.width = Math.round(clientWidth * scale);
    this.element.height = Math.round(clientHeight * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    // Draw now: a resized canvas is blank.
    this.#drawNow();
  }
}
