/** The program of the live page: shows the updates that the command sends. */

import type { LiveRow, LiveUpdate, NameDurations, RunningActivity } from '../view/live/live-update.ts';
import { milliseconds, thousands } from '../view/number-text.ts';
import { byId, element } from './dom.ts';
import { RowList } from './row-list.ts';
import { systemTheme } from './theme.ts';
import { durationText } from './time-text.ts';

/** The page keeps the last ones. */
const MAX_ROWS = 5000;

class LivePage {
  readonly #facts = byId('facts', HTMLElement);
  readonly #answer = byId('answer', HTMLElement);
  readonly #search = byId('search', HTMLInputElement);
  readonly #hasRuntime = byId('runtime', HTMLInputElement);
  readonly #pause = byId('pause', HTMLButtonElement);
  readonly #reports = byId('reports', HTMLElement);
  readonly #running = new RowList({
    label: 'Running activities',
    role: 'grid',
    name: 'running',
    columns: [{ title: 'For', isNumber: true }, { title: 'Activity' }],
    emptyText: 'No activity is running.',
    fill: (_, cells, index) => {
      const { startNs, depth, label } = this.#activities[index] as RunningActivity;
      setTexts(cells, [
        durationText(Math.max(0, this.#nowNs - startNs)),
        `${'  '.repeat(Math.min(depth, 20))}${label}`,
      ]);
    },
    onCurrent: () => {},
  });
  readonly #names = new RowList({
    label: 'Durations by name',
    role: 'grid',
    name: 'names',
    columns: ['Name', 'Ended', 'Failed', 'Running', 'Mean', '95 %', 'Max'].map((title, index) => ({
      title,
      isNumber: index > 0,
    })),
    emptyText: 'No activity has started.',
    fill: (_, cells, index) => {
      const durations = this.#durations[index] as NameDurations;
      const { name, stopped, failed, running, meanNs, p95Ns, maxNs } = durations;
      const times = [meanNs, p95Ns, maxNs].map((ns) => (ns === undefined ? '' : durationText(ns)));
      const failures = failed === 0 ? '' : thousands(failed);
      setTexts(cells, [name, thousands(stopped), failures, thousands(running), ...times]);
    },
    onCurrent: () => {},
  });
  readonly #events = new RowList({
    label: 'Events',
    role: 'grid',
    name: 'stream',
    columns: [
      { title: 'ms', isNumber: true },
      { title: 'Process/Thread' },
      { title: 'Event' },
      { title: 'Activity' },
      { title: 'Fields' },
    ],
    emptyText: 'No events of the application.',
    fill: (row, cells, index) => {
      const { atNs, thread, name, activity, fields, isFailed } = this.#shown[index] as LiveRow;
      row.classList.toggle('failed', isFailed);
      setTexts(cells, [milliseconds(atNs), thread, name, activity, fields]);
    },
    onCurrent: () => {},
  });
  /** Newest first. */
  #rows: LiveRow[] = [];
  /** Holds the visible rows; while the page is paused, those from before. */
  #kept: readonly LiveRow[] = [];
  #shown: readonly LiveRow[] = [];
  #activities: readonly RunningActivity[] = [];
  #durations: readonly NameDurations[] = [];
  #nowNs = 0;
  /** Events since the pause. */
  #new = 0;
  #last: LiveUpdate | undefined;

  constructor() {
    byId('running', HTMLElement).append(this.#running.element);
    byId('names', HTMLElement).append(this.#names.element);
    byId('events', HTMLElement).append(this.#events.element);
    this.#search.addEventListener('input', () => this.#show());
    this.#hasRuntime.addEventListener('change', () => this.#show());
    this.#pause.addEventListener('click', () => {
      this.#pause.setAttribute('aria-pressed', String(!this.#isPaused));
      this.#pause.textContent = this.#isPaused ? 'Continue' : 'Pause';
      this.#new = 0;
      if (!this.#isPaused) this.#show();
    });
  }

  /** While it is paused, updates are kept, but not shown. */
  get #isPaused(): boolean {
    return this.#pause.getAttribute('aria-pressed') === 'true';
  }

  take(update: LiveUpdate): void {
    this.#rows = [...[...update.rows].reverse(), ...this.#rows].slice(0, MAX_ROWS);
    this.#last = update;
    this.#new += update.rows.length + update.omitted;
    if (this.#isPaused) this.#pause.textContent = `Continue (${thousands(this.#new)} new)`;
    else this.#show();
  }

  end(): void {
    this.#facts.textContent = `${this.#facts.textContent} · ended`;
    this.#reports.replaceChildren();
    document.documentElement.dataset.ended = 'true';
  }

  #show(): void {
    const text = this.#search.value.toLowerCase();
    const isShown = ({ thread, name, activity, fields, isOfRuntime }: LiveRow) =>
      (this.#hasRuntime.checked || !isOfRuntime) &&
      `${thread} ${name} ${activity} ${fields}`.toLowerCase().includes(text);
    if (!this.#isPaused) this.#kept = this.#rows;
    this.#shown = this.#kept.filter(isShown);
    this.#events.setCount(this.#shown.length);
    const update = this.#last;
    if (update === undefined || this.#isPaused) return;
    this.#nowNs = update.nowNs;
    this.#activities = update.running;
    this.#durations = update.names;
    this.#running.setCount(update.running.length, this.#running.current);
    this.#names.setCount(update.names.length, this.#names.current);
    this.#showFacts(update);
  }

  #showFacts({ sources, omitted, nowNs }: LiveUpdate): void {
    const events = sources.reduce((sum, source) => sum + source.events, 0);
    const lost = sources.reduce((sum, source) => sum + source.lost, 0);
    const facts = [
      `${thousands(events)} events`,
      durationText(nowNs),
      ...(lost > 0 ? [`${thousands(lost)} lost`] : []),
      ...(omitted > 0 ? ['too many to list all: the report has more'] : []),
    ];
    this.#facts.textContent = facts.join(' · ');
    const answers = sources.filter(({ answer }) => answer !== '');
    this.#answer.hidden = answers.length === 0;
    this.#answer.textContent = answers
      .map(({ name, answer }) => (sources.length === 1 ? answer : `${name}: ${answer}`))
      .join('\n');
    byId('name', HTMLElement).textContent = sources.map(({ name }) => name).join(', ');
    const numbers = sources.map(({ number }) => number).join();
    if (this.#reports.dataset.numbers === numbers) return;
    this.#reports.dataset.numbers = numbers;
    this.#reports.replaceChildren(
      ...sources.map(({ number, name }) =>
        element(
          'a',
          { href: `report/${number}`, target: '_blank', rel: 'noopener', class: 'link' },
          sources.length === 1 ? 'Report of the last events' : `Report of ${name}`,
        ),
      ),
    );
  }
}

function setTexts(cells: readonly HTMLElement[], texts: readonly string[]): void {
  for (const [index, cell] of cells.entries()) cell.textContent = texts[index] ?? '';
}

document.documentElement.dataset.theme = systemTheme();
const page = new LivePage();
const updates = new EventSource('updates');
updates.addEventListener('message', ({ data }) => page.take(JSON.parse(String(data))));
updates.addEventListener('end', () => {
  updates.close();
  page.end();
});
updates.addEventListener('open', () => {
  document.documentElement.dataset.ready = 'true';
});
