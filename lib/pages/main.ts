/** The page's main program: reads the embedded data and sets up the views. */
import { milliseconds, thousands } from '../view/number-text.ts';
import { CpuSamples } from './cpu-samples.ts';
import { CpuView } from './cpu-view.ts';
import { setUpDeepLinks } from './deep-links.ts';
import { Details } from './details.ts';
import { button, byId, element } from './dom.ts';
import { EventsView } from './events-view.ts';
import { loadBytes } from './load.ts';
import { Overview } from './overview.ts';
import { PageState } from './page-state.ts';
import { reportData } from './report-data.ts';
import { SearchBar } from './search-bar.ts';
import type { Choose, Selected } from './selection.ts';
import { SlowestView } from './slowest-view.ts';
import { setUpSplitter } from './splitter.ts';
import { StatisticsView } from './statistics-view.ts';
import { setUpTabs } from './tabs.ts';
import { setUpTheme, systemTheme } from './theme.ts';
import { durationText } from './time-text.ts';
import { Timeline } from './timeline.ts';
import { TimelineInput } from './timeline-input.ts';
import { selectionLines, Tooltip } from './tooltip.ts';
import { TracksView } from './tracks-view.ts';
import { TreeView } from './tree-view.ts';
import { WhyView } from './why-view.ts';

async function main(): Promise<void> {
  const theme = byId('theme', HTMLSelectElement);
  document.documentElement.dataset.theme = systemTheme();
  const state = new PageState(
    reportData(await loadBytes(Array.from(document.querySelectorAll('.data')))),
    systemTheme(),
  );
  byId('loading', HTMLElement).remove();
  byId('page', HTMLElement).hidden = false;
  setUpTheme(theme, (chosen) => state.theme.set(chosen));
  showHeader(state);
  const tooltip = new Tooltip(byId('tooltip', HTMLElement));
  const choose = setUpTimeline(state, tooltip);
  setUpPanels(state, choose, tooltip);
  const search = new SearchBar(state, choose);
  setUpHelp(search);
  state.selected.onChange((selected) => announce(state, selected));
  setUpDeepLinks(state, choose);
  document.documentElement.dataset.ready = 'true';
}

function showHeader({ data: { header } }: PageState): void {
  const { name, format, startTime, eventCount, activityCount, startNs, endNs, notices } = header;
  document.title = `${name} · tracewright`;
  byId('name', HTMLElement).textContent = name;
  const facts = [
    format,
    `${thousands(eventCount)} ${eventCount === 1 ? 'event' : 'events'}`,
    `${thousands(activityCount)} ${activityCount === 1 ? 'activity' : 'activities'}`,
    durationText(endNs - startNs),
    ...(startTime === undefined ? [] : [dateText(startTime)]),
  ];
  const parts = facts.flatMap((fact) => [' · ', element('span', { class: 'fact' }, fact)]);
  byId('facts', HTMLElement).append(...parts.slice(1));
  const list = byId('notices', HTMLElement);
  list.append(...notices.map((notice) => element('p', {}, notice)));
  if (notices.length > 0) list.append(button('Dismiss', () => list.remove(), { class: 'link' }));
  list.hidden = notices.length === 0;
}

/** `2024-05-17 10:20:30.400 UTC` */
function dateText(time: string): string {
  return time.replace(/^(.+)T(.{8}\.\d{3})\d*Z$/, '$1 $2 UTC');
}

