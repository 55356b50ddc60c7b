/**
 * One activity, explained: its states as one bar beside the durations of its kind, what happened around it on one time
 * axis, its calls, its events and its CPU samples.
 */
import { countText, milliseconds, thousands } from '../view/number-text.ts';
import type { Explanation } from '../view/report/report-header.ts';
import { type ActivityLanes, type LaneBar, LaneSource } from './activity-lanes.ts';
import { CallList } from './call-list.ts';
import type { CpuSamples } from './cpu-samples.ts';
import { button, element } from './dom.ts';
import { durationChart } from './duration-chart.ts';
import { FlameChart } from './flame-chart.ts';
import type { FlameTree } from './flame-tree.ts';
import { frameText, hueOf } from './frame-text.ts';
import { indicesWhere, itemsOf } from './grouped.ts';
import type { PageState } from './page-state.ts';
import type { Choose } from './selection.ts';
import type { SlowestView } from './slowest-view.ts';
import { durationText, ticks } from './time-text.ts';
import { ROW_HEIGHT } from './timeline-paint.ts';
import type { Tooltip } from './tooltip.ts';

const MAX_EVENTS = 50;
/** The events of so many activities inside it are listed. */
const MAX_INSIDE = 2000;
const TICKS = 8;
const LAST_TEXT = 0.9;
const HUES = 10;
/** Narrower parts of bars have no text. */
const LABELLED_SHARE = 0.06;

type Explanations = ReadonlyMap<number, Explanation>;

export class WhyAccount {
  readonly element: HTMLElement;
  readonly #state: PageState;
  readonly #choose: Choose;
  readonly #samples: CpuSamples;
  readonly #slowest: SlowestView;
  readonly #tooltip: Tooltip;
  readonly #lanes: LaneSource;
  readonly #calls: CallList;
  readonly #charts: FlameChart[] = [];

  constructor(state: PageState, choose: Choose, samples: CpuSamples, slowest: SlowestView, tooltip: Tooltip) {
    this.#state = state;
    this.#choose = choose;
    this.#samples = samples;
    this.#slowest = slowest;
    this.#tooltip = tooltip;
    this.#lanes = new LaneSource(state.data);
    this.#calls = new CallList(state.data, choose);
    this.element = element('section', { class: 'account', 'aria-label': 'Where its time went' });
    state.theme.onChange(() => {
      for (const chart of this.#charts) chart.invalidate(true);
    });
  }

  show(activity: number, explanations: Explanations): void {
    const explanation = explanations.get(activity);
    this.#charts.length = 0;
    this.element.replaceChildren(
      this.#heading(activity),
      ...this.#answer(activity, explanation, explanations),
      element(
        'div',
        { class: 'beside' },
        ...(explanation === undefined ? [] : [statesOf(explanation)]),
        this.#distribution(activity, explanation),
      ),
      ...this.#time(activity),
      ...this.#holds(explanation),
      ...this.#calls.show(activity),
      ...this.#events(activity),
      ...this.#flames(activity, explanation),
    );
    this.element.scrollTop = 0;
  }

  #heading(activity: number): HTMLElement {
    const { activities } = this.#state.data;
    const duration = durationText(activities.durationNs(activity));
    return element(
      'h2',
      {},
      `${activities.title(activity)} · ${duration}`,
      button('Show it in the timeline', () => {
        this.#state.tab.set('tree');
        this.#choose({ kind: 'activity', index: activity }, true);
      }),
    );
  }

