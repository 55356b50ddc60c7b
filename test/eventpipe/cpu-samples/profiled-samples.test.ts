/** Converting a V8 profile to samples. */
import type { Profiler } from 'node:inspector';
import { expect, it } from 'vitest';
import { MethodTable } from '../../../lib/eventpipe/cpu-samples/method-table.ts';
import { cpuSamples } from '../../../lib/eventpipe/cpu-samples/profiled-samples.ts';

const native = (functionName: string) => ({
  functionName,
  scriptId: '0',
  url: '',
  lineNumber: -1,
  columnNumber: -1,
});
const script = (functionName: string) => ({
  functionName,
  scriptId: '9',
  url: 'file:///srv/cart.js',
  lineNumber: 11,
  columnNumber: 4,
});

const NODES: Profiler.ProfileNode[] = [
  { id: 1, callFrame: native('(root)'), children: [2, 3, 4, 5] },
  { id: 2, callFrame: native('(idle)') },
  { id: 3, callFrame: native('(program)') },
  { id: 4, callFrame: native('(garbage collector)') },
  { id: 5, callFrame: script('outer'), children: [6, 8] },
  { id: 6, callFrame: script('inner'), children: [7] },
  { id: 7, callFrame: native('now') },
  // Whatever functions are called.
  { id: 8, callFrame: script('(idle)') },
];

/** `100 Managed inner outer` */
function shown(samples: number[], timeDeltas: number[], shiftUs = 0, nodes = NODES): string[] {
  const methods = new MethodTable(false, '/srv');
  const profile: Profiler.Profile = { nodes, startTime: 100, endTime: 900, samples, timeDeltas };
  const taken = [...cpuSamples({ profile, shiftUs }, methods)].filter((sample) => sample !== undefined);
  return taken.map(({ timeUs, isJavaScript, stack }) =>
    [
      timeUs,
      isJavaScript ? 'Managed' : 'External',
      ...stack.map((address) => methods.methodAt(address).name),
    ].join(' '),
  );
}

it('each sample has its time and its stack, except the first, which does not come from the timer', () => {
  expect(shown([6, 6, 7, 5], [1, 10, 10, 10])).toEqual([
    '111 Managed inner outer',
    '121 Managed now inner outer',
    '131 Managed outer',
  ]);
});

it('an idle period has only the first sample', () => {
  expect(shown([5, 2, 2, 2, 5, 2, 5], [0, 10, 10, 10, 10, 10, 10])).toEqual([
    '110 External (idle)',
    '140 Managed outer',
    '150 External (idle)',
    '160 Managed outer',
  ]);
});

it('garbage collection counts as JavaScript, what V8 does not know does not', () => {
  expect(shown([5, 4, 3, 3, 8], [0, 10, 10, 10, 10])).toEqual([
    '110 Managed (garbage collector)',
    '120 External (program)',
    '130 External (program)',
    '140 Managed (idle) outer',
  ]);
});

it('samples do not go back in time', () => {
  expect(shown([5, 5, 5, 5], [0, 10, -5, 10])).toEqual([
    '110 Managed outer',
    '110 Managed outer',
    '115 Managed outer',
  ]);
});

it('times are on the clock of the events', () => {
  expect(shown([5, 5], [0, 10], 1000)).toEqual(['1110 Managed outer']);
});

it('entries that are not samples of a function are skipped', () => {
  expect(shown([1, 1, 99], [0, 10, 10])).toEqual([]);
});

// V8 names the function that a sample was in, except one that it has compiled into its caller, of which it has the line.
it('a sample in a line before its function is one of the callee with that line, or of one that V8 does not name', () => {
  const at = (functionName: string, lineNumber: number) => ({ ...script(functionName), lineNumber });
  const ticks = (...lines: [line: number, ticks: number][]) => ({
    positionTicks: lines.map(([line, count]) => ({ line, ticks: count })),
  });
  const nodes: Profiler.ProfileNode[] = [
    { id: 1, callFrame: native('(root)'), children: [2] },
    { id: 2, callFrame: at('tick', 29), children: [3], ...ticks([31, 1], [12, 2], [3, 1]) },
    { id: 3, callFrame: at('mid', 19), children: [4] },
    { id: 4, callFrame: at('hot', 9), ...ticks([12, 1]) },
  ];
  const samples = [2, 4, 2, 2, 2, 2];
  const stacks = shown(samples, [0, 10, 10, 10, 10, 10], 0, nodes).map((text) => text.replace(/^\d+ /, ''));
  expect(stacks.sort()).toEqual([
    'Managed (inlined):3 tick',
    'Managed hot mid tick',
    'Managed hot mid tick',
    'Managed hot mid tick',
    'Managed tick',
  ]);
});
