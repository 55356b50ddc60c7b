/** The page of a live view: a small program that asks for nothing but its updates. */
import { pagePart, policyOf } from '../report/report-html.ts';

export interface LivePage {
  readonly html: string;
  /** For the header Content-Security-Policy. */
  readonly policy: string;
}

export async function livePage(): Promise<LivePage> {
  const [template, common, own, script] = await Promise.all([
    pagePart('live.html'),
    pagePart('report.css'),
    pagePart('live.css'),
    pagePart('live.js'),
  ]);
  const [start = '', middle = '', end = ''] = template.split(/<!-- style -->|<!-- script -->/);
  const style = common + own;
  return {
    html: `${start}<style>${style}</style>${middle}<script>${script}</script>${end}`,
    policy: `${policyOf(style, script)}; connect-src 'self'; frame-ancestors 'none'`,
  };
}
