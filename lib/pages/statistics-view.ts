/** Durations by activity name, with a histogram of the selected name. */

import { thousands } from '../view/number-text.ts';
import type { NameStatistics } from '../view/report/report-header.ts';
import { element } from './dom.ts';
import { indicesWhere } from './grouped.ts';
import { type Bucket, histogram } from './histogram.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.ts';
import type { SlowestView } from './slowest-view.ts';
import { durationText } from './time-text.ts';

export class StatisticsView {
  readonly list: RowList;
  readonly chart: HTMLElement;
  readonly #state: PageState;
  readonly #slowest: SlowestView;

  constructor(state: PageState, slowest: SlowestView) {
    this.#state = state;
    this.#slowest = slowest;
    const { statistics } = state.data.header;
    const number = (title: string) => ({ title, isNumber: true });
    this.list = new RowList({
      label: 'Durations by name',
      role: 'grid',
      name: 'statistics',
      columns: [
        { title: 'Activity' },
        ...['Count', 'Failed', 'Median', 'p95', 'p99', 'Max', 'Total', 'Self', 'Mean', 'No stop'].map(number),
      ],
      fill: (row, cells, index) => fillStatistics(row, cells, statistics[index] as NameStatistics),
      onCurrent: (index) => this.#show(statistics[index] as NameStatistics),
      onOpen: (index) =>
        slowest.limitTo(this.#taskOf(statistics[index] as NameStatistics), [0, Number.MAX_VALUE]),
      emptyText: 'The trace has no activities.',
    });
    this.chart = element('section', { class: 'chart', 'aria-label': 'Histogram of durations' });
    this.list.setCount(statistics.length, 0);
    if (statistics[0] !== undefined) this.#show(statistics[0]);
  }

  #taskOf({ name }: NameStatistics): number {
    const { providers, tasks } = this.#state.data.header;
    return tasks.findIndex((task) => `${providers[task.provider] ?? ''}/${task.name}` === name);
  }

  #show(statistics: NameStatistics): void {
    this.list.refresh();
    const { activities } = this.#state.data;
    const task = this.#taskOf(statistics);
    const isShown = (index: number) =>
      activities.task[index] === task && activities.stateOf(index) === 'stopped';
    const durations = Float64Array.from(indicesWhere(activities.count, isShown), (index) =>
      activities.durationNs(index),
    );
    const buckets = histogram(durations);
    const most = buckets.reduce((a, { count }) => Math.max(a, count), 1);
    this.chart.replaceChildren(
      element('h2', {}, statistics.name),
      element('div', { class: 'bars' }, ...buckets.map((bucket) => this.#bar(bucket, most, task))),
      element('div', { class: 'axis' }, ...axisTexts(buckets).map((text) => element('span', {}, text))),
      element('p', { class: 'muted' }, explanation(buckets, durations.length)),
    );
  }

  #bar(bucket: Bucket, most: number, task: number): HTMLElement {
    const { from, to, count } = bucket;
    const text = `${thousands(count)} took ${durationText(from)} to ${durationText(to)}`;
    const bar = element('button', { type: 'button', class: 'bar', title: text, 'aria-label': text });
    const fill = element('span', {});
    fill.style.height = count === 0 ? '0' : `max(2px, ${(100 * count) / most}%)`;
    bar.append(fill);
    bar.disabled = count === 0;
    bar.addEventListener('click', () => this.#slowest.limitTo(task, [from, to]));
    return bar;
  }
}

function explanation(buckets: readonly Bucket[], count: number): string {
  if (buckets.length === 0) return 'None of them stopped.';
  return `${thousands(count)} durations. A bar lists its activities.`;
}

/** The first edge, the last one, and two in between. */
function axisTexts(buckets: readonly Bucket[]): string[] {
  const edges = [...buckets.map(({ from }) => from), ...buckets.slice(-1).map(({ to }) => to)];
  const places = [0, 1 / 3, 2 / 3, 1].map((share) => Math.round(share * (edges.length - 1)));
  return [...new Set(places)]
    .map((place) => edges[place])
    .flatMap((ns) => (ns === undefined ? [] : [durationText(ns)]));
}

function fillStatistics(row: HTMLElement, cells: readonly HTMLElement[], statistics: NameStatistics): void {
  const { name, stopped, failed, unstopped, totalNs, selfNs, meanNs, medianNs, p95Ns, p99Ns, maxNs } =
    statistics;
  const time = (ns: number | undefined) => (ns === undefined ? '' : durationText(ns));
  const count = (number: number) => (number === 0 ? '' : thousands(number));
  const times = [medianNs, p95Ns, p99Ns, maxNs, totalNs, selfNs, meanNs].map(time);
  const texts = [name, thousands(stopped), count(failed), ...times, count(unstopped)];
  for (const [index, cell] of cells.entries()) cell.textContent = texts[index] ?? '';
  row.title = name;
}
