/** Many clients of a diagnostic port, including rude ones: the application neither notices nor retains any of them. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leftToAll } from '../../at-length.ts';
import { named } from '../../platforms.ts';
import { ByteConnection, exchange } from './byte-client.ts';
import { collectTracing2, collectTracing5, DONE, errorReply, message, PROCESS } from './byte-messages.ts';
import { ByteStream } from './byte-stream.ts';
import { describePorts, NO_SOCKETS, type TargetState, target, useTargets } from './byte-target.ts';
import { WORKED_4 } from './byte-worked-messages.ts';

const RESUME = message(PROCESS, 0x01);
const MANY = 1000;
const MAX_SESSIONS = 64;
const MEGABYTE = 1 << 20;

/** Long enough for busy processors; a port that waits for a client holds the application up for longer. */
const LONGEST_DELAY_MS = 2000;

const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const openMany = async (count: number) => {
  const { address } = await target();
  return Promise.all(Array.from({ length: count }, () => ByteConnection.open(address)));
};

describePorts(
  'an application with a diagnostic port',
  () => {
    let before: TargetState;

    beforeEach(async () => {
      const process = await target();
      expect(await exchange(process.address, RESUME)).toEqual(DONE);
      before = await process.state();
    });

    /** Served, with nothing left behind, and never held up for long. */
    afterEach(async () => {
      const process = await target();
      expect(await exchange(process.address, RESUME)).toEqual(DONE);
      const delays: number[] = [];
      await expect
        .poll(
          async () => {
            const { enabled, descriptors, longestDelayMs } = await process.state();
            delays.push(longestDelayMs);
            return { enabled, extra: Math.max(0, descriptors - before.descriptors) };
          },
          { timeout: 20_000 },
        )
        .toEqual({ enabled: 0, extra: 0 });
      expect(Math.max(...delays)).toBeLessThan(LONGEST_DELAY_MS);
      // What connections had is free a moment after their ends.
      const kept = async () => (await process.state()).kept - before.kept;
      await expect.poll(kept, { timeout: 20_000 }).toBeLessThan(8 * MEGABYTE);
    });

    it('answers while a thousand connections are silent', async () => {
      const { address } = await target();
      const idle = await openMany(MANY);
      expect(await exchange(address, RESUME)).toEqual(DONE);
      for (const connection of idle) connection.destroy();
    });

    it('answers a thousand requests at once', async () => {
      const { address } = await target();
      const replies = await Promise.all(Array.from({ length: MANY }, () => exchange(address, RESUME)));
      expect(replies.filter((reply) => reply.equals(DONE)).length).toBe(MANY);
    });

    it('answers a thousand connections that all wait until all are open', async () => {
      const connections = await openMany(MANY);
      for (const connection of connections) connection.send(RESUME);
      const replies = await Promise.all(connections.map((connection) => connection.takeRest()));
      expect(replies.filter((reply) => reply.equals(DONE)).length).toBe(MANY);
    });

    it('survives a storm of clients that only connect and leave', async () => {
      for (let round = 0; round < 20; round++) {
        for (const connection of await openMany(100)) connection.destroy();
      }
    });

    it('survives clients that send a request and do not wait for the reply', async () => {
      const requests = [
        RESUME,
        message(PROCESS, 0x00),
        message(PROCESS, 0x02),
        message(PROCESS, 0x06),
        WORKED_4,
      ];
      for (const request of requests) {
        for (const connection of await openMany(100)) connection.send(request).finish().destroy();
      }
    });

    it('survives clients that leave in the middle of a request', async () => {
      for (let size = 1; size < WORKED_4.length; size++) {
        for (const connection of await openMany(5)) {
          connection.send(WORKED_4.subarray(0, size));
          setImmediate(() => connection.destroy());
        }
      }
      await delay(50);
    });

    it('supports 64 sessions at once, refuses the next, and has room again after one ends', async () => {
      const process = await target();
      const { address } = process;
      const request = collectTracing5({ name: 'P', keywords: 1n });
      const streams: ByteStream[] = [];
      for (let count = 0; count < MAX_SESSIONS; count++)
        streams.push(await ByteStream.start(address, request));
      expect(new Set(streams.map(({ id }) => id)).size).toBe(MAX_SESSIONS);
      expect(await exchange(address, request)).toEqual(errorReply('FAIL'));

      const first = streams.shift();
      await first?.stop();
      await first?.connection.takeRest();
      streams.push(await ByteStream.start(address, request));
      expect(await exchange(address, request)).toEqual(errorReply('FAIL'));

      await process.write(3);
      await Promise.all(streams.map((stream) => stream.stop()));
      for (const stream of streams) {
        const { events } = await stream.read();
        expect(events.filter(({ provider }) => provider === 'P').length).toBe(3);
      }
    });

    it('has room for 64 others when 64 clients are gone', async () => {
      const { address } = await target();
      for (let round = 0; round < 3; round++) {
        const streams = await Promise.all(
          Array.from({ length: MAX_SESSIONS }, () => ByteStream.start(address, WORKED_4)),
        );
        for (const { connection } of streams) connection.destroy();
        await expect.poll(async () => (await (await target()).state()).enabled).toBe(0);
      }
    });

    it('stops creating payloads once the client of a session is gone, even if no event was written', async () => {
      const process = await target();
      const stream = await ByteStream.start(process.address, collectTracing2({ name: 'P', keywords: 1n }));
      await process.write(10);
      const { enabled, payloads } = await process.state();
      expect({ enabled, payloads: payloads - before.payloads }).toEqual({ enabled: 1, payloads: 10 });
      stream.connection.destroy();
      await expect.poll(async () => (await process.state()).enabled).toBe(0);
      await process.write(10);
      expect((await process.state()).payloads).toBe(payloads);
    });

    it('ends the session of a client that leaves in the middle of its events', async () => {
      const process = await target();
      const stream = await ByteStream.start(process.address, collectTracing2({ name: 'Bulk' }));
      stream.connection.pause();
      await process.ask('writeBulk', { count: 4000 });
      stream.connection.destroy();
      await process.ask('writeBulk', { count: 100 });
    });

    it('ends the session of a client that left without the reply, after unexpected bytes', async () => {
      const process = await target();
      const connection = await ByteConnection.open(process.address);
      connection.send(WORKED_4);
      // Nothing is read here meanwhile.
      sleep(50);
      // So that it hears of the bytes and of the end at the same time.
      const blocked = process.ask('block', { ms: 100 });
      sleep(50);
      connection.send(Buffer.alloc(1)).destroy();
      await blocked;
    });

    it('loses events rather than memory if a client does not read', async () => {
      const process = await target();
      const stream = await ByteStream.start(process.address, collectTracing2({ name: 'Bulk' }));
      stream.connection.pause();
      for (let round = 0; round < 10; round++) await process.ask('writeBulk', { count: 4000 });
      // The session's buffer is 10 MB, and 40 MB were written.
      expect((await process.state()).kept - before.kept).toBeLessThan(30 * MEGABYTE);
      stream.connection.resume();
      await stream.stop();
      const { events, checked } = await stream.read();
      const bulk = events.filter(({ provider }) => provider === 'Bulk').length;
      expect(bulk).toBeGreaterThan(4000);
      expect(checked.dropped).toBe(40_000 - bulk);
    });

    it('keeps its sessions, and answers, with any number of silent connections', async () => {
      const process = await target();
      const stream = await ByteStream.start(process.address, WORKED_4);
      const idle = [await openMany(MANY), await openMany(MANY), await openMany(MANY)].flat();
      expect(await exchange(process.address, RESUME)).toEqual(DONE);
      await process.write(1);
      await stream.stop();
      const { events } = await stream.read();
      expect(events.filter(({ provider }) => provider === 'P').length).toBe(1);
      for (const connection of idle) connection.destroy();
    });
  },
  { withoutAddon: leftToAll },
);

const startTarget = useTargets();

it.skipIf(NO_SOCKETS !== undefined)(
  named('an application that has run out of file descriptors answers once it has some', NO_SOCKETS),
  async () => {
    const process = await startTarget({ maxFiles: 100 }).started();
    const connections = await Promise.all(
      Array.from({ length: 200 }, () => ByteConnection.open(process.address)),
    );
    const before = await process.processorTime();
    await delay(1000);
    expect((await process.processorTime()) - before).toBeLessThan(300);
    for (const connection of connections) connection.destroy();
    expect(await exchange(process.address, RESUME)).toEqual(DONE);
  },
);
