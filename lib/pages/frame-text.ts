/** How functions are shown: the name first, then the script that it is in. */
import type { ReportFrame } from '../view/report/report-header.ts';

/** How V8 says in maps for perf what code is and how it was compiled: `JS:*`, `LazyCompile:~`. */
const V8_PREFIX = /^(?:JS|LazyCompile|Function|Eval|Script):[*~^+'-]?\s*/;
/** The end of `handle file:///app/lib/server.js:12:5`, also with a path or nothing in the place of the URL. */
const LINE = /:(\d+)(?::\d+)?$/;
const LAST_WORD = /(?<!\S)\S+$/;
/** `app/lib/server.js.handle`, as in samples of sessions. */
const AFTER_SCRIPT = /^(native|node:[^.]*|.*?\.[cm]?[jt]sx?)\.(.+)$/s;
const SCRIPT = /(?:^node:.*|(?<![^/\\])[^/\\]+\.[cm]?[jt]sx?)$/;
/** The module of what .NET compiles. */
const DOT_NET = '.NET';
const ANONYMOUS = '(anonymous)';

export interface FrameText {
  /** `handle server.js:12`, `System.DateTime.get_Now` */
  readonly label: string;
  /** The shorter text for places with less room: `handle`, `get_Now`. */
  readonly short: string;
  /** The script or type, or else the program or library. */
  readonly place: string;
}

export function frameText({ name, module }: ReportFrame): FrameText {
  const plain = name.replace(V8_PREFIX, '');
  const [end = '', line] = LINE.exec(plain) ?? [];
  const before = plain.slice(0, plain.length - end.length);
  const url = line === undefined ? '' : (LAST_WORD.exec(before)?.[0] ?? '');
  const script = SCRIPT.exec(url)?.[0];
  if (script !== undefined) return textOf(before.slice(0, -url.length).trim(), `${script}:${line}`, url);
  const [, place, own = ''] = AFTER_SCRIPT.exec(plain) ?? [];
  if (place !== undefined) return textOf(own, SCRIPT.exec(place)?.[0] ?? '', place);
  const dot = module === DOT_NET ? plain.lastIndexOf('.', plain.length - 2) : -1;
  const type = plain.slice(0, Math.max(0, dot));
  return { label: plain || ANONYMOUS, short: plain.slice(dot + 1) || ANONYMOUS, place: type || module };
}

function textOf(own: string, script: string, place: string): FrameText {
  const short = own || ANONYMOUS;
  return { label: `${short} ${script}`.trimEnd(), short, place };
}

/** Functions of one script, type, program or library have the same hue. */
export function hueOf(place: string): number {
  let hash = 0;
  for (let i = 0; i < place.length; i++) hash = (Math.imul(hash, 31) + place.charCodeAt(i)) | 0;
  return hash >>> 0;
}
