/** Which code CPU samples were taken in, in a few words: the application's function, and what of Node.js it called. */
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { Frame } from '../cpu/frame-names.ts';

export type FramesOf = (stack: SampledStack) => readonly Frame[];

const LOADING = /^node:internal\/modules\//;
const BUILT_IN = /^(?:node:|native\.)/;
const GARBAGE = 'native.(garbage collector)';
/** Frames of `processTicksAndRejections` and the like say nothing. */
const LOOP = /^node:internal\/(?:process\/|timers|async_hooks|bootstrap\/)/;

export interface HotCode {
  readonly text: string;
  /** Of all samples. */
  readonly share: number;
}

/** Where most samples were taken; undefined without samples. */
export function hottestCode(
  stacks: ReadonlyMap<SampledStack, number> | undefined,
  framesOf: FramesOf,
): HotCode | undefined {
  if (stacks === undefined) return undefined;
  const bySamples = new Map<string, number>();
  let all = 0;
  for (const [stack, samples] of stacks) {
    const text = codeOf(framesOf(stack));
    all += samples;
    if (text !== undefined) bySamples.set(text, (bySamples.get(text) ?? 0) + samples);
  }
  const [hottest] = [...bySamples].sort(([, a], [, b]) => b - a);
  return hottest === undefined ? undefined : { text: hottest[0], share: hottest[1] / all };
}

/** @param frames innermost first */
function codeOf(frames: readonly Frame[]): string | undefined {
  const names = frames.map(({ name }) => name).filter((name) => name !== GARBAGE);
  if (names.some((name) => LOADING.test(name))) return 'loading modules';
  const own = names.findIndex((name) => !BUILT_IN.test(name));
  if (own < 0) {
    const builtIn = names.findLast((name) => !LOOP.test(name) && name.startsWith('node:')) ?? names[0];
    return builtIn?.replace(/^native\./, '');
  }
  const called = names[own - 1];
  const ownText = functionText(names[own] as string);
  return called === undefined ? ownText : `${memberOf(called)}, called by ${ownText}`;
}

/** `app.mjs.burn` as `burn in app.mjs`. */
function functionText(name: string): string {
  const [, file, member] = /^(.*?\.[cm]?[jt]sx?)\.(.+)$/.exec(name) ?? [];
  return file === undefined ? name : `${member} in ${file}`;
}

function memberOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
