/** Light or dark theme: the system's, unless the user chooses. */
import type { Theme } from './page-state.ts';

const DARK = matchMedia('(prefers-color-scheme: dark)');

export function systemTheme(): Theme {
  return DARK.matches ? 'dark' : 'light';
}

/** @param onTheme called when the theme has changed */
export function setUpTheme(choice: HTMLSelectElement, onTheme: (theme: Theme) => void): void {
  const apply = () => {
    const theme = choice.value === 'light' || choice.value === 'dark' ? choice.value : systemTheme();
    document.documentElement.dataset.theme = theme;
    onTheme(theme);
  };
  choice.addEventListener('change', apply);
  DARK.addEventListener('change', apply);
  apply();
}
