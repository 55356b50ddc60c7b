/** The samples of a V8 profile, each with its stack. */
import type { Profiler } from 'node:inspector';
import type { MethodTable } from './method-table.ts';
import type { ProfilePiece } from './v8-profiler.ts';

export interface CpuSample {
  /** On the clock of `process.hrtime`. */
  readonly timeUs: number;
  /** Whether JavaScript or the garbage collector ran; otherwise the thread waited, or ran something unknown to V8. */
  readonly isJavaScript: boolean;
  /** Addresses, innermost frame first. */
  readonly stack: readonly bigint[];
}

/** V8's names for time outside all functions. */
const IDLE = '(idle)';
const PROGRAM = '(program)';
/** V8's pseudo-functions belong to no script. */
const NO_SCRIPT = '0';

interface Node {
  readonly frame: Profiler.ProfileNode['callFrame'];
  /** Undefined for the root, which is not a frame. */
  readonly parent: Node | undefined;
  /** V8's name, if no function ran. */
  readonly without: typeof IDLE | typeof PROGRAM | undefined;
  stack: readonly bigint[] | undefined;
}

/**
 * In time order. While nothing runs, there is only the first sample. Tools that apply a sample to the time until the
 * next one, as .NET's do, cover the whole time.
 */
export function* cpuSamples({ profile, shiftUs }: ProfilePiece, methods: MethodTable): Generator<CpuSample> {
  const { samples = [], timeDeltas = [] } = profile;
  const nodes = nodesOf(profile);
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
      node.stack ??= stackOf(node, methods);
      yield { timeUs, isJavaScript: node.without === undefined, stack: node.stack };
    }
    wasIdle = isIdle;
  }
}

function nodesOf({ nodes }: Profiler.Profile): ReadonlyMap<number, Node> {
  const byId = new Map<number, Node>();
  const parents = new Map<number, Node>();
  // Parents precede their children.
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
