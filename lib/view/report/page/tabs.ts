/** The tabs below the timeline, with the usual keys for tabs. */
import { byId } from './dom.ts';

export interface Tab {
  /** Its button is `tab-NAME`, its panel `panel-NAME`. */
  readonly name: string;
  readonly onShow?: () => void;
}

export function setUpTabs(tabs: readonly Tab[]): void {
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
    button.addEventListener('click', () => show(tab.name));
    button.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const next = parts[(index + step + parts.length) % parts.length];
      if (step === 0 || next === undefined) return;
      event.preventDefault();
      show(next.tab.name);
      next.button.focus();
    });
  }
  const [first] = tabs;
  if (first !== undefined) show(first.name);
}