function setUpTimeline(state: PageState, tooltip: Tooltip): Choose {
  const scroller = byId('timeline', HTMLElement);
  const timeline = new Timeline(
    state,
    scroller,
    byId('timeline-canvas', HTMLCanvasElement),
    byId('timeline-spacer', HTMLElement),
  );
  new TimelineInput(timeline, state, (hovered, event) => {
    const key = hovered && `${hovered.kind} ${hovered.index}`;
    tooltip.show(key, () => selectionLines(state.data, hovered as Selected), event);
  });
  const tracks = byId('tracks', HTMLElement);
  new TracksView(state, tracks);
  tracks.addEventListener('wheel', (event) => {
    // The timeline below zooms and moves.
    if (!scroller.dispatchEvent(new WheelEvent('wheel', event))) event.preventDefault();
  });
  new Overview(state, byId('overview', HTMLCanvasElement));
  setUpSplitter(byId('splitter', HTMLElement), byId('work', HTMLElement), scroller, timeline.wholeHeight);
  const lanes = byId('lanes', HTMLSelectElement);
  lanes.value = state.lanes.value;
  lanes.addEventListener('change', () => state.lanes.set(lanes.value === 'thread' ? 'thread' : 'activity'));
  const span = byId('span', HTMLElement);
  const showSpan = () => {
    const { start, end, span: length } = state.range;
    span.textContent = `${milliseconds(start)} to ${milliseconds(end)} ms (${durationText(length)})`;
  };
  state.range.onChange(showSpan);
  showSpan();
  const center = () => (state.range.start + state.range.end) / 2;
  byId('zoom-in', HTMLElement).addEventListener('click', () => state.range.zoom(0.5, center()));
  byId('zoom-out', HTMLElement).addEventListener('click', () => state.range.zoom(2, center()));
  byId('zoom-all', HTMLElement).addEventListener('click', () => state.range.showAll());
  return (selected, isClose) => {
    state.selected.set(selected);
    if (isClose) timeline.zoomTo(selected);
    else timeline.reveal(selected);
  };
}

function setUpPanels(state: PageState, choose: Choose, tooltip: Tooltip): void {
  const tree = new TreeView(state, choose);
  const slowest = new SlowestView(state, choose);
  const statistics = new StatisticsView(state, slowest);
  const events = new EventsView(state, choose);
  const samples = new CpuSamples(state.data);
  const cpu = new CpuView(state, samples, tooltip);
  const why = new WhyView(state, choose, samples, slowest, tooltip);
  const treeTools = element(
    'div',
    { class: 'toolbar' },
    button('Expand all', () => tree.expandAll(true)),
    button('Collapse all', () => tree.expandAll(false)),
  );
  byId('panel-why', HTMLElement).append(why.element);
  byId('tab-why', HTMLElement).hidden = state.firstTab !== 'why';
  byId('panel-tree', HTMLElement).append(treeTools, tree.list.element);
  byId('panel-slowest', HTMLElement).append(slowest.toolbar, slowest.list.element);
  byId('panel-statistics', HTMLElement).append(statistics.list.element, statistics.chart);
  byId('panel-events', HTMLElement).append(events.toolbar, events.list.element);
  byId('panel-cpu', HTMLElement).append(cpu.toolbar, cpu.body);
  byId('tab-cpu', HTMLElement).hidden = !state.data.hasSamples;
  new Details(state, byId('details', HTMLElement), choose, { events, cpu });
  const { failedCount } = state.data.activities;
  if (failedCount > 0) {
    const text = `${thousands(failedCount)} failed`;
    const show = button(text, () => slowest.limitToFailed(), { class: 'link failure' });
    byId('facts', HTMLElement).append(' · ', show);
  }
  const tabs = [
    ...(state.firstTab === 'why' ? [{ name: 'why', onShow: () => why.update() }] : []),
    { name: 'tree' },
    { name: 'slowest', onShow: () => slowest.update() },
    { name: 'statistics' },
    { name: 'events' },
    ...(state.data.hasSamples ? [{ name: 'cpu', onShow: () => cpu.update() }] : []),
  ];
  setUpTabs(tabs, state.tab);
}

function setUpHelp(search: SearchBar): void {
  const help = byId('help', HTMLDialogElement);
  byId('show-help', HTMLElement).addEventListener('click', () => help.showModal());
  byId('close-help', HTMLElement).addEventListener('click', () => help.close());
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey);
    if (isFind || (event.key === '/' && !isTyping)) search.focus();
    else if (event.key === '?' && !isTyping) help.showModal();
    else return;
    event.preventDefault();
  });
}

/** The timeline is a picture, so assistive technology needs the selection as text. */
function announce({ data: { activities, events } }: PageState, selected: Selected | undefined): void {
  const text =
    selected === undefined
      ? 'Nothing selected'
      : selected.kind === 'activity'
        ? `${activities.label(selected.index)}, ${durationText(activities.durationNs(selected.index))}, ${activities.path(selected.index)}`
        : `${events.name(selected.index)}, ${milliseconds(events.time[selected.index] as number)} ms`;
  byId('announcement', HTMLElement).textContent = text;
}

main().catch((error: unknown) => {
  byId('loading', HTMLElement).textContent = `The report could not be shown: ${String(error)}`;
});
