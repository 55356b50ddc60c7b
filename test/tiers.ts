/** Which test files belong to which tier, found from what they import: a new test needs no entry in a list. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** What a bare machine with Node.js and a compiler lacks, by the module through which tests come to it. */
const NEEDS: Readonly<Record<string, string>> = {
  'scripts/vm/index.mjs': 'a kernel with user_events',
  'test/agent/prometheus.ts': 'servers',
  'test/auto/servers.ts': 'servers',
  'test/browser/chromium.ts': 'a browser',
  'test/consumers/application.ts': 'packages from the registry',
  'test/windows/run-program.ts': 'Wine',
};

/** An engine that scripts/extra-packages.mjs installs, or what loads one. */
const EXTRA_PACKAGE =
  /'(?:@duckdb\/node-api|@microsoft\/api-extractor|chdb|hyparquet)'|lib\/query\/(?:database|duckdb)\.ts'/;

/** Tests for each version of Node.js that is installed; they tell which one by what a project provides. */
const EACH_NODE = 'test/child/each-node.ts';

/** A pure test starts no process: it imports none of these, nor does a helper of its. */
const STARTS_SOMETHING = /'(?:node:)?(?:child_process|worker_threads|cluster)'|\bprocess\.report\b/;

/** Folders of pure tests, of modules that keep nothing for their process: these tests share one. */
const PURE_FOLDERS = /^test\/(?:base|trace|view|wire)\/|^test\/house\.test\.ts$/;

/** Folders of pure tests whose modules keep what a process has once, such as its event sources. */
const STATE_FOLDERS = /^test\/(?:activity|counters|listen|playback|source)\//;

/**
 * What a process has once: event sources, sessions, the tracker, the addon, the clock. A test that touches none of them, but starts
 * others to do so, shares its process with others of its kind: to load the modules again for each takes as long as a command.
 */
const KEEPS_STATE =
  /^(?:import|export) (?!type\b)[^;]*from '[./]+\/lib\/(?:index\.ts|(?:activity|auto|counters|eventpipe|flight|integrations|listen|logs|platform|runtime|source)\/)|\bvi\.(?:mock|useFakeTimers)\(|\bprocess\.chdir\(/m;

/** Each of these pure tests takes seconds: it tries very many inputs, or very large ones. */
const LONG =
  /fuzz|\/(?:wire\/manifest\/describe|view\/trace-activities|view\/report\/trace-report|trace\/source\/archives)\.test\.ts$/;

/** These take minutes together, and prove at length, or with all there is at once, what other tests prove in short. */
const ENDURANCE =
  /^test\/(?:agent\/soak|child\/(?:full-disk|session-soak)|cli\/memory|diagnostics\/(?:port-neighbour|stuck-storm)|native\/(?:arm64|cmake|musl|sanitized)|trace\/hostile\/bombs)\.test\.ts$/;

interface Imports {
  /** What a bare machine lacks, in words. */
  readonly needs: ReadonlySet<string>;
  readonly isForEachNode: boolean;
  readonly startsSomething: boolean;
  readonly keepsState: boolean;
}

const known = new Map<string, Imports>();

/** What a module imports from the project's tests and scripts, itself or through others. */
function importsOf(path: string): Imports {
  const before = known.get(path);
  if (before !== undefined) return before;
  const name = relative(packageFolder, path).replaceAll('\\', '/');
  const source = readFileSync(path, 'utf8');
  const needs = new Set<string>();
  if (NEEDS[name] !== undefined) needs.add(NEEDS[name]);
  if (EXTRA_PACKAGE.test(source)) needs.add('packages from the registry');
  const imports = {
    needs,
    isForEachNode: name === EACH_NODE,
    startsSomething: STARTS_SOMETHING.test(source),
    keepsState: KEEPS_STATE.test(source),
  };
  // Modules may import each other in a circle: what is known of this one so far is enough then.
  known.set(path, imports);
  for (const [, specifier = ''] of source.matchAll(/\bfrom '(\.{1,2}\/[^']+\.(?:ts|mjs))'/g)) {
    const imported = join(dirname(path), specifier);
    if (!/^(?:test|scripts)\b/.test(relative(packageFolder, imported))) continue;
    const inner = importsOf(imported);
    for (const need of inner.needs) needs.add(need);
    imports.isForEachNode ||= inner.isForEachNode;
    if (!imported.endsWith('.ts')) continue;
    imports.startsSomething ||= inner.startsSomething;
    imports.keepsState ||= inner.keepsState;
  }
  return imports;
}

/** Pure tests, which take half a minute together, with those below. */
export const quickTests: string[] = [];
/** Pure tests that need a process of their own. */
export const stateTests: string[] = [];
/** Tests that start processes of this package, with nothing but this machine, and share one themselves. */
export const childTests: string[] = [];
/** Those that also need a process of their own. */
export const processTests: string[] = [];
/** Tests that run on one version of Node.js in `npm test`, and on the others in `npm run test:all`. */
export const eachNodeTests: string[] = [];
/** Tests of `npm run test:all` alone, with what each of them needs. */
export const fullTests = new Map<string, string>();

for (const entry of readdirSync(join(packageFolder, 'test'), { recursive: true, encoding: 'utf8' })) {
  if (!entry.endsWith('.test.ts')) continue;
  const name = `test/${entry.replaceAll('\\', '/')}`;
  const { needs, isForEachNode, startsSomething, keepsState } = importsOf(join(packageFolder, name));
  const [lacking] = needs;
  if (lacking !== undefined) fullTests.set(name, lacking);
  else if (ENDURANCE.test(name)) fullTests.set(name, 'minutes');
  else if (isForEachNode) eachNodeTests.push(name);
  else if (!startsSomething && !LONG.test(name) && PURE_FOLDERS.test(name)) quickTests.push(name);
  else if (!startsSomething && !LONG.test(name) && STATE_FOLDERS.test(name)) stateTests.push(name);
  else if (keepsState) processTests.push(name);
  else childTests.push(name);
}
