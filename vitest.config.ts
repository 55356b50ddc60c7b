import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packageFolder = fileURLToPath(new URL('.', import.meta.url));

/** What a test of one of these folders does not need: processes, sockets, kernels, compilers, a browser. */
const PURE_FOLDERS = [
  'activity',
  'base',
  'counters',
  'listen',
  'playback',
  'source',
  'trace',
  'view',
  'wire',
];

/** What a test that starts something, or runs what is built, imports itself or through its helpers. */
const STARTS_SOMETHING = /'(?:node:)?(?:child_process|worker_threads|cluster)'|\bprocess\.report\b/;

function startsSomething(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false;
  seen.add(path);
  const source = readFileSync(path, 'utf8');
  if (STARTS_SOMETHING.test(source)) return true;
  const helpers = source.matchAll(/\bfrom '(\.{1,2}\/[^']+\.ts)'/g);
  return Array.from(helpers, ([, specifier = '']) => join(dirname(path), specifier)).some(
    (helper) => helper.startsWith(join(packageFolder, 'test')) && startsSomething(helper, seen),
  );
}

/** Each of these takes seconds: it tries very many inputs, or very large ones. */
const LONG =
  /fuzz|\/(?:wire\/manifest\/describe|view\/trace-activities|view\/report\/trace-report|trace\/source\/archives)\.test\.ts$/;

/** The pure tests: those of the folders above that start nothing, and take moments. */
const quick = PURE_FOLDERS.flatMap((folder) =>
  readdirSync(join(packageFolder, 'test', folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${folder}/${name.replaceAll('\\', '/')}`)
    .filter(
      (name) => name.endsWith('.test.ts') && !LONG.test(name) && !startsSomething(join(packageFolder, name)),
    ),
);

export default defineConfig({
  test: {
    // Tests start kernels, browsers and compilers side by side: on two busy cores each may take its time.
    testTimeout: 30_000,
    hookTimeout: 180_000,
    // Most tests wait for what they have started; Vitest leaves a processor free for itself, which is half of two.
    maxWorkers: availableParallelism(),
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/house.test.ts', ...quick] } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/house.test.ts', ...quick],
        },
      },
    ],
  },
});
