/** The page of a live view: a small program that asks for nothing but its updates. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../base/package-files.ts';
import { policyOf } from '../report/report-html.ts';

export interface LivePage {
  readonly html: string;
  /** For the header Content-Security-Policy. */
  readonly policy: string;
}

export async function livePage(): Promise<LivePage> {
  const page = (name: string) => readFile(join(packageFolder(), 'dist/report', name), 'utf8');
  const [template, common, own, script] = await Promise.all([
    page('live.html'),
    page('report.css'),
    page('live.css'),
    page('live.js'),
  ]);
  const [start = '', middle = '', end = ''] = template.split(/<!-- style -->|<!-- script -->/);
  const style = common + own;
  return {
    html: `${start}<style>${style}</style>${middle}<script>${script}</script>${end}`,
    policy: `${policyOf(style, script)}; connect-src 'self'; frame-ancestors 'none'`,
  };
}
