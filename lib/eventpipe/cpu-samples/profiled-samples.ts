/** The samples of a profile of V8, each with its stack. */
import type { Profiler } from 'node:inspector';
import type { MethodTable } from './method-table.ts';
import type { ProfilePiece } from './v8-profiler.ts';

export interface CpuSample {
  /** On the clock of `process.hrtime`. */
  readonly timeUs: number;
  /** Whether JavaScript ran, or the garbage collector; else it waited, or something that V8 knows nothing of ran. */
  readonly isJavaScript: boolean;
  /** Addresses, innermost frame first. */
  readonly stack: readonly bigint[];
}

/** What V8 calls the work that is none of a function's. */
const IDLE = '(idle)';
const PROGRAM = '(program)';
/** V8's own entries and functions are of no script. */
const NO_SCRIPT = '0';

interface Node {
  readonly frame: Profiler.ProfileNode['callFrame'];
  /** Undefined at the root, which is no frame. */
  readonly parent: Node | undefined;
  /** What V8 calls it, where no function ran. */
  readonly without: typeof IDLE | typeof PROGRAM | undefined;
  stack: readonly bigint[] | undefined;
}

/**
 * In the order of time. While nothing runs there is only the first sample: whoever takes a sample to tell what
 * was up to the next one, as .NET's tools do, sees the whole time.
 */
export function* cpuSamples({ profile, shiftUs }: ProfilePiece, methods: MethodTable): Generator<CpuSample> {
  const { samples = [], timeDeltas = [] } = profile;
  const nodes = nodesOf(profile);
  let sampledUs = profile.startTime + shiftUs;
  let timeUs = sampledUs;
  let wasIdle = false;
  for (const [i, id] of samples.entries()) {
    sampledUs += timeDeltas[i] ?? 0;
    // Seldom, one is noted after a later one.
    timeUs = Math.max(timeUs, sampledUs);
    const node = nodes.get(id);
    // The first one is not due to the timer: it is of the function that started the profile.
    if (node?.parent === undefined || i === 0) continue;
    const isIdle = node.without === IDLE;
    if (!isIdle || !wasIdle) {
      node.stack ??= stackOf(node, methods);
      yield { timeUs, isJavaScript: node.without === undefined, stack: node.stack };
    }
    wasIdle = isIdle;
  }
}

function nodesOf({ nodes }: Profiler.Profile): ReadonlyMap<number, Node> {
  const byId = new Map<number, Node>();
  const parents = new Map<number, Node>();
  // Parents come before their children.
  for (const { id, callFrame: frame, children = [] } of nodes) {
    const parent = parents.get(id);
    const node: Node = { frame, parent, without: withoutFunction(frame, parent), stack: undefined };
    byId.set(id, node);
    for (const child of children) parents.set(child, node);
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

function stackOf(node: Node, methods: MethodTable): bigint[] {
  const stack: bigint[] = [];
  for (let at = node; at.parent !== undefined; at = at.parent) stack.push(methods.addressOf(at.frame));
  return stack;
}
