/** The colors of the page's style sheet, for canvases. */

const HUES = 10;

export interface Colors {
  readonly background: string;
  readonly band: string;
  readonly line: string;
  readonly text: string;
  readonly mutedText: string;
  readonly barText: string;
  readonly accent: string;
  readonly event: string;
  readonly open: string;
  readonly killed: string;
  readonly failed: string;
  /** Bar colors, indexed by the number of the activity's name. */
  readonly bars: readonly string[];
}

/** The colors of the current theme. */
export function currentColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: color('surface'),
    band: color('band'),
    line: color('line'),
    text: color('text'),
    mutedText: color('muted'),
    barText: color('bar-text'),
    accent: color('accent'),
    event: color('event'),
    open: color('open'),
    killed: color('killed'),
    failed: color('failed'),
    bars: Array.from({ length: HUES }, (_, hue) => color(`bar-${hue}`)),
  };
}

export function barColor({ bars, failed }: Colors, task: number, hasFailed: boolean): string {
  return hasFailed ? failed : (bars[task % bars.length] as string);
}
