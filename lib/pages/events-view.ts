/** The list of events: all of them, the search results, or those of the selected activity. */
import { milliseconds, thousands } from '../view/number-text.ts';
import type { EventKind } from '../view/report/report-header.ts';
import { byId, element } from './dom.ts';
import { LEVELS } from './event-table.ts';
import { firstWhere, indicesWhere, itemsOf } from './grouped.ts';
import { hasProcesses, processTitle } from './lanes.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.ts';
import type { Choose, Selected } from './selection.ts';

/** The choice without a level or a kind. */
const ALL = -1;

export class EventsView {
  readonly list: RowList;
  readonly toolbar: HTMLElement;
  readonly #state: PageState;
  readonly #ofActivity = element('input', { type: 'checkbox' });
  readonly #level = element('select', { 'aria-label': 'Events of this level' });
  readonly #kind = element('select', { 'aria-label': 'Events of this name' });
  readonly #count = element('span', { class: 'muted' });
  /** The choice is undefined if all are shown. */
  #chosen: Uint32Array | undefined;
  #activity = -1;

  constructor(state: PageState, choose: Choose) {
    this.#state = state;
    const choosing = (isClose: boolean) => (index: number) =>
      choose({ kind: 'event', index: this.#eventAt(index) }, isClose);
    this.list = new RowList({
      label: 'Events',
      role: 'grid',
      name: 'events',
      columns: [
        { title: 'Time (ms)', isNumber: true },
        { title: 'Event' },
        { title: 'Thread', isNumber: true },
        { title: 'Activity' },
        { title: 'Fields' },
        ...(hasProcesses(state.data.header.threads) ? [{ title: 'Process' }] : []),
      ],
      fill: (row, cells, index) => this.#fill(row, cells, this.#eventAt(index)),
      onCurrent: choosing(false),
      onOpen: choosing(true),
      emptyText: 'No events.',
    });
    this.toolbar = element(
      'div',
      { class: 'toolbar' },
      this.#count,
      this.#level,
      this.#kind,
      element('label', {}, this.#ofActivity, ' Only those of the selected activity'),
    );
    this.#offerChoices();
    for (const choice of [this.#ofActivity, this.#level, this.#kind])
      choice.addEventListener('change', () => this.#choose());
    state.matches.onChange(() => this.#choose());
    state.selected.onChange((selected) => this.#follow(selected));
    this.#choose();
  }

  /** Shows only the events of the selected activity. */
  limitToActivity(): void {
    this.#ofActivity.checked = true;
    this.#choose();
    byId('tab-events', HTMLButtonElement).click();
  }

  #eventAt(index: number): number {
    return this.#chosen === undefined ? index : (this.#chosen[index] as number);
  }

  /** Offers the levels and names in the trace. */
  #offerChoices(): void {
    const { kinds, providers } = this.#state.data.header;
    this.#level.append(element('option', { value: String(ALL) }, 'All levels'));
    const levels = new Set(kinds.map(({ level }) => level));
    for (const [level, name] of LEVELS.entries()) {
      if (level > 0 && name !== undefined && levels.has(level))
        this.#level.append(
          element('option', { value: String(level) }, level === 1 ? name : `${name} and worse`),
        );
    }
    this.#kind.append(element('option', { value: String(ALL) }, 'All names'));
    const names = kinds.map(({ provider, name }, kind) => ({
      kind,
      text: `${providers[provider] ?? ''}/${name}`,
    }));
    for (const { kind, text } of names.sort((a, b) => (a.text < b.text ? -1 : 1)))
      this.#kind.append(element('option', { value: String(kind) }, text));
  }

  /** 1 for each kind of event to show; undefined for all. */
  #shownKinds(): Uint8Array | undefined {
    const [level, kind] = [Number(this.#level.value), Number(this.#kind.value)];
    if (level === ALL && kind === ALL) return undefined;
    const isShown = (given: EventKind, index: number) =>
      (kind === ALL || kind === index) && (level === ALL || (given.level > 0 && given.level <= level));
    return Uint8Array.from(this.#state.data.header.kinds, (given, index) => (isShown(given, index) ? 1 : 0));
  }

  #choose(): void {
    const { activities, events } = this.#state.data;
    const found = this.#state.matches.value?.events;
    const isLimited = this.#ofActivity.checked && this.#activity >= 0;
    this.#chosen = found;
    if (isLimited) {
      const own = itemsOf(activities.events, this.#activity);
      this.#chosen = found === undefined ? own : own.filter((event) => isIn(found, event));
    }
    const kinds = this.#shownKinds();
    const isOfKind = (event: number) => kinds?.[events.kind[event] as number] === 1;
    if (kinds !== undefined)
      this.#chosen = this.#chosen?.filter(isOfKind) ?? indicesWhere(events.count, isOfKind);
    const count = this.#chosen?.length ?? events.count;
    this.#count.textContent = `${thousands(count)} of ${thousands(events.count)} events`;
    this.list.setCount(count);
  }

  #follow(selected: Selected | undefined): void {
    const { events } = this.#state.data;
    const activity =
      selected?.kind === 'activity' ? selected.index : ((selected && events.activity[selected.index]) ?? -1);
    if (activity !== this.#activity) {
      this.#activity = activity;
      if (this.#ofActivity.checked) this.#choose();
    }
    if (selected?.kind !== 'event') {
      this.list.show(-1);
      return;
    }
    const chosen = this.#chosen;
    if (chosen === undefined) this.list.show(selected.index);
    else this.list.show(isIn(chosen, selected.index) ? placeIn(chosen, selected.index) : -1);
  }

  #fill(row: HTMLElement, cells: readonly HTMLElement[], event: number): void {
    const { activities, events, header } = this.#state.data;
    const { level } = events.kindOf(event);
    row.classList.toggle('failed', level === 1 || level === 2);
    row.classList.toggle('warned', level === 3);
    const activity = events.activity[event] as number;
    const thread = header.threads[events.thread[event] as number];
    const texts = [
      milliseconds(events.time[event] as number),
      events.name(event),
      String(thread?.threadId ?? ''),
      activity >= 0
        ? `${activities.name(activity)} ${activities.path(activity)}`
        : events.idText(events.id[event] as number),
      events.summary(event),
      thread === undefined ? '' : processTitle(thread),
    ];
    for (const [index, cell] of cells.entries()) cell.textContent = texts[index] ?? '';
    // The name comes first, because the end is cut off.
    cells[1]?.append(element('span', { class: 'muted' }, ` ${events.provider(event)}`));
  }
}

/** The index of a value in ascending numbers. */
function placeIn(sorted: Uint32Array, value: number): number {
  return firstWhere(0, sorted.length, (at) => (sorted[at] as number) >= value);
}

function isIn(sorted: Uint32Array, value: number): boolean {
  return sorted[placeIn(sorted, value)] === value;
}
