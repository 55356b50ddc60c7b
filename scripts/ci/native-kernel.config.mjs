// vitest configuration that runs the kernel tests on this machine's kernel, as root, instead of in a guest: `npx vitest
// run --config scripts/ci/native-kernel.config.mjs`. For throwaway machines.
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
    // There is only one tracer
    fileParallelism: false,
  },
});
