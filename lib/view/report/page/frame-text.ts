/** How functions are shown: the name first, then the script that it is in. */
import type { ReportFrame } from '../report-header.ts';

/** How V8 says in maps for perf what code is and how it was compiled: `JS:*`, `LazyCompile:~`. */
const V8_PREFIX = /^(?:JS|LazyCompile|Function|Eval|Script):[*~^+'-]?\s*/;
/** `handle file:///app/lib/server.js:12:5`, also with a path or nothing in the place of the URL. */
const BEFORE_SCRIPT = /^(.*?)\s*(\S+?):(\d+)(?::\d+)?$/;
/** `app/lib/server.js.handle`, as in samples of sessions. */
const AFTER_SCRIPT = /^(native|node:[^.]*|.*?\.[cm]?[jt]sx?)\.(.+)$/;
const SCRIPT = /(?:^node:.*|[^/\\]+\.[cm]?[jt]sx?)$/;
const ANONYMOUS = '(anonymous)';

export interface FrameText {
  /** `handle server.js:12` */
  readonly label: string;
  /** The script, or else the program or library. */
  readonly place: string;
}

export function frameText({ name, module }: ReportFrame): FrameText {
  const plain = name.replace(V8_PREFIX, '');
  const [, before = '', url = '', line] = BEFORE_SCRIPT.exec(plain) ?? [];
  const script = SCRIPT.exec(url)?.[0];
  if (script !== undefined) return { label: `${before || ANONYMOUS} ${script}:${line}`, place: url };
  const [, place, own = plain] = AFTER_SCRIPT.exec(plain) ?? [];
  const file = SCRIPT.exec(place ?? '')?.[0] ?? '';
  return { label: `${own || ANONYMOUS} ${file}`.trimEnd(), place: place ?? module };
}

/** The same for functions of one script, program or library. */
export function hueOf(place: string): number {
  let hash = 0;
  for (let i = 0; i < place.length; i++) hash = (Math.imul(hash, 31) + place.charCodeAt(i)) | 0;
  return hash >>> 0;
}
