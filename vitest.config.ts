import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start kernels, browsers and compilers side by side: on two busy cores each may take its time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
