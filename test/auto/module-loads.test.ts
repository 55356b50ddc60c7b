/** Modules as activities. A process loads a module only once, so each test has its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';

interface Load {
  readonly name: string;
  readonly package: string;
  readonly kind: string;
  readonly errorType: string;
  /** The names of the loads around it, and of the activity. */
  readonly inside: readonly string[];
}

let folder: string;
const write = (path: string, text: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tracewright-modules-')));
  write(
    'app.cjs',
    "require('node:fs'); require('path'); require('@scope/sdk/client'); require('./own.cjs');",
  );
  write('own.cjs', "require('@scope/sdk/client');");
  write('broken.cjs', "require('./missing.cjs');");
  write('late.mjs', 'export const late = 1;');
  write('node_modules/@scope/sdk/client.js', "require('./part'); require('./part'); require('leaf');");
  write('node_modules/@scope/sdk/part.js', '');
  write('node_modules/leaf/index.js', '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describeEachNode('the modules that a thread loads', (run, major) => {
  it('are activities inside those that load them, each once', async () => {
    const found = (await run('auto/programs/module-loads.mjs', folder)) as {
      readonly loads: readonly Load[];
      readonly subscribersBefore: boolean;
    };
    expect(found.subscribersBefore).toBe(false);
    if (Number(major) < 22) {
      expect(found.loads).toEqual([]);
      return;
    }
    const none = { kind: 'require', errorType: '' };
    expect(found.loads).toEqual([
      { ...none, name: join(folder, 'app.cjs'), package: '', inside: ['Work'] },
      { ...none, name: '@scope/sdk/client', package: '@scope/sdk', inside: ['app.cjs', 'Work'] },
      { ...none, name: './part', package: '@scope/sdk', inside: ['client', 'app.cjs', 'Work'] },
      { ...none, name: 'leaf', package: 'leaf', inside: ['client', 'app.cjs', 'Work'] },
      { ...none, name: './own.cjs', package: '', inside: ['app.cjs', 'Work'] },
      {
        ...none,
        name: join(folder, 'broken.cjs'),
        package: '',
        inside: ['Work'],
        errorType: 'MODULE_NOT_FOUND',
      },
      {
        ...none,
        name: './missing.cjs',
        package: '',
        inside: ['broken.cjs', 'Work'],
        errorType: 'MODULE_NOT_FOUND',
      },
      { name: join(folder, 'late.mjs'), package: '', kind: 'import', errorType: '', inside: ['Work'] },
    ]);
  });
});
