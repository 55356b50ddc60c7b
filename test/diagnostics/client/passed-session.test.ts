/** Sessions that write through a descriptor passed to the process: its replies, and how the session ends. */
import { openSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PassedSession } from '../../../lib/diagnostics/client/passed-session.ts';
import { OwnedDescriptor } from '../../../lib/platform/owned-descriptor.ts';
import { linuxOnly, named } from '../../platforms.ts';
import { hex, u64 } from '../server/byte-messages.ts';
import { failure, fakeOf, folder, PROCESS, useFakeProcesses } from './fake-client.ts';
import { type Answer, error, message, ok, SESSION_ID } from './fake-process.ts';

useFakeProcesses();

const START = '02/06';
/** The message of the protocol's document. */
const DEMO = {
  sessionType: 'user_events',
  rundownKeyword: 0n,
  providers: [
    {
      name: 'Demo',
      keywords: 3n,
      level: 4,
      arguments: undefined,
      filter: { isAllowList: true, ids: [1, 2] },
      tracepoints: { defaultName: 'Demo_All', sets: [{ name: 'Demo_Req', ids: [1] }] },
    },
  ],
} as const;

describe.skipIf(linuxOnly('passed descriptors') !== undefined)(
  named('a session through a passed descriptor', linuxOnly('passed descriptors')),
  () => {
    let descriptor: OwnedDescriptor;
    beforeEach(() => {
      descriptor = new OwnedDescriptor(openSync('/dev/null', 'r+'));
    });
    afterEach(() => descriptor.close());
    const start = () => PassedSession.start(folder.tool, process.pid, DEMO, descriptor);
    const answering = (answer: Answer) => fakeOf({ answers: { [START]: answer } }).listen(folder.tool);

    it('is requested in the bytes of the protocol, and lasts until the process ends it', async () => {
      const fake = await answering((_, socket, process) => {
        process.stream = socket;
        return ok(u64(SESSION_ID));
      });
      const session = await start();
      // Behind it may stand the byte that came with the descriptor.
      expect(fake.requests[0]?.subarray(0, 135)).toEqual(
        message(
          2,
          6,
          hex(`01000000 0000000000000000 01000000
          0300000000000000 04000000 05000000 440065006d006f000000 00000000
          01 02000000 01000000 02000000
          09000000 440065006d006f005f0041006c006c000000
          01000000 09000000 440065006d006f005f005200650071000000 01000000 01000000`),
        ),
      );
      fake.end();
      await session.ended;
    });

    it('lasts until it is closed', async () => {
      const fake = await answering((_, socket, process) => {
        process.stream = socket;
        return ok(u64(SESSION_ID));
      });
      const session = await start();
      const closed = new Promise((resolve) => fake.stream?.once('close', resolve));
      session.close();
      await closed;
      await session.ended;
    });

    it.each([
      ['unsupported', 0x80131385, `${PROCESS} does not support CollectTracing5: its runtime is too old.`],
      ['refused', 0x80131515, `${PROCESS} refused CollectTracing5 with 0x80131515 (NotSupported).`],
    ])('is %s if the process says so', async (code, replyCode, sentence) => {
      await answering(() => error(replyCode));
      await expect(start()).rejects.toEqual(failure(code, sentence));
    });

    it('cannot be started if the process closes the connection, or is gone', async () => {
      const fake = await answering((_, socket) => {
        socket.destroy();
        return undefined;
      });
      await expect(start()).rejects.toEqual(
        failure('ended', `${PROCESS} closed the connection without a reply.`),
      );
      fake.end();
      await expect(start()).rejects.toEqual(
        failure('ended', `${PROCESS} no longer listens at its diagnostic port.`),
      );
      const long = `/${'x'.repeat(200)}`;
      await expect(PassedSession.start(long, process.pid, DEMO, descriptor)).rejects.toEqual(
        failure('failed', `The connection to ${PROCESS} failed: Connecting failed (ENAMETOOLONG).`),
      );
    });

    it('is given to no other process that listens in its place', async () => {
      const fake = await answering(() => ok(u64(SESSION_ID)));
      await expect(PassedSession.start(folder.tool, 4711, DEMO, descriptor)).rejects.toEqual(
        failure(
          'failed',
          `The diagnostic port ${folder.tool} does not belong to process 4711: another one listens there.`,
        ),
      );
      expect(fake.requests).toEqual([]);
    });
  },
);
