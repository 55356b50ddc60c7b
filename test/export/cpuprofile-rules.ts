/** What the DevTools of browsers and VS Code find in a .cpuprofile: a sample lasts until the next one. */

interface CallFrame {
  readonly functionName: string;
  readonly scriptId: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly hitCount: number;
  readonly children?: readonly number[];
}

export interface ShownCpuprofile {
  /** Microseconds in a function itself, by name. */
  readonly self: ReadonlyMap<string, number>;
  /** Callers before callees, with `/` between them, by the leaf first reached. */
  readonly paths: ReadonlySet<string>;
  readonly frames: readonly CallFrame[];
  readonly durationUs: number;
}

/** @throws Error that names the broken rule */
export function checkCpuprofile(text: string): ShownCpuprofile {
  const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(text) as {
    readonly nodes: readonly ProfileNode[];
    readonly samples: readonly number[];
    readonly timeDeltas: readonly number[];
    readonly startTime: number;
    readonly endTime: number;
  };
  demand(samples.length === timeDeltas.length, 'A sample has a time', samples.length);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  demand(byId.size === nodes.length, 'Ids are different', nodes.length);
  demand(nodes[0]?.callFrame.functionName === '(root)', 'The first node is the root', nodes[0]);
  const callers = new Map<number, number>();
  for (const { id, children = [] } of nodes) {
    for (const child of children) {
      demand(byId.has(child) && !callers.has(child), 'A node has one caller', child);
      callers.set(child, id);
    }
  }
  demand(callers.size === nodes.length - 1, 'All nodes but the root have a caller', callers.size);
  const self = new Map<string, number>();
  const paths = new Set<string>();
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    const deltaUs = timeDeltas[index] as number;
    demand(Number.isSafeInteger(deltaUs) && deltaUs >= 0, 'Time does not run backwards', deltaUs);
    const node = byId.get(id);
    demand(node !== undefined, 'A sample is at a node', id);
    atUs += deltaUs;
    const nextUs = index + 1 < samples.length ? (timeDeltas[index + 1] as number) : endTime - atUs;
    const name = node?.callFrame.functionName ?? '';
    self.set(name, (self.get(name) ?? 0) + nextUs);
    const path: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at))
      path.push(byId.get(at)?.callFrame.functionName ?? '');
    paths.add(path.reverse().slice(1).join('/'));
  }
  demand(atUs <= endTime, 'The samples are within the profile', [atUs, endTime]);
  const hits = nodes.reduce((sum, { hitCount }) => sum + hitCount, 0);
  demand(hits === samples.length, 'Nodes count their samples', hits);
  return { self, paths, frames: nodes.map(({ callFrame }) => callFrame), durationUs: endTime - startTime };
}

function demand(condition: boolean, rule: string, where: unknown): void {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(where)?.slice(0, 300)}`);
}
