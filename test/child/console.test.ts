/** `tracewright/console`: through channels if Node.js has them, otherwise by wrapping the console's methods. */
import { expect, it } from 'vitest';
import { describeEachNode } from './each-node.ts';

describeEachNode('the console with its lines as events', (run) => {
  it('prints the same as without, and each line is an event in its activity', async () => {
    const circle = "<ref *1> { name: 'circle', self: [Circular *1] }";
    expect(await run('child/activity-programs/console.mjs')).toEqual({
      isSame: true,
      sameNames: true,
      toldAfter: 0,
      told: [
        ['Informational', 'log', `a line ${circle}`, '', false],
        ['Informational', 'info', '5n Symbol(s)', '', false],
        ['Verbose', 'debug', '', '', false],
        ['Warning', 'warn', '{ warned: true }', '', false],
        ['Error', 'error', 'wrong RangeError', '', false],
        ['Error', 'error', 'Error: no tea\n    at /', 'Error: no', true],
        ['Informational', 'log', 'long', '', false],
      ],
    });
  });
});
