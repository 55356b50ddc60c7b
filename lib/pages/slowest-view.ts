/** The slowest activities: of all, of one name, or of a range of durations. */
import { milliseconds, thousands } from '../view/number-text.ts';
import { button, byId, element } from './dom.ts';
import { indicesWhere } from './grouped.ts';
import { hasProcesses, processTitle } from './lanes.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.ts';
import type { Choose } from './selection.ts';
import { durationText } from './time-text.ts';

/** The bounds are in nanoseconds; `to` is exclusive. */
type DurationSpan = readonly [from: number, to: number];

export class SlowestView {
  readonly list: RowList;
  readonly toolbar: HTMLElement;
  readonly #state: PageState;
  readonly #task = element('select', { 'aria-label': 'Activities of this name' });
  readonly #onlyFailed = element('input', { type: 'checkbox' });
  readonly #count = element('span', { class: 'muted' });
  readonly #clear: HTMLButtonElement;
  #span: DurationSpan | undefined;
  /** It says what the kind of the activities is called, as an index; -1 for any. */
  #label = -1;
  /** All activities with a duration, slowest first; sorted on first use. */
  #order: Uint32Array | undefined;
  #rows: Uint32Array = new Uint32Array();
  #isStale = true;

  constructor(state: PageState, choose: Choose) {
    this.#state = state;
    const choosing = (isClose: boolean) => (index: number) =>
      choose({ kind: 'activity', index: this.#rows[index] as number }, isClose);
    this.list = new RowList({
      label: 'Slowest activities',
      role: 'grid',
      name: 'slowest',
      columns: [
        { title: 'Duration (ms)', isNumber: true },
        { title: 'Self (ms)', isNumber: true },
        { title: 'Start (ms)', isNumber: true },
        { title: 'Activity' },
        { title: 'Path' },
        ...(hasProcesses(state.data.header.threads) ? [{ title: 'Process' }] : []),
      ],
      fill: (row, cells, index) => this.#fill(row, cells, this.#rows[index] as number),
      onCurrent: choosing(false),
      onOpen: choosing(true),
      emptyText: 'No activity has ended.',
    });
    this.#clear = button('', () => this.limitTo(undefined, undefined), { class: 'chip' });
    this.#task.append(element('option', { value: '-1' }, 'All names'));
    for (const [index, { provider, name }] of state.data.header.tasks.entries()) {
      const text = `${state.data.header.providers[provider] ?? ''}/${name}`;
      this.#task.append(element('option', { value: String(index) }, text));
    }
    this.#task.addEventListener('change', () => this.#changed());
    this.#onlyFailed.addEventListener('change', () => this.#changed());
    const failed = element('label', {}, this.#onlyFailed, ' Only failed');
    failed.hidden = state.data.activities.failedCount === 0;
    this.toolbar = element('div', { class: 'toolbar' }, this.#count, this.#task, failed, this.#clear);
    state.matches.onChange(() => this.#changed());
    state.selected.onChange((selected) => {
      this.list.show(selected?.kind === 'activity' ? this.#rows.indexOf(selected.index) : -1);
    });
    this.#clear.hidden = true;
  }

  /** Limits the list to a name, a range of durations and the label of a kind; undefined for any. */
  limitTo(task: number | undefined, span: DurationSpan | undefined, label = -1): void {
    this.#task.value = String(task ?? -1);
    this.#span = span;
    this.#label = label;
    this.#clear.hidden = span === undefined;
    const of = label < 0 ? '' : `${this.#state.data.header.labels[label] ?? ''} · `;
    if (span !== undefined)
      this.#clear.textContent = `${of}${durationText(span[0])} to ${durationText(span[1])}  ✕`;
    this.#changed();
    if (span !== undefined) byId('tab-slowest', HTMLButtonElement).click();
  }

  /** Shows the failed activities of any name and duration. */
  limitToFailed(): void {
    this.#onlyFailed.checked = true;
    this.limitTo(undefined, undefined);
    byId('tab-slowest', HTMLButtonElement).click();
  }

  /** Called when the view becomes visible: sorting many activities takes a moment. */
  update(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#order ??= this.#sorted();
    const { activities } = this.#state.data;
    const task = Number(this.#task.value);
    const matches = this.#state.matches.value;
    const found = matches && new Uint8Array(activities.count);
    for (const activity of matches?.activities ?? []) (found as Uint8Array)[activity] = 1;
    const [from, to] = this.#span ?? [0, Number.POSITIVE_INFINITY];
    this.#rows = this.#order.filter((activity) => {
      const duration = activities.durationNs(activity);
      const isOfTask = task === -1 || activities.task[activity] === task;
      const isOfName = isOfTask && (this.#label < 0 || activities.kindLabel[activity] === this.#label);
      if (this.#onlyFailed.checked && activities.failed[activity] === 0) return false;
      return isOfName && duration >= from && duration < to && (found === undefined || found[activity] === 1);
    });
    const all = thousands(this.#order.length);
    this.#count.textContent = `${thousands(this.#rows.length)} of ${all} activities that stopped`;
    this.list.setCount(this.#rows.length);
  }

  #changed(): void {
    this.#isStale = true;
    if (this.list.element.offsetParent !== null) this.update();
  }

  #sorted(): Uint32Array {
    const { activities } = this.#state.data;
    const stopped = indicesWhere(activities.count, (index) => activities.stateOf(index) === 'stopped');
    return stopped.sort((a, b) => activities.durationNs(b) - activities.durationNs(a) || a - b);
  }

  #fill(row: HTMLElement, cells: readonly HTMLElement[], activity: number): void {
    const { activities, header } = this.#state.data;
    const thread = header.threads[activities.thread[activity] as number];
    const error = activities.failure(activity);
    row.classList.toggle('failed', error !== undefined);
    if (error !== undefined) row.title = error;
    const texts = [
      milliseconds(activities.durationNs(activity)),
      milliseconds(activities.selfNs(activity) ?? 0),
      milliseconds(activities.start[activity] as number),
      activities.label(activity),
      activities.path(activity),
      thread === undefined ? '' : processTitle(thread),
    ];
    for (const [index, cell] of cells.entries()) cell.textContent = texts[index] ?? '';
  }
}
