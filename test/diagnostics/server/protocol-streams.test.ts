/** CollectTracing, byte by byte: the reply, the trace that follows it, and how both end. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { exchange } from './byte-client.ts';
import {
  type AskedProvider,
  blockingTracing6,
  collectTracing,
  collectTracing2,
  collectTracing3,
  collectTracing4,
  collectTracing5,
  collectTracing6,
  DONE,
  errorReply,
  message,
  PROCESS,
  stopTracing,
  text,
} from './byte-messages.ts';
import { ByteStream } from './byte-stream.ts';
import { describePorts, target } from './byte-target.ts';
import { WORKED_2, WORKED_3, WORKED_4, WORKED_5, WORKED_6 } from './byte-worked-messages.ts';

const ROUNDS = 20;

/** What the application itself wrote; beside it a trace may tell of the process. */
const OWN = ['Demo', 'MyEventSource', 'P', 'Bulk'];
const ownOf = (events: readonly TraceEvent[]) => events.filter(({ provider }) => OWN.includes(provider));
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const nameOf = ({ provider, name }: TraceEvent) => `${provider}/${name}`;

/** The names of the events that the session took of each of twenty rounds, once all rounds are found whole. */
async function collected(request: Uint8Array): Promise<string[]> {
  const process = await target();
  const stream = await ByteStream.start(process.address, request);
  await process.write(ROUNDS);
  await stream.stop();
  return wholeRounds(ownOf((await stream.read()).events));
}

function wholeRounds(events: readonly TraceEvent[]): string[] {
  const names = [...new Set(events.map(nameOf))];
  for (const name of names) {
    const rounds = events.filter((event) => nameOf(event) === name).map(({ payload }) => payload.n);
    expect(rounds).toEqual(numbers(ROUNDS));
  }
  return names;
}

const COLLECT: readonly [string, (...providers: AskedProvider[]) => Buffer][] = [
  ['CollectTracing', collectTracing],
  ['CollectTracing2', collectTracing2],
  ['CollectTracing3', collectTracing3],
  ['CollectTracing4', collectTracing4],
  ['CollectTracing5', collectTracing5],
  ['CollectTracing6', collectTracing6],
];

