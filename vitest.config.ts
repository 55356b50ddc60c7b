import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { childTests, eachNodeTests, fullTests, processTests, quickTests, stateTests } from './test/tiers.ts';

const project = (name: string, include: readonly string[], test: object = {}) => ({
  extends: true as const,
  test: { name, include: [...include], ...test },
});

export default defineConfig({
  test: {
    // Tests start kernels, browsers and compilers side by side: on two busy cores each may take its time.
    testTimeout: 30_000,
    hookTimeout: 180_000,
    // Most tests wait for what they have started; kernels, browsers and compilers want a processor each. It stands here as
    // projects do not take it from --maxWorkers.
    maxWorkers: (process.env.TRACEWRIGHT_TEST_ALL === '1' ? 1 : 2) * availableParallelism(),
    projects: [
      // To load the modules again for each file would take as long as its tests.
      project('quick', quickTests, { isolate: false }),
      project('state', stateTests),
      project('child', [...childTests, ...eachNodeTests], { isolate: false, provide: { nodes: 'this' } }),
      project('process', processTests),
      project('nodes', eachNodeTests, { isolate: false, provide: { nodes: 'others' } }),
      project('full', [...fullTests.keys()], {
        provide: { nodes: 'all' },
        globalSetup: 'scripts/extra-packages.mjs',
      }),
    ],
  },
});
