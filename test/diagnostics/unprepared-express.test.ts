/** `tracewright collect -p` on an Express application that nobody prepared, under as much load as it takes. */
import { expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { installedTools, reasonOf } from '../consumers/application.ts';
import { linuxOnly, named } from '../platforms.ts';

const tools = installedTools({ express: '^5.3.0' });
const skipped = linuxOnly('signals and /proc as this needs them') ?? reasonOf(tools);

describeEachNode('an Express application that nobody prepared', (run) => {
  it.skipIf(skipped !== undefined)(
    named('is recorded, and answers every request', skipped),
    { timeout: 120_000 },
    async () => {
      const folder = 'folder' in tools ? tools.folder : '';
      expect(await run('diagnostics/programs/unprepared.mjs', 'express', folder)).toMatchObject({
        status: 0,
        lost: 0,
        isServing: true,
        hasRequests: true,
        isAsBefore: true,
        exit: 7,
      });
    },
  );
});