  #answer(activity: number, explanation: Explanation | undefined, explanations: Explanations): Node[] {
    if (explanation !== undefined) {
      const { sentence, others, states } = explanation;
      return [
        element('p', { class: 'note' }, sentence, others === undefined ? '' : ` ${others}`),
        barOf(states),
      ];
    }
    const { activities } = this.#state.data;
    let around = activities.parent[activity] as number;
    while (around >= 0 && !explanations.has(around)) around = activities.parent[around] as number;
    if (around >= 0)
      return [
        element(
          'p',
          { class: 'note' },
          'It is a part of ',
          this.#calls.link(around),
          ', which is explained.',
        ),
      ];
    const path = activities.path(activity);
    const command = `tracewright explain --activity ${path}`;
    return [
      element(
        'p',
        { class: 'note muted' },
        'Only the slowest activities are explained here. For this one, use ',
        element('code', {}, command),
      ),
    ];
  }

  #distribution(activity: number, explanation: Explanation | undefined): HTMLElement {
    const { activities } = this.#state.data;
    const [task, label] = [activities.task[activity] as number, activities.kindLabel[activity] as number];
    const isOfKind = (each: number) =>
      activities.task[each] === task &&
      activities.kindLabel[each] === label &&
      activities.stateOf(each) === 'stopped';
    const durations = Float64Array.from(indicesWhere(activities.count, isOfKind), (each) =>
      activities.durationNs(each),
    );
    const usual = explanation === undefined ? '' : `, usually ${durationText(explanation.usualNs)}`;
    const kind = activities.title(activity);
    return element(
      'section',
      { class: 'chart', 'aria-label': `Durations of ${kind}` },
      element('h3', {}, `${thousands(durations.length)} of its kind${usual}`),
      ...durationChart({
        durations,
        markedNs: activities.durationNs(activity),
        onChoose: (from, to) => this.#slowest.limitTo(task, [from, to], label),
      }),
    );
  }

  #time(activity: number): Node[] {
    const lanes = this.#lanes.lanesOf(activity);
    const { start } = this.#state.data.activities;
    const note = lanes.isCut
      ? [element('p', { class: 'note muted' }, 'The event loop ran more than is shown.')]
      : [];
    return [
      element('h3', {}, 'On one time axis'),
      element(
        'div',
        { class: 'lanes' },
        axisOf(lanes, start[activity] as number),
        ...lanes.lanes.flatMap(({ title, bars }) => [
          element('span', { class: 'muted' }, title),
          element('div', { class: 'lane' }, ...bars.map((bar) => this.#bar(bar, lanes))),
        ]),
      ),
      ...note,
    ];
  }

  #bar(bar: LaneBar, { from, to }: ActivityLanes): HTMLElement {
    const { activity, text, kind } = bar;
    const hue = kind === 'activity' && activity !== undefined ? ` hue-${this.#hueOf(activity)}` : '';
    const attributes = { class: `lane-bar ${kind}${hue}`, title: text };
    const shown = bar.to - bar.from > (to - from) * LABELLED_SHARE ? text : '';
    // The lists below have the same activities for the keyboard.
    const made =
      activity === undefined
        ? element('span', attributes, shown)
        : button(shown, () => this.#choose({ kind: 'activity', index: activity }, false), {
            ...attributes,
            tabindex: '-1',
          });
    made.style.left = `${(100 * (bar.from - from)) / (to - from)}%`;
    made.style.width = `${(100 * (bar.to - bar.from)) / (to - from)}%`;
    return made;
  }

  #hueOf(activity: number): number {
    return hueOf(this.#state.data.activities.title(activity)) % HUES;
  }

  #holds(explanation: Explanation | undefined): Node[] {
    const holds = explanation?.holds ?? [];
    if (holds.length === 0) return [];
    const rows = holds.map(({ activity, label, ns, startNs, endNs }) => {
      const whole = `of a run of ${durationText(endNs - startNs)}`;
      return element(
        'li',
        {},
        element('span', { class: 'number' }, milliseconds(ns)),
        activity === undefined ? label : this.#calls.link(activity, label),
        element('span', { class: 'muted' }, whole),
      );
    });
    return [
      element('h3', {}, 'What its thread ran meanwhile, in ms'),
      element('ul', { class: 'facts-list' }, ...rows),
    ];
  }

  /** The list has its log lines and other events, and those of what is inside it. */
  #events(activity: number): Node[] {
    const { activities, events } = this.#state.data;
    const inside = [activity];
    for (let at = 0; at < inside.length && inside.length < MAX_INSIDE; at++) {
      for (const child of activities.children(inside[at] as number)) inside.push(child);
    }
    const isBoundary = (event: number, of: number) =>
      event === activities.startEvent[of] || event === activities.stopEvent[of];
    const found = inside.flatMap((each) =>
      Array.from(itemsOf(activities.events, each)).filter(
        (event) =>
          !isBoundary(event, each) && !this.#lanes.isRun(event) && events.kindOf(event).isCode !== true,
      ),
    );
    if (found.length === 0) return [];
    found.sort((a, b) => a - b);
    const rows = found.slice(0, MAX_EVENTS).map((event) => {
      const link = button(events.name(event), () => this.#choose({ kind: 'event', index: event }, false), {
        class: 'link',
      });
      const summary = element('span', { class: 'muted' }, events.summary(event));
      return element('li', {}, this.#calls.after(events.time[event] as number, activity), link, summary);
    });
    const more = found.length > MAX_EVENTS ? ` (the first ${MAX_EVENTS} of ${thousands(found.length)})` : '';
    return [
      element('h3', {}, `Its log lines and events${more}`),
      element('ul', { class: 'facts-list' }, ...rows),
    ];
  }

  /** One graph is of what is in it, the other of what held its thread longest. */
  #flames(activity: number, explanation: Explanation | undefined): Node[] {
    if (!this.#state.data.hasSamples) return [];
    const choice = { task: -1, activity, range: undefined, isByActivity: false };
    const own = this.#samples.tree(choice);
    const [hold] = explanation?.holds ?? [];
    const thread = this.#state.data.activities.thread[activity] as number;
    const held =
      hold &&
      this.#samples.tree({
        ...choice,
        activity: hold.activity ?? -1,
        thread,
        range: [hold.startNs, hold.endNs],
      });
    return [
      ...this.#flame('CPU samples in it and in its calls', own),
      ...(held === undefined
        ? []
        : this.#flame(`CPU samples of ${hold?.label}, which held its thread longest`, held)),
    ];
  }

  #flame(title: string, tree: FlameTree): Node[] {
    if (tree.samples === 0) return [];
    const { frames } = this.#state.data.calls;
    const textOf = (frame: number) => frameText(frames[frame] as (typeof frames)[number]);
    const facts = element('p', { class: 'muted facts' });
    const all = samplesText(tree.samples);
    const share = (node: number) => {
      const percent = ((100 * (tree.total[node] as number)) / tree.samples).toFixed(1);
      return `${textOf(tree.frame(node)).label} · ${percent} % of ${all}`;
    };
    const chart = new FlameChart(
      textOf,
      () => {
        facts.textContent = chart.current < 0 ? all : share(chart.current);
      },
      (node, event) =>
        this.#tooltip.show(node < 0 ? undefined : `${title} ${node}`, () => [share(node)], event),
    );
    chart.element.setAttribute('aria-label', title);
    chart.show(tree);
    this.#charts.push(chart);
    // It is as high as its calls: the page around it scrolls.
    chart.element.style.height = `${tree.levels * ROW_HEIGHT}px`;
    return [element('h3', {}, title), element('div', { class: 'flames' }, chart.element, facts)];
  }
}

