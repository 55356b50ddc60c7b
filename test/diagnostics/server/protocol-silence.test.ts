/** Clients of a diagnostic port that stop halfway: each is disconnected after a while, and the others are served. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../../platforms.ts';
import { ByteConnection, exchange } from './byte-client.ts';
import { DONE, EVENT_PIPE, errorReply, header, message, PROCESS, u8 } from './byte-messages.ts';
import { describePorts, NO_SOCKETS, PORTS, Target, target } from './byte-target.ts';
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

describe.skipIf(NO_SOCKETS !== undefined)(named('a client of a diagnostic port', NO_SOCKETS), () => {
  const targets = new Map<string, Target>();
  const connections = new Map<string, ByteConnection>();
  const timers: NodeJS.Timeout[] = [];
  const addressOf = (port: string) => targets.get(port)?.address ?? '';

  /** All begin at once, at both ports, so that their times to wait are one. */
  beforeAll(async () => {
    for (const [port, flags] of PORTS) targets.set(port, new Target({ flags }));
    for (const [port, target] of targets) await beSilent(port, (await target.started()).address);
  });
  afterAll(() => {
    for (const timer of timers) clearInterval(timer);
    for (const target of targets.values()) target.remove();
  });

  async function beSilent(port: string, address: string): Promise<void> {
    for (const [what, bytes] of SILENT) {
      connections.set(`${port} ${what}`, (await ByteConnection.open(address)).send(bytes));
    }
    const slow = await ByteConnection.open(address);
    connections.set(`${port} ${SLOW}`, slow);
    let next = 0;
    timers.push(setInterval(() => slow.send(u8(WORKED_2[next++] ?? 0)), 250));
  }

  it.each(PORTS)('is served while others are silent, %s', async (port) => {
    expect(await exchange(addressOf(port), RESUME)).toEqual(DONE);
    expect([...connections.values()].filter(({ hasEnded }) => hasEnded)).toEqual([]);
  });

  describe.each(PORTS)('%s', (port) => {
    it.each([...SILENT.map(([what]) => what), SLOW])('that %s is answered in the end', async (what) => {
      expect(await connections.get(`${port} ${what}`)?.takeRest(LIMIT)).toEqual(answerTo(what));
    });

    it('is served once they are gone', async () => {
      expect(await exchange(addressOf(port), RESUME)).toEqual(DONE);
      expect((await targets.get(port)?.state())?.enabled).toBe(0);
    });

    it.each(SILENT)('that %s and then no more is answered at once', async (what, bytes) => {
      const connection = await ByteConnection.open(addressOf(port));
      expect(await connection.send(bytes).finish().takeRest(2000)).toEqual(answerTo(what));
    });
  });
});

describePorts(
  'a client of a diagnostic port that requests user_events and sends no descriptor',
  (hasAddon) => {
    it('is refused', async () => {
      const connection = await ByteConnection.open((await target()).address);
      const refusal = errorReply(hasAddon ? 'BAD_ENCODING' : 'NOT_SUPPORTED');
      expect(await connection.send(WORKED_USER_EVENTS).finish().takeRest(2000)).toEqual(refusal);
    });
  },
);
