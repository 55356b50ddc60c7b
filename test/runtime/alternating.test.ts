/** Activity switches where Node.js tells of promises in another way: with AsyncContextFrame, and without. */
import { expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';

describeEachNode('Activity switches', (run) => {
  it('follow each await and each timer', async () => {
    const { ran, switches } = (await run('runtime/programs/alternating.mjs')) as Record<string, string[]>;
    expect(ran?.length).toBeGreaterThan(20);
    expect(switches).toEqual(ran);
  });
});