describePorts('a session of a diagnostic port', (hasAddon) => {
  it.each(COLLECT)('selects what %s requests: providers, keywords, levels', async (_, request) => {
    const demo = { name: 'Demo', keywords: 4n, level: 4 };
    const mine = { name: 'MyEventSource', keywords: 0x20n, level: 2, arguments: text('') };
    expect(await collected(request(demo, mine))).toEqual([
      'Demo/Other',
      'Demo/Plain',
      'MyEventSource/Failed',
    ]);
  });

  it.each([
    ['CollectTracing2', WORKED_2, ['MyEventSource/Failed']],
    ['CollectTracing3', WORKED_3, ['MyEventSource/Failed']],
    ['CollectTracing4', WORKED_4, ['P/One']],
    ['CollectTracing5', WORKED_5, ['Demo/Req', 'Demo/Note', 'Demo/Plain']],
  ])("selects what .NET's own %s message requests", async (_, request, names) => {
    expect(await collected(request)).toEqual(names);
  });

  it.each<[string, AskedProvider, string[]]>([
    ['events without keywords', { name: 'P' }, []],
    ['events of the first level', { name: 'MyEventSource', keywords: 0xffff_ffff_ffff_ffffn, level: 1 }, []],
    ['no ids', { name: 'P', keywords: 1n, allowed: [] }, []],
    ['some ids', { name: 'Demo', keywords: 3n, level: 4, allowed: [1, 2, 3] }, ['Demo/Req', 'Demo/Note']],
    ['an id that there is not', { name: 'P', keywords: 1n, allowed: [0xffff_ffff, 65537] }, []],
    ['all but some ids', { name: 'P', keywords: 1n, denied: [2] }, ['P/One']],
    ['all keywords', { name: 'P', keywords: 0xffff_ffff_ffff_ffffn, level: 4 }, ['P/One']],
  ])('may request %s', async (_, asked, names) => {
    expect(await collected(collectTracing5(asked))).toEqual(names);
  });

  it('includes all levels of a provider requested at level 0', async () => {
    expect(await collected(collectTracing2({ name: 'Demo', keywords: 1n }))).toEqual([
      'Demo/Req',
      'Demo/Fourth',
      'Demo/Fifth',
      'Demo/Detail',
      'Demo/Plain',
    ]);
  });

  it('may request a thousand providers', async () => {
    const others = Array.from({ length: 999 }, (_, number) => ({ name: `N${number}` }));
    expect(await collected(collectTracing5(...others, { name: 'P', keywords: 1n }))).toEqual(['P/One']);
  });

  it("passes the request with its arguments to a source's handlers, and says when it ends", async () => {
    await (await target()).state();
    await collected(WORKED_5);
    const arguments_ = { EventCounterIntervalSec: '1' };
    const { commands } = await (await target()).state();
    expect(commands).toMatchObject([
      { kind: 'enable', level: 4, keywords: '0x3', arguments: arguments_ },
      { kind: 'disable' },
    ]);
  });

  it.each([
    ['malformed', ';;=;a;=b;c=1;"'],
    ['quoted', '"a;b"="c=d";e=f'],
  ])('starts with %s arguments', async (_, args) => {
    const asked = { name: 'P', keywords: 1n, arguments: text(args) };
    expect(await collected(collectTracing2(asked))).toEqual(['P/One']);
  });

  if (hasAddon) {
    it('makes the process wait for its client if requested, and loses nothing', async () => {
      const process = await target();
      const count = 40_000;
      const stream = await ByteStream.start(process.address, blockingTracing6({ name: 'Bulk' }));
      stream.connection.pause();
      let isWritten = false;
      const written = process.ask('writeBulk', { count }).then(() => {
        isWritten = true;
      });
      await delay(1000);
      expect(isWritten).toBe(false);
      stream.connection.resume();
      await written;
      await stream.stop();
      const { events } = await stream.read();
      expect(ownOf(events).map(({ payload }) => payload.n)).toEqual(numbers(count));
    });

    it('is like any other, until the process would have to wait', async () => {
      expect(await collected(WORKED_6)).toEqual([
        'Demo/Req',
        'Demo/Note',
        'Demo/Fourth',
        'Demo/Fifth',
        'Demo/Plain',
      ]);
    });

    it('disconnects a client that makes the process wait and reads nothing', {
      timeout: 60_000,
    }, async () => {
      const process = await target();
      const stream = await ByteStream.start(process.address, blockingTracing6({ name: 'Bulk' }));
      stream.connection.pause();
      await process.ask('writeBulk', { count: 40_000 });
      expect((await process.state()).enabled).toBe(0);
      stream.connection.destroy();
    });
  } else {
    it('cannot make the process wait for its client, and says so', async () => {
      expect(await exchange((await target()).address, WORKED_6)).toEqual(errorReply('NOT_SUPPORTED'));
    });
  }

  it('treats the requested buffer as a maximum, and allocates no memory for it', async () => {
    const process = await target();
    const { rss } = await process.state();
    const request = Buffer.from(WORKED_2).fill(0xff, 20, 24);
    const stream = await ByteStream.start(process.address, request);
    expect((await process.state()).rss - rss).toBeLessThan(50 << 20);
    await stream.stop();
    await stream.connection.takeRest();
  });

  it('is one of several, each with its own id and its own events', async () => {
    const process = await target();
    const first = await ByteStream.start(process.address, collectTracing2({ name: 'P', keywords: 1n }));
    const second = await ByteStream.start(process.address, collectTracing2({ name: 'Demo', keywords: 4n }));
    expect(second.id).not.toBe(first.id);
    await process.write(ROUNDS);
    await first.stop();
    expect(wholeRounds(ownOf((await first.read()).events))).toEqual(['P/One']);
    expect(second.connection.hasEnded).toBe(false);
    await second.stop();
    expect(wholeRounds(ownOf((await second.read()).events))).toEqual(['Demo/Other', 'Demo/Plain']);
  });

  it('can be stopped again, and the process continues', async () => {
    const { address } = await target();
    const stream = await ByteStream.start(address, WORKED_4);
    await Promise.all([stream.stop(), stream.connection.takeRest()]);
    expect((await exchange(address, stopTracing(stream.id))).length).toBeGreaterThanOrEqual(24);
    expect(await exchange(address, message(PROCESS, 0x01))).toEqual(DONE);
  });

  it('sends while it runs, not only at its end', async () => {
    const process = await target();
    const stream = await ByteStream.start(process.address, WORKED_4);
    const before = stream.connection.received;
    await process.write(ROUNDS);
    await expect.poll(() => stream.connection.received, { timeout: 5000 }).toBeGreaterThan(before);
    await stream.stop();
    await stream.connection.takeRest();
  });

  it('confirms the stop only once the client has taken everything, while the rest continues', async () => {
    const process = await target();
    const count = 4000;
    const stream = await ByteStream.start(process.address, collectTracing2({ name: 'Bulk' }));
    stream.connection.pause();
    await process.ask('writeBulk', { count });
    let isStopped = false;
    const stopped = stream.stop().then(() => {
      isStopped = true;
    });
    await delay(300);
    expect(isStopped).toBe(false);
    expect(stream.connection.received).toBeLessThan(count * 1024);
    stream.connection.resume();
    await stopped;
    const { events } = await stream.read();
    expect(ownOf(events).map(({ payload }) => payload.n)).toEqual(numbers(count));
  });
});
