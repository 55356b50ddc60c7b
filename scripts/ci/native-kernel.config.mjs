// vitest, with the tests of the kernel run on the kernel of this machine, as root, in place of a guest:
// `npx vitest run --config scripts/ci/native-kernel.config.mjs`. For throwaway machines.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  resolve: {
    alias: [
      { find: /^.*\/scripts\/vm\/index\.mjs$/, replacement: join(import.meta.dirname, 'native-vm.mjs') },
    ],
  },
  test: {
    include: ['test/kernel/user-events.test.ts', 'test/kernel/process.test.ts'],
    // There is one tracer
    fileParallelism: false,
  },
});
