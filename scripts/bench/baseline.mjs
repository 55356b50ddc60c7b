// A state of the repository to compare with, built in a temporary folder. It runs the benchmarks of this checkout, on its
// own dist and build.
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../lib/run.mjs';
import { installPeers } from './peers.mjs';

const checkout = join(import.meta.dirname, '../..');

/**
 * Call `close` when done.
 * @param {string} ref a commit, tag or branch
 */
export function openBaseline(ref) {
  const root = mkdtempSync(join(tmpdir(), 'tracewright-bench-baseline-'));
  const archive = join(root, 'checkout.tar');
  run('git', ['archive', '--output', archive, ref], { cwd: checkout });
  run('tar', ['xf', archive, '-C', root]);
  const modules = join(root, 'node_modules');
  symlinkSync(join(checkout, 'node_modules'), modules);
  // Not its setup.mjs, which would install: the modules are this checkout's.
  const setup = join(root, 'scripts/setup-built.mjs');
  writeFileSync(
    setup,
    "import { buildNative } from './build-native.mjs';\nimport { compile } from './compile.mjs';\nbuildNative();\nawait compile();\n",
  );
  run(process.execPath, [setup], { cwd: root });
  rmSync(join(root, 'scripts/bench'), { recursive: true });
  cpSync(import.meta.dirname, join(root, 'scripts/bench'), {
    recursive: true,
    filter: (path) => !path.endsWith('node_modules'),
  });
  installPeers();
  const peers = join(import.meta.dirname, 'peers/node_modules');
  if (existsSync(peers)) symlinkSync(peers, join(root, 'scripts/bench/peers/node_modules'));
  return { root, close: () => rmSync(root, { recursive: true, force: true }) };
}
