/** The samples of a V8 profile, each with its stack. */
import type { Profiler } from 'node:inspector';
import type { MethodTable } from './method-table.ts';
import type { ProfilePiece } from './v8-profiler.ts';

export interface CpuSample {
  /** The time on the clock of `process.hrtime`. */
  readonly timeUs: number;
  /** Whether JavaScript or the garbage collector ran; otherwise the thread waited, or ran something unknown to V8. */
  readonly isJavaScript: boolean;
  /** Addresses, innermost frame first. */
  readonly stack: readonly bigint[];
}

/** V8's names for time outside all functions. */
const IDLE = '(idle)';
const PROGRAM = '(program)';
/** Callees that are searched for a line. */
const MAX_LOOKED_AT = 200;
/** How many nodes are looked at before the caller may pause: they take some hundredths of a millisecond. */
const NODES_AT_ONCE = 20;
/** V8's pseudo-functions belong to no script. */
const NO_SCRIPT = '0';

interface Node {
  readonly frame: Profiler.ProfileNode['callFrame'];
  /** The parent is undefined for the root, which is not a frame. */
  readonly parent: Node | undefined;
  /** V8's name, if no function ran. */
  readonly without: typeof IDLE | typeof PROGRAM | undefined;
  readonly lines: Profiler.ProfileNode['positionTicks'];
  readonly callees: Node[];
  address: bigint | undefined;
  stack: readonly bigint[] | undefined;
  /** Stacks of so many of its samples, which were in functions that V8 has compiled into this one. */
  inlined: { samples: number; readonly stack: readonly bigint[] }[] | undefined;
}

/**
 * Yields samples in time order, and undefined where nothing is ready: whoever must not hold the thread can pause at
 * either. While nothing runs, there is only the first sample. Tools that apply a sample to the
 * time until the next one, as .NET's do, cover the whole time.
 */
export function* cpuSamples(
  { profile, shiftUs }: ProfilePiece,
  methods: MethodTable,
): Generator<CpuSample | undefined> {
  const { samples = [], timeDeltas = [] } = profile;
  const nodes = yield* nodesOf(profile);
  let sampledUs = profile.startTime + shiftUs;
  let timeUs = sampledUs;
  let wasIdle = false;
  for (const [i, id] of samples.entries()) {
    sampledUs += timeDeltas[i] ?? 0;
    // Occasionally, a sample is recorded after a later one.
    timeUs = Math.max(timeUs, sampledUs);
    const node = nodes.get(id);
    // The first sample does not come from the timer: it is of the function that started the profile.
    if (node?.parent === undefined || i === 0) continue;
    const isIdle = node.without === IDLE;
    if (!isIdle || !wasIdle) {
      yield { timeUs, isJavaScript: node.without === undefined, stack: nextStackOf(node, methods) };
    }
    wasIdle = isIdle;
  }
}

function* nodesOf({ nodes }: Profiler.Profile): Generator<undefined, ReadonlyMap<number, Node>> {
  const byId = new Map<number, Node>();
  const parents = new Map<number, Node>();
  // Parents precede their children.
  for (const { id, callFrame: frame, children = [], positionTicks: lines } of nodes) {
    const parent = parents.get(id);
    const without = withoutFunction(frame, parent);
    const node: Node = {
      frame,
      parent,
      without,
      lines,
      callees: [],
      address: undefined,
      stack: undefined,
      inlined: undefined,
    };
    parent?.callees.push(node);
    byId.set(id, node);
    for (const child of children) parents.set(child, node);
    if (byId.size % NODES_AT_ONCE === 0) yield;
  }
  return byId;
}

function withoutFunction(
  { scriptId, functionName }: Node['frame'],
  parent: Node | undefined,
): Node['without'] {
  if (scriptId !== NO_SCRIPT || parent === undefined || parent.parent !== undefined) return undefined;
  return functionName === IDLE || functionName === PROGRAM ? functionName : undefined;
}

function nextStackOf(node: Node, methods: MethodTable): readonly bigint[] {
  node.stack ??= stackOf(node, methods);
  node.inlined ??= inlinedIn(node, node.stack, methods);
  const next = node.inlined.at(-1);
  if (next === undefined) return node.stack;
  if (--next.samples === 0) node.inlined.pop();
  return next.stack;
}

/**
 * V8 omits the innermost function of a stack if it has compiled it into its caller, but knows the line. If the line comes
 * before the caller's, it is not one of the caller. What has this line when V8 does not omit it, is the function.
 */
function inlinedIn(node: Node, stack: readonly bigint[], methods: MethodTable): NonNullable<Node['inlined']> {
  const { frame, lines = [], callees } = node;
  return lines
    .filter(({ line }) => line <= frame.lineNumber)
    .map(({ line, ticks: samples }) => {
      const found = calleeWithLine(callees, line);
      if (found !== undefined) return { samples, stack: stackOf(found, methods) };
      const unknown = { ...frame, functionName: `(inlined):${line}`, lineNumber: line - 1, columnNumber: 0 };
      return { samples, stack: [methods.addressOf(unknown), ...stack] };
    });
}

function calleeWithLine(callees: readonly Node[], line: number): Node | undefined {
  const left = [...callees];
  for (let looked = 0; looked < MAX_LOOKED_AT; looked++) {
    const callee = left.shift();
    if (callee === undefined) return undefined;
    const { frame, lines = [] } = callee;
    if (line > frame.lineNumber && frame.lineNumber >= 0 && lines.some((each) => each.line === line)) {
      return callee;
    }
    left.push(...callee.callees);
  }
  return undefined;
}

function stackOf(node: Node, methods: MethodTable): bigint[] {
  const stack: bigint[] = [];
  for (let at = node; at.parent !== undefined; at = at.parent) {
    at.address ??= methods.addressOf(at.frame);
    stack.push(at.address);
  }
  return stack;
}
