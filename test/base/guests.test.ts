/** Strangers who connect to the servers of a command, and do not let go. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AgentCounters } from '../../lib/agent/agent-counters.ts';
import { MetricsServer } from '../../lib/agent/metrics-server.ts';
import { LiveFeed } from '../../lib/view/live/live-feed.ts';
import { LiveServer } from '../../lib/view/live/live-server.ts';
import { missingInWine, named } from '../platforms.ts';

/** `fetch` fails with UNKNOWN before it connects; `http.get` of the same address does not. */
const noFetch = missingInWine('connections for fetch');

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function liveUrl(): Promise<string> {
  const server = await LiveServer.open(new LiveFeed());
  closings.push(() => server.close());
  return server.url;
}

async function metricsUrl(): Promise<string> {
  const server = await MetricsServer.listen(new AgentCounters(), '127.0.0.1', 0);
  closings.push(() => server.close());
  return server.url;
}

/** Connections that send a request byte by byte, and never its end. */
async function strangers(url: string, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => {}).resume();
    const timer = setInterval(() => socket.write('X'), 100);
    socket.on('close', () => clearInterval(timer));
    closings.push(() => socket.destroy());
  }
  await Promise.all(sockets.map((socket) => socket.readyState === 'open' || once(socket, 'connect')));
  return sockets;
}

describe.each([
  ['the live view', liveUrl],
  ['the counters of the agent', metricsUrl],
])('%s', (_, open) => {
  it.skipIf(noFetch !== undefined)(
    named('answers its owner at once while 200 strangers hold connections', noFetch),
    async () => {
      const url = await open();
      const sockets = await strangers(url, 200);
      for (let i = 0; i < 20; i++) {
        const response = await fetch(url, { headers: { connection: 'close' } });
        expect(response.status).toBe(200);
        await response.text();
      }
      await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThan(16));
    },
  );

  it('ends the connections of strangers', async () => {
    const sockets = await strangers(await open(), 5);
    await vi.waitFor(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true), {
      timeout: 20_000,
    });
  });
});

it.skipIf(noFetch !== undefined)(named('whoever knows the token stays', noFetch), async () => {
  const url = await liveUrl();
  const updates = await fetch(`${url}updates`);
  await strangers(url, 100);
  await new Promise((resolve) => setTimeout(resolve, 6000));
  const reader = updates.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
});
