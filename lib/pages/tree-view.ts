/** The activities as a tree. */

import { milliseconds } from '../view/number-text.ts';
import { hasProcesses, processTitle, threadTitle } from './lanes.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.ts';
import type { Choose, Selected } from './selection.ts';
import { durationText } from './time-text.ts';

/** Smaller trees are expanded at first. */
const SMALL_TREE = 300;
const INDENT = 14;
const MAX_INDENTS = 30;

export class TreeView {
  readonly list: RowList;
  readonly #state: PageState;
  readonly #hasProcesses: boolean;
  readonly #expanded: Uint8Array;
  #isFound: Uint8Array | undefined;
  /** The activities shown as rows. */
  #rows: number[] = [];

  constructor(state: PageState, choose: Choose) {
    this.#state = state;
    this.#hasProcesses = hasProcesses(state.data.header.threads);
    this.#expanded = new Uint8Array(state.data.activities.count);
    this.list = new RowList({
      label: 'Tree of activities',
      role: 'treegrid',
      name: 'tree',
      columns: [
        { title: 'Activity' },
        { title: 'Start (ms)', isNumber: true },
        { title: 'Duration (ms)', isNumber: true },
        { title: 'Self (ms)', isNumber: true },
        { title: 'Path' },
        { title: 'Thread', isNumber: true },
        ...(this.#hasProcesses ? [{ title: 'Process' }] : []),
      ],
      fill: (row, cells, index) => this.#fill(row, cells, this.#rows[index] as number),
      onCurrent: (index) => choose({ kind: 'activity', index: this.#rows[index] as number }, false),
      onOpen: (index) => choose({ kind: 'activity', index: this.#rows[index] as number }, true),
      onKey: (key, index) => this.#key(key, this.#rows[index] as number),
      emptyText: 'The trace has no activities: nothing in it starts or stops with an activity id.',
    });
    this.list.element.addEventListener('click', (event) => this.#click(event));
    state.selected.onChange((selected) => this.#reveal(selected));
    state.matches.onChange((matches) => {
      this.#isFound = matches && new Uint8Array(this.#expanded.length);
      for (const activity of matches?.activities ?? []) (this.#isFound as Uint8Array)[activity] = 1;
      this.list.refresh();
    });
    if (this.#expanded.length <= SMALL_TREE) this.#expanded.fill(1);
    this.#arrange();
  }

  expandAll(isExpanded: boolean): void {
    this.#expanded.fill(isExpanded ? 1 : 0);
    this.#arrange();
  }

  #arrange(): void {
    const { activities } = this.#state.data;
    const selected = this.#state.selected.value;
    const rows: number[] = [];
    const left = Array.from(activities.roots).reverse();
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      rows.push(next);
      if (this.#expanded[next] === 0) continue;
      const children = activities.children(next);
      for (let i = children.length - 1; i >= 0; i--) left.push(children[i] as number);
    }
    this.#rows = rows;
    const current = selected?.kind === 'activity' ? rows.indexOf(selected.index) : -1;
    this.list.setCount(rows.length, current);
  }

  #fill(row: HTMLElement, cells: readonly HTMLElement[], activity: number): void {
    const { activities, header } = this.#state.data;
    const [name, start, duration, self, path, thread, process] = cells as [
      HTMLElement,
      HTMLElement,
      HTMLElement,
      HTMLElement,
      HTMLElement,
      HTMLElement,
      HTMLElement?,
    ];
    const depth = activities.depth[activity] as number;
    const hasChildren = activities.children(activity).length > 0;
    row.setAttribute('aria-level', String(depth + 1));
    if (hasChildren) row.setAttribute('aria-expanded', String(this.#expanded[activity] === 1));
    if (this.#isFound !== undefined) row.classList.add(this.#isFound[activity] === 1 ? 'found' : 'faded');
    const state = activities.stateOf(activity);
    row.classList.add(state);
    const error = activities.failure(activity);
    row.classList.toggle('failed', error !== undefined);
    if (error !== undefined) row.title = error;
    name.style.paddingInlineStart = `${4 + INDENT * (1 + Math.min(depth, MAX_INDENTS))}px`;
    name.classList.add('twisty');
    name.textContent = activities.label(activity);
    start.textContent = milliseconds(activities.start[activity] as number);
    const length = milliseconds(activities.durationNs(activity));
    duration.textContent =
      state === 'stopped' ? length : state === 'unstarted' ? 'no start' : `${state} ${length}`;
    duration.title = durationText(activities.durationNs(activity));
    const selfNs = activities.selfNs(activity);
    self.textContent = selfNs === undefined ? '' : milliseconds(selfNs);
    path.textContent = activities.path(activity);
    const startThread = header.threads[activities.thread[activity] as number];
    thread.textContent = String(startThread?.threadId ?? '');
    thread.title = startThread === undefined ? '' : threadTitle(startThread);
    if (process !== undefined && startThread !== undefined) process.textContent = processTitle(startThread);
  }

  #key(key: string, activity: number): boolean {
    const { activities } = this.#state.data;
    const isExpanded = this.#expanded[activity] === 1;
    const hasChildren = activities.children(activity).length > 0;
    if (key === 'ArrowRight') {
      if (hasChildren && isExpanded) this.list.goTo(this.list.current + 1);
      else if (hasChildren) this.#toggle(activity);
    } else if (key === 'ArrowLeft') {
      if (hasChildren && isExpanded) this.#toggle(activity);
      else this.list.goTo(this.#rows.indexOf(activities.parent[activity] as number));
    } else if (key === '*') this.expandAll(true);
    else return false;
    return true;
  }

  /** A click on the sign before a name expands or collapses it. */
  #click(event: MouseEvent): void {
    const cell = event.target instanceof HTMLElement ? event.target : undefined;
    if (cell === undefined || !cell.classList.contains('twisty')) return;
    if (event.offsetX > Number.parseFloat(cell.style.paddingInlineStart)) return;
    const row = Number(cell.parentElement?.getAttribute('aria-rowindex')) - 2;
    const activity = this.#rows[row];
    if (activity !== undefined && this.#state.data.activities.children(activity).length > 0)
      this.#toggle(activity);
  }

  #toggle(activity: number): void {
    this.#expanded[activity] = this.#expanded[activity] === 1 ? 0 : 1;
    this.#arrange();
  }

  #reveal(selected: Selected | undefined): void {
    if (selected?.kind !== 'activity') {
      this.list.show(-1);
      return;
    }
    const { parent } = this.#state.data.activities;
    let isChanged = false;
    for (let above = parent[selected.index] as number; above >= 0; above = parent[above] as number) {
      isChanged ||= this.#expanded[above] === 0;
      this.#expanded[above] = 1;
    }
    if (isChanged) this.#arrange();
    this.list.show(this.#rows.indexOf(selected.index));
  }
}
