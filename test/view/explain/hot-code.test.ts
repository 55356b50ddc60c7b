/** Which code explain names for a set of CPU samples. */
import { describe, expect, it } from 'vitest';
import type { SampledStack } from '../../../lib/view/cpu/cpu-profile.ts';
import type { Frame } from '../../../lib/view/cpu/frame-names.ts';
import { hottestCode, ITSELF } from '../../../lib/view/explain/hot-code.ts';

/** @param stacks with their samples; frames innermost first */
function codeOf(...stacks: readonly (readonly [samples: number, ...frames: (string | Frame)[]])[]) {
  const frames = new Map(stacks.map(([, ...names]) => [{} as SampledStack, names]));
  const counts = new Map([...frames.keys()].map((stack, index) => [stack, stacks[index]?.[0] ?? 0]));
  return hottestCode(counts, (stack) =>
    (frames.get(stack) ?? []).map((frame) =>
      typeof frame === 'string' ? { name: frame, module: '' } : frame,
    ),
  )?.text;
}

const BURN = 'JS:*burn file:///app/cart.mjs:12:5';
const READ = 'JS:^readFileSync node:fs:436:22';
const TICKS = 'JS:*processTicksAndRejections node:internal/process/task_queues:67:35';

describe('The hottest code', () => {
  it('is a function of the application, with what it calls', () => {
    expect(codeOf([3, 'app.mjs.burn', 'app.mjs.handle'])).toBe('burn in app.mjs');
    expect(codeOf([3, 'node:fs.readFileSync', 'app.mjs.load'])).toBe(
      'readFileSync, called by load in app.mjs',
    );
  });

  it('is, in a package, named with the function of the application that it runs for', () => {
    const clone = { name: 'lodash/lodash.js.baseClone', module: '/app/node_modules/lodash/lodash.js' };
    const router = { name: 'router/index.js.next', module: 'C:\\app\\node_modules\\router\\index.js' };
    expect(codeOf([3, clone, router, 'cart.mjs.copy', router])).toBe(
      'baseClone in lodash/lodash.js, called by copy in cart.mjs',
    );
    expect(codeOf([3, 'node:fs.readFileSync', clone, 'cart.mjs.copy'])).toBe(
      'readFileSync, called by copy in cart.mjs',
    );
    expect(codeOf([3, 'cart.mjs.copy', router])).toBe('copy in cart.mjs');
    expect(codeOf([3, clone, router])).toBe('baseClone in lodash/lodash.js');
  });

  it('is that of JavaScript in samples of the system, whatever of V8 and the kernel is around it', () => {
    expect(codeOf([5, 'do_syscall_64', 'v8::internal::Foo', BURN, 'Builtin:JSEntry', 'node+0x1234'])).toBe(
      'burn in cart.mjs',
    );
    expect(codeOf([5, 'vfs_read', READ, BURN, TICKS])).toBe('readFileSync, called by burn in cart.mjs');
  });

  it('is native code only if no function has a tenth of the samples', () => {
    expect(codeOf([80, 'node+0x194fa11', '0x240ca1cc0fc19dc6'], [20, 'node+0x1', BURN])).toBe(
      'burn in cart.mjs',
    );
    expect(codeOf([60, 'node+0x194fa11'], [35, 'node+0x12'], [5, BURN])).toBe('native code of node');
    expect(codeOf([1, '0x7f00'])).toBe('native code');
  });

  it('is what was interrupted to look at it', () => {
    const looking = 'tracewright/dist/evaluated.(anonymous):1:1';
    expect(codeOf([3, 'node:internal/console.profile', looking, 'app.mjs.burn'])).toBe('burn in app.mjs');
    expect(codeOf([3, looking, looking, 'node:fs.readFileSync', 'app.mjs.load'])).toBe(
      'readFileSync, called by load in app.mjs',
    );
    expect(codeOf([3, 'JS:~ tracewright/dist/evaluated:1:1', BURN])).toBe('burn in cart.mjs');
    expect(codeOf([3, looking])).toBe(ITSELF);
  });

  it('is tracewright only if no function of the application has a tenth of the samples', () => {
    const hook = 'JS:*before file:///app/node_modules/tracewright/dist/cjs/auto.cjs:9:1';
    expect(codeOf([80, hook], [20, 'JS:*tick file:///app/app.mjs:3:1'])).toBe('tick in app.mjs');
    expect(codeOf([95, hook], [5, 'JS:*tick file:///app/app.mjs:3:1'])).toBe(ITSELF);
  });
});
