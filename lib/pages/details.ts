/** Everything that the report knows about the selected event or activity. */
import { criticalPath, type TimedNode } from '../view/critical-path.ts';
import { milliseconds, thousands } from '../view/number-text.ts';
import type { ActivityTable } from './activity-table.ts';
import type { CpuView } from './cpu-view.ts';
import { button, element } from './dom.ts';
import { LEVELS } from './event-table.ts';
import type { EventsView } from './events-view.ts';
import { frameText } from './frame-text.ts';
import { itemsOf } from './grouped.ts';
import { threadTitle } from './lanes.ts';
import type { PageState } from './page-state.ts';
import type { Choose } from './selection.ts';
import { durationText } from './time-text.ts';

/** The maximum number of an activity's events, of steps of its critical path, and of frames of a stack. */
const MAX_EVENTS = 100;
const MAX_STEPS = 50;
const MAX_FRAMES = 200;

export class Details {
  readonly #state: PageState;
  readonly #host: HTMLElement;
  readonly #choose: Choose;
  readonly #events: EventsView;
  readonly #cpu: CpuView;

  /** @param views where to see all events and samples of an activity */
  constructor(
    state: PageState,
    host: HTMLElement,
    choose: Choose,
    views: { readonly events: EventsView; readonly cpu: CpuView },
  ) {
    this.#state = state;
    this.#host = host;
    this.#choose = choose;
    this.#events = views.events;
    this.#cpu = views.cpu;
    state.selected.onChange(() => this.#show());
    this.#show();
  }

  #show(): void {
    const selected = this.#state.selected.value;
    if (selected === undefined) {
      this.#host.replaceChildren(
        element('p', { class: 'empty' }, 'Select an activity or an event to see its details.'),
      );
    } else if (selected.kind === 'activity') this.#host.replaceChildren(...this.#activity(selected.index));
    else this.#host.replaceChildren(...this.#event(selected.index));
    this.#host.scrollTop = 0;
  }

  #activity(index: number): Node[] {
    const { activities, header } = this.#state.data;
    const state = activities.stateOf(index);
    const selfNs = activities.selfNs(index);
    const thread = header.threads[activities.thread[index] as number];
    const startEvent = activities.startEvent[index] as number;
    const stopEvent = activities.stopEvent[index] as number;
    const zoom = button('Zoom to it', () => this.#choose({ kind: 'activity', index }, true));
    return [
      element('h2', {}, activities.name(index), ' ', zoom),
      facts([
        ['Path', activities.path(index)],
        ['Provider', activities.provider(index)],
        ['Start', `${milliseconds(activities.start[index] as number)} ms`],
        ['Duration', this.#durationText(index)],
        ['Self', selfNs === undefined ? '' : `${milliseconds(selfNs)} ms`],
        ['State', STATE_TEXTS[state]],
        ['Failed', this.#failure(index)],
        ['Thread', thread === undefined ? '' : threadTitle(thread)],
        ['CPU samples', this.#samplesLink(index)],
        ['Started in', this.#parentLink(activities.parent[index] as number)],
      ]),
      ...this.#criticalPath(index),
      ...this.#payload('Start', startEvent),
      ...this.#payload('Stop', stopEvent),
      ...this.#eventList(index),
    ];
  }

  #failure(index: number): Node | string {
    const error = this.#state.data.activities.failure(index);
    return error === undefined ? '' : element('span', { class: 'failure' }, error === '' ? 'yes' : error);
  }

  #durationText(index: number): string {
    const { activities } = this.#state.data;
    const ns = activities.durationNs(index);
    if (activities.stateOf(index) === 'unstarted') return 'unknown';
    return `${milliseconds(ns)} ms${ns >= 1e9 || ns < 1e6 ? ` (${durationText(ns)})` : ''}`;
  }

  #event(index: number): Node[] {
    const { activities, events, header } = this.#state.data;
    const kind = events.kindOf(index);
    const thread = header.threads[events.thread[index] as number];
    const activity = events.activity[index] as number;
    const id = events.idText(events.id[index] as number);
    return [
      element('h2', {}, kind.name),
      facts([
        ['Provider', events.provider(index)],
        ['Time', `${milliseconds(events.time[index] as number)} ms`],
        ['Thread', thread === undefined ? '' : threadTitle(thread)],
        ['Level', LEVELS[kind.level] ?? String(kind.level)],
        ['Id', `${kind.id} (version ${kind.version})`],
        ['Activity', activity < 0 ? id : this.#activityLink(activity)],
        ['Related activity', events.idText(events.relatedId[index] as number)],
      ]),
      ...this.#payload('Fields', index),
      ...this.#stack(events.stack[index] as number),
      ...(activity < 0 ? [] : [element('p', { class: 'muted' }, `In ${activities.label(activity)}`)]),
    ];
  }

  #payload(title: string, event: number): Node[] {
    if (event < 0) return [];
    const fields = this.#state.data.events.payload(event);
    if (fields?.length === 0) return [];
    const content =
      fields === undefined
        ? element('p', { class: 'muted' }, 'Omitted from the report because of its size.')
        : facts(fields.map(({ name, value }) => [name, value === '' ? emptyValue() : value]));
    return [element('h3', {}, title), content];
  }

  #stack(stack: number): Node[] {
    if (stack < 0) return [];
    const frames = [...this.#state.data.calls.stack(stack)];
    const rows = frames.slice(0, MAX_FRAMES).map((frame) => {
      const { label, place } = frameText(frame);
      return element('li', { title: frame.name }, label, element('span', { class: 'muted' }, place));
    });
    const more =
      frames.length > MAX_FRAMES ? ` (the first ${MAX_FRAMES} of ${thousands(frames.length)})` : '';
    return [element('h3', {}, `Stack${more}`), element('ul', {}, ...rows)];
  }

  /** What made the activity slow: see critical-path.ts. */
  #criticalPath(activity: number): Node[] {
    const { activities, header } = this.#state.data;
    if (activities.children(activity).length === 0) return [];
    const steps = criticalPath(new PathNode(activities, activity), header.endNs);
    const slowest = [...steps].sort((a, b) => b.selfNs - a.selfNs)[0];
    const rows = steps.slice(0, MAX_STEPS).map((step) => {
      const { index } = step.node;
      const isSlowest = step === slowest;
      const self = element(isSlowest ? 'strong' : 'span', { class: 'number' }, milliseconds(step.selfNs));
      const link = button(activities.label(index), () => this.#choose({ kind: 'activity', index }, false), {
        class: 'link',
      });
      return element('li', {}, self, link);
    });
    const more = steps.length > MAX_STEPS ? ` (the first ${MAX_STEPS} of ${thousands(steps.length)})` : '';
    return [element('h3', {}, `Critical path, self time in ms${more}`), element('ul', {}, ...rows)];
  }

  #eventList(activity: number): Node[] {
    const { activities, events } = this.#state.data;
    const own = itemsOf(activities.events, activity);
    if (own.length === 0) return [];
    const start = activities.start[activity] as number;
    const rows = Array.from(own.subarray(0, MAX_EVENTS), (event) => {
      const after = `+${milliseconds((events.time[event] as number) - start)}`;
      const link = button(events.name(event), () => this.#choose({ kind: 'event', index: event }, false), {
        class: 'link',
      });
      return element(
        'li',
        {},
        element('span', { class: 'number' }, after),
        link,
        element('span', { class: 'muted' }, events.summary(event)),
      );
    });
    const all = button(`Show all ${thousands(own.length)} in the event list`, () =>
      this.#events.limitToActivity(),
    );
    return [element('h3', {}, `Events (${thousands(own.length)})`), element('ul', {}, ...rows), all];
  }

  #samplesLink(activity: number): Node | string {
    const count = this.#cpu.countIn(activity);
    if (count === 0) return '';
    return button(`${thousands(Math.round(count))}: flame graph`, () => this.#cpu.limitToActivity(), {
      class: 'link',
    });
  }

  #parentLink(parent: number): Node | string {
    return parent < 0 ? '' : this.#activityLink(parent);
  }

  #activityLink(index: number): Node {
    const { activities } = this.#state.data;
    const text = `${activities.name(index)} ${activities.path(index)}`;
    return button(text, () => this.#choose({ kind: 'activity', index }, false), { class: 'link' });
  }
}

