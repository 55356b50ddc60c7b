/** Runs a program on a Node.js of each supported major version, for behaviour that differs between them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, inject } from 'vitest';
import { isRequired } from '../../scripts/lib/require.mjs';
import { majors, nodes } from '../../scripts/nodes.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** On which versions tests for each version run: `npm test` has this one only. */
    nodes: 'this' | 'others' | 'all';
  }
}

const [ownMajor = ''] = process.versions.node.split('.');
const programOf = (major: string) => (major === ownMajor ? process.execPath : nodes[major]);

/** Of the storms and soaks that one can ask for. */
const LONGEST_MS = 900_000;

/** Runs a program of the folder test/, which prints JSON, and returns what it printed. */
export type RunProgram = (program: string, ...args: string[]) => Promise<unknown>;

/**
 * A suite for each major version; `node scripts/nodes.mjs` fetches those that are not there. TRACEWRIGHT_REQUIRE=nodes
 * has a missing one fail instead of skip.
 *
 * @param since the first version that has what is tested
 */
export function describeEachNode(
  what: string,
  define: (run: RunProgram, major: string) => void,
  since = 0,
): void {
  const wanted = inject('nodes');
  for (const major of majors.filter((each) => Number(each) >= since)) {
    if (wanted !== 'all' && (wanted === 'this') !== (major === ownMajor)) continue;
    const node = programOf(major);
    if (node === undefined && !isRequired('nodes')) {
      describe.skipIf(true)(`${what}, on Node.js ${major} (skipped: run node scripts/nodes.mjs)`, () => {
        define(async () => undefined, major);
      });
      continue;
    }
    describe(`${what}, on Node.js ${major}`, () => {
      define(async (program, ...args) => {
        if (node === undefined) throw new Error(`There is no Node.js ${major}: run node scripts/nodes.mjs.`);
        const path = join(import.meta.dirname, '..', program);
        const { stdout } = await promisify(execFile)(node, [path, ...args], {
          timeout: LONGEST_MS,
          maxBuffer: 2 ** 26,
        });
        return JSON.parse(stdout);
      }, major);
    });
  }
}
