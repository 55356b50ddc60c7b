/** The tabs below the timeline, with the usual keys for tabs. */
import { byId } from './dom.ts';
import type { Signal } from './page-state.ts';

interface Tab {
  /** Its button is `tab-NAME`, its panel `panel-NAME`. */
  readonly name: string;
  readonly onShow?: () => void;
}

/** @param shown the name of the tab shown */
export function setUpTabs(tabs: readonly Tab[], shown: Signal<string>): void {
  const parts = tabs.map((tab) => ({
    tab,
    button: byId(`tab-${tab.name}`, HTMLButtonElement),
    panel: byId(`panel-${tab.name}`, HTMLElement),
  }));
  const show = (name: string) => {
    for (const { tab, button, panel } of parts) {
      const isShown = tab.name === name;
      button.setAttribute('aria-selected', String(isShown));
      button.tabIndex = isShown ? 0 : -1;
      panel.hidden = !isShown;
      if (isShown) tab.onShow?.();
    }
  };
  for (const [index, { tab, button }] of parts.entries()) {
    button.addEventListener('click', () => shown.set(tab.name));
    button.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const next = parts[(index + step + parts.length) % parts.length];
      if (step === 0 || next === undefined) return;
      event.preventDefault();
      shown.set(next.tab.name);
      next.button.focus();
    });
  }
  shown.onChange(show);
  show(shown.value);
}
