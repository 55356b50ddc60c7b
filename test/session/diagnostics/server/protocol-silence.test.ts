/** Clients of a diagnostics port that stop in the midst: each is ended after a while, and the others are served. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ByteConnection, exchange } from './byte-client.ts';
import { DONE, EVENT_PIPE, errorReply, header, message, PROCESS, u8 } from './byte-messages.ts';
import { describePorts, target } from './byte-target.ts';
import { WORKED_2, WORKED_USER_EVENTS } from './byte-worked-messages.ts';

const RESUME = message(PROCESS, 0x01);

/** Longer than the port waits for the rest of a request. */
const LIMIT = 15_000;

const SILENT: readonly [string, Buffer][] = [
  ['says nothing', Buffer.alloc(0)],
  ['sends one byte', RESUME.subarray(0, 1)],
  ['sends half the magic', RESUME.subarray(0, 7)],
  ['sends all of a header but a byte', RESUME.subarray(0, 19)],
  ['sends a header without what it announces', header(EVENT_PIPE, 0x03, 83)],
  ['sends half a message', WORKED_2.subarray(0, 50)],
  ['sends a message without its last byte', WORKED_2.subarray(0, -1)],
  [
    'announces 65535 bytes and sends some',
    Buffer.concat([header(0x77, 0x77, 65535), Buffer.alloc(100, 0xff)]),
  ],
];

const SLOW = 'sends a byte now and then';
const answerTo = (what: string) => (what === 'says nothing' ? Buffer.alloc(0) : errorReply('BAD_ENCODING'));

describePorts('a client of a diagnostics port', () => {
  const connections: ByteConnection[] = [];
  let slowLoris: NodeJS.Timeout | undefined;

  /** All begin at once, so that their times to wait are one. */
  beforeAll(async () => {
    const { address } = await target();
    for (const [, bytes] of SILENT) connections.push((await ByteConnection.open(address)).send(bytes));
    const slow = await ByteConnection.open(address);
    connections.push(slow);
    let next = 0;
    slowLoris = setInterval(() => slow.send(u8(WORKED_2[next++] ?? 0)), 250);
  });
  afterAll(() => clearInterval(slowLoris));

  it('is served while others are silent', async () => {
    expect(await exchange((await target()).address, RESUME)).toEqual(DONE);
    expect(connections.filter(({ hasEnded }) => hasEnded)).toEqual([]);
  });

  it.each([...SILENT.map(([what]) => what), SLOW])('that %s is answered in the end', async (what) => {
    const index = SILENT.findIndex(([silent]) => silent === what);
    expect(await connections.at(index)?.takeRest(LIMIT)).toEqual(answerTo(what));
  });

  it('is served when they are gone', async () => {
    expect(await exchange((await target()).address, RESUME)).toEqual(DONE);
    expect((await (await target()).state()).enabled).toBe(0);
  });

  it.each(SILENT)('that %s and then no more is answered at once', async (what, bytes) => {
    const connection = await ByteConnection.open((await target()).address);
    expect(await connection.send(bytes).finish().takeRest(1000)).toEqual(answerTo(what));
  });
});

describePorts(
  'a client of a diagnostics port that asks for user_events and sends no descriptor',
  (hasAddon) => {
    it('is refused', async () => {
      const connection = await ByteConnection.open((await target()).address);
      const refusal = errorReply(hasAddon ? 'BAD_ENCODING' : 'NOT_SUPPORTED');
      expect(await connection.send(WORKED_USER_EVENTS).finish().takeRest(1000)).toEqual(refusal);
    });
  },
);
