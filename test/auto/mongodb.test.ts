/** Commands of mongodb, from the events of a registered client. */
import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { named } from '../platforms.ts';
import { folder, skipReason } from './libraries.ts';
import { Recording } from './recording.ts';

describe.skipIf(skipReason !== undefined)(named('mongodb', skipReason), () => {
  describeEachNode('a command of mongodb', (run) => {
    let recording: Recording;
    beforeAll(async () => {
      recording = new Recording(await run('auto/programs/mongodb.mjs', folder));
    });

    it('contains the request, without values, and how it ended', () => {
      const commands = recording.activities('answered', 'Command');
      expect(
        commands.map(({ start, stop }) => [start.text, ...stop.map((one) => one.errorType)]),
      ).toMatchObject([
        ['find orders', ''],
        ['getMore orders', ''],
        ['insert orders', 'NamespaceNotFound'],
      ]);
      expect(commands[0]?.start).toEqual({
        text: 'find orders',
        operation: 'find',
        system: 'mongodb',
        namespace: 'shop',
        host: '127.0.0.1',
        port: recording.notes('answered'),
      });
      expect(commands.flatMap(({ stop }) => stop.map((one) => one.errorMessage))).toEqual(['', '', '']);
    });

    it('belongs to its caller, whoever used the connection before', () => {
      const works = recording.activities('concurrent', 'Work');
      expect(works).toHaveLength(4);
      for (const { path, start, inside } of works) {
        const own = recording.activities('concurrent', 'Command').filter((command) => command.in === path);
        expect(own.map((command) => command.start.namespace)).toEqual([start.text]);
        expect(inside).toEqual([{ text: start.text }]);
      }
    });

    it('is not an activity while the option is off', () => {
      expect(recording.activities('off', 'Command')).toEqual([]);
    });
  });
});
