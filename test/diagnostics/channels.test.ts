/** A tool that attaches to a running process requests the fields of any channel, and reads them in the trace. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiagnosticsClient } from '../../lib/diagnostics/client/diagnostics-client.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { StreamFormat } from '../../lib/wire/diagnostics-ipc/constants.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { readAll } from './client/fake-client.ts';
import { RunningApp } from './running-app.ts';

vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let app: RunningApp | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-channels-'));
});
afterEach(() => {
  app?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Requests to a server of its own, one after the other, in calls of a TracingChannel. */
const PROGRAM = `
  import { createServer } from 'node:http';
  import { channel, tracingChannel } from 'node:diagnostics_channel';
  import { createInterface } from 'node:readline';
  const server = createServer((request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const load = tracingChannel('app:load');
  const subscribed = () => channel('tracing:app:load:start').hasSubscribers;
  say([enableDiagnostics().address, subscribed()]);
  let isOver = false;
  createInterface({ input: process.stdin }).once('line', () => { isOver = true; });
  const url = 'http://127.0.0.1:' + server.address().port + '/a?b=1';
  while (!isOver) {
    await load.tracePromise(async () => (await fetch(url)).text(), { key: { id: 7 } });
    say('loaded');
    await new Promise((done) => setTimeout(done, 20));
  }
  server.close();
  server.closeAllConnections();
  say(subscribed());`;

const SPECS = `http.server.request.start/message:-url=request.url;request.socket.remotePort;request.nothing
app:load@Activity1:-key.id;result`;

describe.skipIf(missingOnWindows('Unix sockets') !== undefined)(
  named('channels of a process with a diagnostic port', missingOnWindows('Unix sockets')),
  () => {
    it.each([4, 6])('are events with the fields that a tool names (nettrace %i)', async (version) => {
      app = new RunningApp(PROGRAM, { TMPDIR: folder });
      const [address, before] = (await app.hears()) as [string, boolean];
      expect(before).toBe(false);
      const client = DiagnosticsClient.at(address, app.pid);
      const session = await client.collectTracing({
        sessionType: 'streaming',
        bufferMegabytes: 64,
        format: version === 4 ? StreamFormat.NetTrace : StreamFormat.NetTrace6,
        rundownKeyword: 0n,
        collectsStacks: true,
        bufferMode: 0,
        providers: [
          {
            name: 'Microsoft-Diagnostics-DiagnosticSource',
            keywords: 3n,
            level: 5,
            arguments: `FilterAndPayloadSpecs="${SPECS}"`,
          },
        ],
      });
      const trace = readAll(session.stream);
      await app.hears(app.said.length + 3);
      await session.stop();
      const seen = new Map<string, object>();
      for await (const event of await openTrace(await trace)) {
        const { SourceName, EventName, Arguments = [] } = event.payload as Record<string, string>;
        const pairs = (Arguments as unknown as { Key: string; Value: string }[]).map(({ Key, Value }) => [
          Key,
          Value,
        ]);
        const key = `${event.name} ${SourceName ?? ''} ${EventName ?? ''}`.trim();
        if (!seen.has(key))
          seen.set(key, { ...Object.fromEntries(pairs), hasActivity: event.activityId !== undefined });
      }
      expect(Object.fromEntries(seen)).toMatchObject({
        Message: {},
        'NewDiagnosticListener app:load': {},
        'Activity1Start app:load start': { id: '7', hasActivity: true },
        'Event http.server.request.start message': {
          url: '/a?b=1',
          remotePort: expect.stringMatching(/^\d+$/),
        },
        'Activity1Stop app:load asyncEnd': { id: '7', result: 'hello', hasActivity: true },
      });
      app.tell();
      const { said, stderr } = await app.end();
      expect([said.includes(false), stderr]).toEqual([true, '']);
    });
  },
);
