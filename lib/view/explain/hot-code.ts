/** Which code CPU samples were taken in, in a few words: the application's function, and what of Node.js it called. */
import { isOwnCode } from '../../base/evaluated-code.ts';
import { baseName } from '../../symbols/symbol-folders.ts';
import type { SampledStack } from '../cpu/cpu-profile.ts';
import { type Frame, isBuiltIn, isOfPackage, isOfTracer } from '../cpu/frame-names.ts';

export type FramesOf = (stack: SampledStack) => readonly Frame[];

/** How V8 names functions for perf and ETW: `JS:*burn file:///app/cart.mjs:12:5`. */
const V8_FUNCTION = /^\w+:[*~^+]?([^\s:]*) (?:file:\/\/)?(\S.*):\d+:\d+$/;
/** What has neither a map nor symbols: `node+0x194fa11`, or an address. */
const UNNAMED = /^(.*\+)?0x[\da-f]+$/;
const NATIVE = 'native code';
/**
 * Native code without frame pointers hides its callers, and this package's hooks run between callbacks that the
 * application has caused, millions of them: a function that so many samples have says more.
 */
const TELLING_SHARE = 0.1;
const LOADING = /^node:internal\/modules\//;
const GARBAGE = 'native.(garbage collector)';
/** Frames of `processTicksAndRejections` and the like say nothing. */
const LOOP = /^node:internal\/(?:process\/|timers|async_hooks|bootstrap\/)/;

/** What this package's own code is called. */
export const ITSELF = 'tracewright itself';

export interface HotCode {
  readonly text: string;
  /** What of Node.js the application called: `node:fs.readFileSync`. */
  readonly called: string | undefined;
  /** The share of all samples. */
  readonly share: number;
}

/** Finds where most samples were taken; undefined without samples. */
export function hottestCode(
  stacks: ReadonlyMap<SampledStack, number> | undefined,
  framesOf: FramesOf,
): HotCode | undefined {
  if (stacks === undefined) return undefined;
  let all = 0;
  for (const samples of stacks.values()) all += samples;
  const codes = [...codesOf(stacks, framesOf).values()].sort((a, b) => b.samples - a.samples);
  const isTelling = ({ code, samples }: (typeof codes)[number]) =>
    !code.text.startsWith(NATIVE) && code.text !== ITSELF && samples >= all * TELLING_SHARE;
  const hottest = codes.find(isTelling) ?? codes[0];
  return hottest && { ...hottest.code, share: hottest.samples / all };
}

/** Whether most of the samples were taken in this package's own code. */
export function isMostlyItself(
  stacks: ReadonlyMap<SampledStack, number> | undefined,
  framesOf: FramesOf,
): boolean {
  if (stacks === undefined) return false;
  let all = 0;
  for (const samples of stacks.values()) all += samples;
  return (codesOf(stacks, framesOf).get(ITSELF)?.samples ?? 0) > all / 2;
}

/** The code in which samples were taken, where the key is its text. */
export function codesOf(
  stacks: ReadonlyMap<SampledStack, number>,
  framesOf: FramesOf,
): Map<string, { readonly code: Code; samples: number }> {
  const found = new Map<string, { readonly code: Code; samples: number }>();
  for (const [stack, samples] of stacks) {
    const code = codeOf(framesOf(stack));
    if (code === undefined) continue;
    const known = found.get(code.text);
    if (known === undefined) found.set(code.text, { code, samples });
    else known.samples += samples;
  }
  return found;
}

type Code = Omit<HotCode, 'share'>;

/** @param frames innermost first */
function codeOf(frames: readonly Frame[]): Code | undefined {
  const code = interrupted(functionsOf(frames).filter(({ name }) => name !== GARBAGE));
  const names = code.map(({ name }) => name);
  const [, module] = UNNAMED.exec(names[0] ?? '') ?? [undefined, ''];
  if (module !== '')
    return { text: module === undefined ? NATIVE : `${NATIVE} of ${module.slice(0, -1)}`, called: undefined };
  if (names.some((name) => LOADING.test(name))) return { text: 'loading modules', called: undefined };
  const isOwn = (frame: Frame) => !isBuiltIn(frame) && !isOfTracer(frame);
  const own = code.findIndex(isOwn);
  if (own < 0) {
    if (code.some(isOfTracer)) return { text: ITSELF, called: undefined };
    const builtIn = names.findLast((name) => !LOOP.test(name) && name.startsWith('node:')) ?? names[0];
    return builtIn === undefined ? undefined : { text: builtIn.replace(/^native\./, ''), called: builtIn };
  }
  const called = names[own - 1];
  const text = functionText(names[own] as string);
  const inner = called === undefined ? text : memberOf(called);
  // What a package does is done for a function that its users can change.
  const caller = code.findIndex((frame) => isOwn(frame) && !isOfPackage(frame));
  if (caller > own) return { text: `${inner}, called by ${functionText(names[caller] as string)}`, called };
  return { text: called === undefined ? text : `${inner}, called by ${text}`, called };
}

/** Leaves out frames that have interrupted the others to look at them. */
function interrupted(frames: readonly Frame[]): readonly Frame[] {
  const below = frames.slice(frames.findLastIndex(isOwnCode) + 1);
  return below.length > 0 ? below : frames;
}

/** Samples of the system also have frames of V8 and the kernel, which say nothing beside those of JavaScript. */
function functionsOf(frames: readonly Frame[]): readonly Frame[] {
  const functions = frames.flatMap(({ name }) => {
    const [, member, file] = V8_FUNCTION.exec(name) ?? [];
    if (file === undefined) return [];
    const script = file.startsWith('node:') ? file : baseName(file);
    return [{ name: `${script}.${member || '(anonymous)'}`, module: file }];
  });
  return functions.length > 0 ? functions : frames;
}

/** `app.mjs.burn` as `burn in app.mjs`. */
function functionText(name: string): string {
  const [, file, member] = /^(.*?\.[cm]?[jt]sx?)\.(.+)$/.exec(name) ?? [];
  return file === undefined ? name : `${member} in ${file}`;
}

function memberOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
