/** Why activities were slow: the sentences about the slowest, and for one of them where its time went. */
import { thousands } from '../view/number-text.ts';
import type { Explanation, ReportExplanations } from '../view/report/report-header.ts';
import type { CpuSamples } from './cpu-samples.ts';
import { button, element } from './dom.ts';
import type { PageState } from './page-state.ts';
import type { Choose } from './selection.ts';
import type { SlowestView } from './slowest-view.ts';
import type { Tooltip } from './tooltip.ts';
import { WhyAccount } from './why-account.ts';

export class WhyView {
  readonly element: HTMLElement;
  readonly #state: PageState;
  readonly #account: WhyAccount;
  readonly #byActivity: ReadonlyMap<number, Explanation>;
  readonly #buttons = new Map<number, HTMLButtonElement>();
  /** It is -1 for none. */
  #shown = -1;

  constructor(state: PageState, choose: Choose, samples: CpuSamples, slowest: SlowestView, tooltip: Tooltip) {
    this.#state = state;
    const { explanations } = state.data.header;
    this.#byActivity = new Map(explanations.activities.map((each) => [each.activity, each]));
    this.#account = new WhyAccount(state, choose, samples, slowest, tooltip);
    this.element = element('div', { class: 'why' }, this.#list(explanations, choose), this.#account.element);
    state.selected.onChange(() => this.element.offsetParent !== null && this.update());
  }

  /** It is called when the view becomes visible, and shows the selected activity, or else the slowest. */
  update(): void {
    const { data, selected } = this.#state;
    const { kind, index = -1 } = selected.value ?? {};
    const chosen = kind === 'event' ? (data.events.activity[index] as number) : index;
    const activity = chosen >= 0 ? chosen : (data.header.explanations.activities[0]?.activity ?? -1);
    if (activity < 0 || activity === this.#shown) return;
    this.#buttons.get(this.#shown)?.removeAttribute('aria-current');
    this.#shown = activity;
    const current = this.#buttons.get(activity);
    current?.setAttribute('aria-current', 'true');
    current?.scrollIntoView({ block: 'nearest' });
    this.#account.show(activity, this.#byActivity);
  }

  #list({ activities, totals, count, hints }: ReportExplanations, choose: Choose): HTMLElement {
    const items = activities.map(({ activity, sentence, others }) => {
      const open = button('', () => choose({ kind: 'activity', index: activity }, false), {
        class: 'finding',
      });
      open.append(element('span', {}, sentence));
      if (others !== undefined) open.append(element('span', { class: 'muted' }, others));
      this.#buttons.set(activity, open);
      return element('li', {}, open);
    });
    const texts = (title: string, lines: readonly string[]) =>
      lines.length === 0
        ? []
        : [
            element('h2', {}, title),
            element(
              'ul',
              { class: 'sentences' },
              ...lines.map((line) => element('li', { class: 'total' }, line)),
            ),
          ];
    const together = `${thousands(count)} ${count === 1 ? 'activity' : 'activities'} together`;
    return element(
      'section',
      { class: 'findings', 'aria-label': 'What was slow' },
      element('h2', {}, 'Slowest against others of their kind'),
      element('ol', { class: 'sentences' }, ...items),
      ...texts(together, totals),
      ...texts('For the next recording', hints),
    );
  }
}
