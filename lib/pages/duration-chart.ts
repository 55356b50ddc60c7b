/** The histogram of durations as bars, each of which leads to its activities. */
import { thousands } from '../view/number-text.ts';
import { element } from './dom.ts';
import { type Bucket, histogram } from './histogram.ts';
import { durationText } from './time-text.ts';

interface DurationChart {
  readonly durations: Float64Array;
  /** The bar of this duration stands out. */
  readonly markedNs?: number;
  readonly onChoose: (from: number, to: number) => void;
}

export function durationChart({ durations, markedNs, onChoose }: DurationChart): HTMLElement[] {
  const buckets = histogram(durations);
  const most = buckets.reduce((a, { count }) => Math.max(a, count), 1);
  const bars = buckets.map((bucket) => barOf(bucket, most, markedNs, onChoose));
  const texts = axisTexts(buckets).map((text) => element('span', {}, text));
  return [element('div', { class: 'bars' }, ...bars), element('div', { class: 'axis' }, ...texts)];
}

function barOf(
  { from, to, count }: Bucket,
  most: number,
  markedNs: number | undefined,
  onChoose: (from: number, to: number) => void,
): HTMLElement {
  const isMarked = markedNs !== undefined && markedNs >= from && markedNs < to;
  const text = `${thousands(count)} took ${durationText(from)} to ${durationText(to)}${isMarked ? ', this one among them' : ''}`;
  const bar = element('button', {
    type: 'button',
    class: isMarked ? 'bar marked' : 'bar',
    title: text,
    'aria-label': text,
  });
  const fill = element('span', {});
  fill.style.height = count === 0 ? '0' : `max(2px, ${(100 * count) / most}%)`;
  bar.append(fill);
  bar.disabled = count === 0;
  bar.addEventListener('click', () => onChoose(from, to));
  return bar;
}

/** The axis names the first edge, the last one, and two in between. */
function axisTexts(buckets: readonly Bucket[]): string[] {
  const edges = [...buckets.map(({ from }) => from), ...buckets.slice(-1).map(({ to }) => to)];
  const places = [0, 1 / 3, 2 / 3, 1].map((share) => Math.round(share * (edges.length - 1)));
  return [...new Set(places)]
    .map((place) => edges[place])
    .flatMap((ns) => (ns === undefined ? [] : [durationText(ns)]));
}
