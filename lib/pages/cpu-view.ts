/** Where the CPU time went: the samples as a flame graph and by function, all of them or those of some activities. */
import { countText, thousands } from '../view/number-text.ts';
import type { ReportFrame } from '../view/report/report-header.ts';
import type { CpuSamples } from './cpu-samples.ts';
import { button, element } from './dom.ts';
import { FlameChart } from './flame-chart.ts';
import { type FlameTree, type FunctionCosts, functionCosts } from './flame-tree.ts';
import { type FrameText, frameText } from './frame-text.ts';
import { indicesWhere } from './grouped.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.ts';
import type { Tooltip } from './tooltip.ts';

const DELAY_MS = 150;
/** Choices beside the names of activities. */
const ALL = -1;
const BY_ACTIVITY = -2;
const UPWARD = 'up';

export class CpuView {
  readonly toolbar: HTMLElement;
  readonly body: HTMLElement;
  readonly #state: PageState;
  readonly #samples: CpuSamples;
  readonly #chart: FlameChart;
  readonly #list: RowList;
  readonly #scope = element('select', { 'aria-label': 'Samples in activities of this name' });
  readonly #ofActivity = element('input', { type: 'checkbox' });
  readonly #inRange = element('input', { type: 'checkbox' });
  readonly #search = element('input', {
    type: 'search',
    'aria-label': 'Search functions',
    placeholder: 'Search functions',
    spellcheck: 'false',
  });
  readonly #direction = element('select', { 'aria-label': 'Order of calls' });
  readonly #facts = element('p', { class: 'muted facts', role: 'status' });
  readonly #matched = element('span', { class: 'muted', role: 'status' });
  readonly #texts = new Map<number, FrameText>();
  #costs: FunctionCosts | undefined;
  /** Functions with samples. */
  #rows: Uint32Array = new Uint32Array();
  #isByTotal = false;
  #isStale = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: PageState, samples: CpuSamples, tooltip: Tooltip) {
    this.#state = state;
    this.#samples = samples;
    this.#chart = new FlameChart(
      (frame) => this.#textOf(frame),
      () => this.#showFacts(),
      (node, event) => tooltip.show(node < 0 ? undefined : `cpu ${node}`, () => this.#lines(node), event),
    );
    this.#list = this.#functions();
    this.toolbar = this.#tools();
    this.body = element(
      'div',
      { class: 'cpu' },
      element('div', { class: 'flames' }, this.#chart.element, this.#facts),
      this.#list.element,
    );
    this.#direction.addEventListener('change', () => this.#chart.turn(this.#direction.value === UPWARD));
    for (const input of [this.#scope, this.#ofActivity, this.#inRange])
      input.addEventListener('change', () => this.#changed());
    state.theme.onChange(() => this.#chart.invalidate(true));
    state.selected.onChange(() => this.#ofActivity.checked && this.#changed());
    state.range.onChange(() => this.#inRange.checked && this.#changed());
  }

  countIn(activity: number): number {
    return this.#samples.countIn(activity);
  }

  /** Shows only the samples of the selected activity. */
  limitToActivity(): void {
    this.#ofActivity.checked = true;
    this.#isStale = true;
    this.#state.tab.set('cpu');
  }

  /** Called when the view becomes visible. */
  update(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const { calls, events } = this.#state.data;
    const { range, selected } = this.#state;
    const scope = Number(this.#scope.value);
    const { kind, index = -1 } = (this.#ofActivity.checked && selected.value) || {};
    const tree = this.#samples.tree({
      task: Math.max(ALL, scope),
      activity: kind === 'event' ? (events.activity[index] as number) : index,
      range: this.#inRange.checked ? [range.start, range.end] : undefined,
      isByActivity: scope === BY_ACTIVITY,
    });
    this.#costs = functionCosts(tree, calls.frames.length);
    this.#chart.show(tree);
    this.#arrange();
    this.#mark(-1);
  }

  #tools(): HTMLElement {
    const tasks = this.#offerScopes();
    this.#search.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#mark(-1), DELAY_MS);
    });
    const label = (input: HTMLElement, text: string) => element('label', {}, input, ` ${text}`);
    const ofActivity = label(this.#ofActivity, 'Selected activity');
    ofActivity.hidden = tasks === 0;
    this.#scope.hidden = tasks === 0;
    return element(
      'div',
      { class: 'toolbar' },
      this.#scope,
      ofActivity,
      label(this.#inRange, 'Visible time'),
      this.#direction,
      button('Reset zoom', () => this.#chart.zoomTo(-1)),
      this.#search,
      this.#matched,
    );
  }

  /** Offers the names of activities that have samples; returns how many. */
  #offerScopes(): number {
    const { tasks, providers } = this.#state.data.header;
    const counts = this.#samples.countsByTask();
    const option = (value: number | string, text: string) => element('option', { value: `${value}` }, text);
    this.#direction.append(option('', 'Callers on top'), option(UPWARD, 'Callers below'));
    const sampled = indicesWhere(tasks.length, (task) => (counts[task] as number) > 0);
    sampled.sort((a, b) => (counts[b] as number) - (counts[a] as number));
    this.#scope.append(
      option(ALL, 'All samples'),
      option(BY_ACTIVITY, 'All, by activity'),
      ...Array.from(sampled, (task) => {
        const { provider, name } = tasks[task] as (typeof tasks)[number];
        return option(
          task,
          `${providers[provider] ?? ''}/${name} (${thousands(Math.round(counts[task] as number))})`,
        );
      }),
    );
    return sampled.length;
  }

  #functions(): RowList {
    const sort = (isByTotal: boolean) => () => {
      this.#isByTotal = isByTotal;
      this.#arrange();
    };
    return new RowList({
      label: 'Functions',
      role: 'grid',
      name: 'functions',
      columns: [
        { title: 'Self %', isNumber: true, onSort: sort(false) },
        { title: 'Total %', isNumber: true, onSort: sort(true) },
        { title: 'Function' },
        { title: 'In' },
      ],
      fill: (row, cells, index) => this.#fill(row, cells, this.#rows[index] as number),
      onCurrent: (index) => this.#mark(this.#rows[index] as number),
      emptyText: 'No samples.',
    });
  }

  #changed(): void {
    this.#isStale = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.body.offsetParent !== null) this.update();
    }, DELAY_MS);
  }

  #arrange(): void {
    if (this.#costs === undefined) return;
    const { total, self } = this.#costs;
    const [first, second] = this.#isByTotal ? [total, self] : [self, total];
    const more = (counts: Float64Array, a: number, b: number) =>
      (counts[b] as number) - (counts[a] as number);
    this.#rows = indicesWhere(total.length, (frame) => (total[frame] as number) > 0);
    this.#rows.sort((a, b) => more(first, a, b) || more(second, a, b) || a - b);
    this.#list.setCount(this.#rows.length);
    this.#list.showSorted(this.#isByTotal ? 1 : 0);
  }

  #fill(row: HTMLElement, cells: readonly HTMLElement[], frame: number): void {
    const { total, self } = this.#costs as FunctionCosts;
    const { label, place } = this.#textOf(frame);
    const { name, module } = this.#frameOf(frame);
    const { marked } = this.#chart;
    if (marked !== undefined) row.classList.add(marked[frame] === 1 ? 'found' : 'faded');
    row.title = [name, module].filter(Boolean).join('\n');
    const texts = [this.#share(self[frame] as number), this.#share(total[frame] as number), label, place];
    for (const [index, cell] of cells.entries()) cell.textContent = texts[index] ?? '';
  }

  #frameOf(frame: number): ReportFrame {
    return this.#state.data.calls.frames[frame] as ReportFrame;
  }

  #textOf(frame: number): FrameText {
    if (frame < 0) {
      const label = this.#samples.groupName(~frame);
      return { label, short: label, place: 'activity' };
    }
    let text = this.#texts.get(frame);
    if (text === undefined) {
      text = frameText(this.#frameOf(frame));
      this.#texts.set(frame, text);
    }
    return text;
  }

  /** Returns the share in percent, without the sign. */
  #share(count: number): string {
    return ((100 * count) / Math.max(1, this.#chart.tree?.samples ?? 0)).toFixed(1);
  }

  #lines(node: number): string[] {
    const tree = this.#chart.tree as FlameTree;
    const { label, place } = this.#textOf(tree.frame(node));
    const [total, self] = [tree.total[node] as number, tree.self[node] as number];
    const samples = `${countText(Math.round(total), 'sample')} (${this.#share(total)} %)`;
    const own = self === 0 ? '' : `, ${thousands(Math.round(self))} in it (${this.#share(self)} %)`;
    return [label, `${samples}${own}`, ...(place === '' ? [] : [place])];
  }

  #showFacts(): void {
    const { current, tree } = this.#chart;
    const count = Math.round(tree?.samples ?? 0);
    const all = Math.round(this.#samples.count);
    const of = count === all ? '' : ` of ${thousands(all)}`;
    this.#facts.textContent =
      current >= 0 ? this.#lines(current).join(' · ') : `${thousands(count)}${of} CPU samples`;
  }

  /** Lets the functions that the search finds stand out, or this one. */
  #mark(chosen: number): void {
    const { frames } = this.#state.data.calls;
    const text = this.#search.value.trim().toLowerCase();
    const isMarked = ({ name, module }: ReportFrame, frame: number) =>
      chosen < 0 ? `${name}\0${module}`.toLowerCase().includes(text) : frame === chosen;
    const isAll = chosen < 0 && text === '';
    const marked = isAll ? undefined : Uint8Array.from(frames, (frame, index) => +isMarked(frame, index));
    this.#chart.marked = marked;
    const matched = (marked && this.#chart.tree?.matching(marked)) ?? 0;
    this.#matched.textContent = isAll ? '' : `in ${this.#share(matched)} % of samples`;
    this.#chart.invalidate();
    this.#list.refresh();
  }
}
