/**
 * Keeps the selection, the visible part of the trace and the tab in the page's address, for links:
 * `report.html#activity=12&from=1500000&to=2500000&tab=cpu`, in nanoseconds since the start of the trace.
 */
import type { PageState } from './page-state.ts';
import type { Choose, Selected } from './selection.ts';

/** Browsers limit the frequency of address changes. */
const DELAY_MS = 300;

export function setUpDeepLinks(state: PageState, choose: Choose): void {
  const follow = () => show(new URLSearchParams(location.hash.slice(1)), state, choose);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, '', `#${linkOf(state)}`), DELAY_MS);
  };
  follow();
  addEventListener('hashchange', follow);
  state.selected.onChange(save);
  state.range.onChange(save);
  state.tab.onChange(save);
}

function linkOf({ selected: { value: selected }, range, tab, firstTab }: PageState): URLSearchParams {
  const link = new URLSearchParams();
  if (tab.value !== firstTab) link.set('tab', tab.value);
  if (selected !== undefined) link.set(selected.kind, String(selected.index));
  if (!range.isWhole) {
    link.set('from', String(Math.round(range.start)));
    link.set('to', String(Math.round(range.end)));
  }
  return link;
}

function show(link: URLSearchParams, { data, range, tab }: PageState, choose: Choose): void {
  const name = link.get('tab') ?? '';
  if (document.getElementById(`tab-${name}`)?.hidden === false) tab.set(name);
  const selected =
    selectedIn(link, 'activity', data.activities.count) ?? selectedIn(link, 'event', data.events.count);
  if (selected !== undefined) choose(selected, false);
  const [from, to] = [Number(link.get('from') ?? Number.NaN), Number(link.get('to') ?? Number.NaN)];
  if (to > from) range.show(from, to);
}

function selectedIn(link: URLSearchParams, kind: Selected['kind'], count: number): Selected | undefined {
  const index = Number(link.get(kind) ?? Number.NaN);
  return Number.isInteger(index) && index >= 0 && index < count ? { kind, index } : undefined;
}
