/** The traces of three processes that call each other, on clocks set apart, as one tree. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { type ActivityNode, ActivityTree, nodesOf } from '../../../lib/view/activity-tree.ts';
import { type MergedTrace, openMergedTrace } from '../../../lib/view/merge/merged-trace.ts';
import { type ClockOrigin, originOf, shifted, tracedServices } from './services.ts';

const MS = 1_000_000;
const REQUESTS = 150;

let folder: string;
let traces: readonly string[];
let origin: ClockOrigin;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-merged-'));
  traces = await tracedServices(folder, REQUESTS);
  origin = originOf(traces[0] as string);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Clock {
  readonly aheadNs?: number;
  readonly driftPpm?: number;
}

function merged(clocks: readonly Clock[], order: readonly number[] = [0, 1, 2]): Promise<MergedTrace> {
  const inputs = order.map((index) => {
    const bytes = shifted(traces[index] as string, origin, clocks[index] ?? {});
    return {
      name: ['front', 'middle', 'back'][index] as string,
      open: (onDamage: 'error' | 'warning') => openTrace(bytes, { onDamage }),
    };
  });
  return openMergedTrace(inputs);
}

async function treeOf(trace: MergedTrace): Promise<ActivityTree> {
  const tree = new ActivityTree();
  for await (const event of trace) tree.add(event);
  return tree;
}

/** `Request [Call [Request]]` */
function shape({ activity, children }: ActivityNode): string {
  const inside = children.length === 0 ? '' : ` [${children.map(shape).join(', ')}]`;
  return `${activity.task}${inside}`;
}

const WHOLE = 'Request [Call [Request [Call [Request]]], Call [Request]]';
const SPANS = 7;

/**
 * When each span starts, by the unchanged clock of the front. Each process has its own idea of the time of day, taken
 * when it starts, so they are compared by the machine's monotonic clock.
 */
async function trueStarts(): Promise<ReadonlyMap<string, number>> {
  const starts = new Map<string, number>();
  let frontNs: number | undefined;
  for (const trace of traces) {
    const stamps = new Map<string, number>();
    let aheadNs = Number.POSITIVE_INFINITY;
    for await (const { payload, timestamp } of await openTrace(shifted(trace, origin, {}))) {
      if (typeof payload.spanId !== 'string' || typeof payload.monotonic !== 'bigint') continue;
      const [stampNs, monotonicNs] = [Number(timestamp - BASE), Number(payload.monotonic)];
      stamps.set(payload.spanId, stampNs);
      // Least where nothing came between the two.
      aheadNs = Math.min(aheadNs, stampNs - monotonicNs);
    }
    frontNs ??= aheadNs;
    for (const [spanId, stampNs] of stamps) starts.set(spanId, stampNs - aheadNs + frontNs);
  }
  return starts;
}
/** Takes from times since 1970 what numbers have no digits for. */
const BASE = BigInt(Date.now() - 3_600_000) * BigInt(MS);

const WORLDS: [string, readonly Clock[]][] = [
  ['the same', []],
  ['10 s ahead, and 10 s behind', [{}, { aheadNs: 1e10 }, { aheadNs: -1e10 }]],
  ['drifting by 50 ppm, either way', [{}, { driftPpm: 50 }, { driftPpm: -50 }]],
  [
    'apart and drifting',
    [
      { aheadNs: 3e9, driftPpm: 10 },
      { aheadNs: -7e9, driftPpm: 50 },
      { aheadNs: 1e10, driftPpm: -40 },
    ],
  ],
  ['apart by a few milliseconds', [{}, { aheadNs: 4e6 }, { aheadNs: -3e6, driftPpm: 50 }]],
];

describe.each(WORLDS)('the traces of three processes, whose clocks are %s', (_, clocks) => {
  it('are one tree, with every request inside the one that made it', async () => {
    const tree = await treeOf(await merged(clocks));
    const shapes = tree.roots.map(shape);
    expect(new Set(shapes)).toEqual(new Set([WHOLE]));
    expect(shapes.length).toBe(REQUESTS);
    for (const root of tree.roots) {
      for (const { activity } of nodesOf(root)) expect(activity.state).toBe('stopped');
    }
  });

  it('have times within 1 ms of the truth, and within the stated error', async () => {
    const trace = await merged(clocks);
    const starts = await trueStarts();
    const [front = {}] = clocks;
    let [worst, count] = [0, 0];
    const allowed = new Map(trace.inputs.map(({ name, clock }) => [name, clock.errorNs]));
    const errorNs = Math.max(...allowed.values());
    for await (const { payload, timestamp } of trace) {
      const start = typeof payload.spanId === 'string' ? starts.get(payload.spanId) : undefined;
      if (start === undefined) continue;
      const { aheadNs = 0, driftPpm = 0 } = front;
      // By the clock of the front, which is the one that all are compared with.
      const zero = Number(timestampOfOrigin - BASE);
      const shown = start + aheadNs + (start - zero) * (driftPpm / 1e6);
      worst = Math.max(worst, Math.abs(Number(timestamp - BASE) - shown));
      count++;
    }
    expect(count).toBe(REQUESTS * SPANS);
    expect(worst).toBeLessThan(MS);
    expect(worst).toBeLessThanOrEqual(errorNs + 1000);
  });
});

let timestampOfOrigin: bigint;
beforeAll(async () => {
  timestampOfOrigin = (await openTrace(shifted(traces[0] as string, origin, {}))).info.startTime;
});

describe('merged traces', () => {
  it('can be given in any order', async () => {
    const clocks = [{}, { aheadNs: 1e10 }, { aheadNs: -1e10 }];
    for (const order of [
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const tree = await treeOf(await merged(clocks, order));
      expect(new Set(tree.roots.map(shape))).toEqual(new Set([WHOLE]));
    }
  });

  it('say by how many requests each clock is known', async () => {
    const { inputs } = await merged([{}, { aheadNs: 1e10 }, {}]);
    expect(inputs.map(({ name, clock }) => [name, clock.state, clock.requests])).toEqual([
      ['front', 'reference', 0],
      ['middle', 'estimated', REQUESTS],
      ['back', 'estimated', 2 * REQUESTS],
    ]);
  });
});