function emptyValue(): HTMLElement {
  return element('span', { class: 'muted' }, 'empty');
}

const STATE_TEXTS = {
  open: 'open: it has no stop in the trace; shown until the end of the trace',
  stopped: 'stopped',
  killed: 'no start: only its stop is in the trace',
  unstarted: 'no start: the trace has only its stop',
} as const;

/** Names with values; omits names without a value. */
function facts(entries: readonly (readonly [string, Node | string])[]): HTMLElement {
  const list = element('dl');
  for (const [name, value] of entries) {
    if (value !== '') list.append(element('dt', {}, name), element('dd', {}, value));
  }
  return list;
}

/** Adapts an activity of a report to critical-path.ts; its children are looked up on demand. */
class PathNode implements TimedNode<PathNode> {
  readonly index: number;
  readonly activity: TimedNode<PathNode>['activity'];
  readonly #activities: ActivityTable;

  constructor(activities: ActivityTable, index: number) {
    this.#activities = activities;
    this.index = index;
    this.activity = {
      startNs: activities.start[index] as number,
      endNs: activities.end[index] as number,
      state: activities.stateOf(index),
    };
  }

  get children(): PathNode[] {
    return Array.from(
      this.#activities.children(this.index),
      (child) => new PathNode(this.#activities, child),
    );
  }
}
