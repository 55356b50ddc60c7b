/** Durations by activity name, with a histogram of the selected name. */

import { thousands } from '../view/number-text.ts';
import type { NameStatistics } from '../view/report/report-header.ts';
import { element } from './dom.ts';
import { durationChart } from './duration-chart.ts';
import { indicesWhere } from './grouped.ts';
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
    const onChoose = (from: number, to: number) => this.#slowest.limitTo(task, [from, to]);
    this.chart.replaceChildren(
      element('h2', {}, statistics.name),
      ...durationChart({ durations, onChoose }),
      element('p', { class: 'muted' }, explanation(durations.length)),
    );
  }
}

function explanation(count: number): string {
  if (count === 0) return 'None of them stopped.';
  return `${thousands(count)} durations. A bar lists its activities.`;
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
