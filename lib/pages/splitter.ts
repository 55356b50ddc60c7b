/** The bar between the timeline and the lists below: moved with the mouse or the arrow keys. */

const SMALLEST_SHARE = 15;
const LARGEST_SHARE = 85;
const FIRST_SHARE = 50;
const FIRST_SHARE_NARROW = 34;
const KEY_STEP = 4;

/**
 * @param above gets its share of the height of `host`, in percent
 * @param needed its height in pixels if it shows everything
 */
export function setUpSplitter(bar: HTMLElement, host: HTMLElement, above: HTMLElement, needed: number): void {
  let share = 0;
  const set = (percent: number) => {
    share = Math.min(LARGEST_SHARE, Math.max(SMALLEST_SHARE, percent));
    above.style.flexBasis = `${share}%`;
    bar.setAttribute('aria-valuenow', String(Math.round(share)));
  };
  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener('pointermove', (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { top, height } = host.getBoundingClientRect();
    set(((event.clientY - top) / height) * 100);
  });
  bar.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowUp' ? -KEY_STEP : event.key === 'ArrowDown' ? KEY_STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    set(share + step);
  });
  const first = matchMedia('(max-width: 800px)').matches ? FIRST_SHARE_NARROW : FIRST_SHARE;
  set(Math.min(first, (100 * needed) / Math.max(1, host.clientHeight)));
}