/** A sample that was hardly on a processor counts for less. */
function samplesText(samples: number): string {
  return samples < 1 ? 'less than one sample' : countText(Math.round(samples), 'sample');
}

/** The whole width is the duration. What may have been another state is hatched. */
function barOf(states: Explanation['states']): HTMLElement {
  const totalNs = states.reduce((sum, { ns }) => sum + ns, 0);
  const percent = (ns: number) => (100 * ns) / Math.max(1, totalNs);
  const parts = states.flatMap(({ state, text, ns, atLeastNs }) => {
    const certainNs = Math.min(ns, atLeastNs);
    return [
      { ns: certainNs, className: `state ${state}` },
      { ns: ns - certainNs, className: `state ${state} maybe` },
    ]
      .filter((part) => part.ns > 0)
      .map((part) => {
        const isLabelled = part.ns > totalNs * LABELLED_SHARE;
        const title = `${durationText(ns)} ${text}`;
        const made = element('span', { class: part.className, title }, isLabelled ? text : '');
        made.style.width = `${percent(part.ns)}%`;
        return made;
      });
  });
  return element('div', { class: 'states', 'aria-hidden': 'true' }, ...parts);
}

/** The list says the same as the bar. */
function statesOf({ states }: Explanation): HTMLElement {
  const rows = states.map(({ state, text, ns }) =>
    element(
      'li',
      {},
      element('span', { class: `swatch state ${state}` }),
      element('span', { class: 'number' }, milliseconds(ns)),
      element('span', {}, text),
    ),
  );
  return element(
    'section',
    { 'aria-label': 'States' },
    element('h3', {}, 'Where its time went, in ms; what is hatched may have been another state'),
    element('ul', { class: 'facts-list' }, ...rows),
  );
}

/** The times are those since the start of the activity. */
function axisOf({ from, to }: ActivityLanes, startNs: number): HTMLElement {
  const axis = element('div', { class: 'lane axis', 'aria-hidden': 'true' });
  for (const { ns, text } of ticks(from - startNs, to - startNs, TICKS)) {
    const share = (ns + startNs - from) / (to - from);
    // The last one has no room for its text.
    const mark = element('span', {}, share < LAST_TEXT ? text : '');
    mark.style.left = `${100 * share}%`;
    axis.append(mark);
  }
  return axis;
}
