/** The diagnostic port of applications: opening it, what it provides, and that the application does not notice it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiagnosticsClient } from '../../lib/diagnostics/client/diagnostics-client.ts';
import { findPort, listPorts } from '../../lib/diagnostics/client/find-port.ts';
import { ReverseServer } from '../../lib/diagnostics/client/reverse-server.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import type { StreamingTracing } from '../../lib/wire/diagnostics-ipc/tracing.ts';
import { itEach } from '../at-length.ts';
import { linuxOnly, missingOnWindows, named } from '../platforms.ts';
import { readAll } from './client/fake-client.ts';
import { INDEX, REGISTER, RunningApp } from './running-app.ts';
import { PORTS } from './server/byte-target.ts';

vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let apps: RunningApp[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-port-'));
  apps = [];
});
afterEach(() => {
  for (const app of apps) app.kill();
  rmSync(folder, { recursive: true, force: true });
});

function run(program: string, env: NodeJS.ProcessEnv = {}, options: readonly string[] = []): RunningApp {
  const app = new RunningApp(program, { TMPDIR: folder, ...env }, options);
  apps.push(app);
  return app;
}

const sockets = () => readdirSync(folder).filter((name) => name.startsWith('dotnet-diagnostic-'));
/** Runs until its standard input ends. */
const WAIT = 'process.stdin.resume();';

const tracing: StreamingTracing = {
  sessionType: 'streaming',
  bufferMegabytes: 64,
  format: 1,
  rundownKeyword: 0n,
  collectsStacks: true,
  bufferMode: 0,
  providers: [{ name: 'App', keywords: 0xffff_ffff_ffff_ffffn, level: 5, arguments: '' }],
};

async function numbersIn(trace: Uint8Array): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const event of await openTrace(trace)) {
    if (event.provider === 'App') numbers.push(event.payload.n);
  }
  return numbers;
}

describe.skipIf(missingOnWindows('Unix sockets') !== undefined)(
  named('an application with a diagnostic port', missingOnWindows('Unix sockets')),
  () => {
    it('is found by its process id, and in the list', async () => {
      const app = run(`say(enableDiagnostics().address); ${WAIT}`);
      expect(await app.hears()).toBe(join(folder, sockets()[0] ?? ''));
      expect(await DiagnosticsClient.at(await findPort(app.pid), app.pid).processInfo()).toMatchObject({
        processId: BigInt(app.pid),
        productVersion: process.versions.node,
      });
      expect((await listPorts()).map(({ processId }) => processId)).toContain(app.pid);
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
      expect(sockets()).toEqual([]);
    });

    it('has one port, however often it is enabled', async () => {
      const app = run(`
      const first = enableDiagnostics();
      say(enableDiagnostics({ exposeSecrets: true }) === first);
      await first.close();
      await first.close();
      const second = enableDiagnostics();
      say([second === first, second.address === first.address]);
      await second[Symbol.asyncDispose]();`);
      expect(await app.end()).toEqual({ status: 0, said: [true, [false, true]], stderr: '' });
      expect(sockets()).toEqual([]);
    });

    it('can wait at its end until the port is closed, even if a client reads nothing', async () => {
      const app = run(`
      const log = defineEventSource('App', { Bulk: event({ text: 'string' }) });
      const port = enableDiagnostics();
      say(port.address);
      process.stdin.once('end', async () => {
        for (let i = 0; i < 1000; i++) log.Bulk({ text: 'x'.repeat(4000) });
        await port.close();
        say('closed');
      }).resume();`);
      const client = DiagnosticsClient.at((await app.hears()) as string, app.pid);
      const session = await client.collectTracing(tracing);
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, said: [expect.anything(), 'closed'], stderr: '' });
      session.close();
    });

    it('has it where its address says', async () => {
      const app = run(`say(enableDiagnostics({ folder: ${JSON.stringify(folder)} }).address); ${WAIT}`, {
        TMPDIR: '/nowhere',
      });
      expect(await app.hears()).toBe(join(folder, sockets()[0] ?? ''));
    });

    it('keeps it when its folder or its umask changes', async () => {
      const app = run(`
      process.umask(0o777);
      process.chdir(${JSON.stringify(folder)});
      say(enableDiagnostics({ folder: '.' }).address);
      process.chdir('/');
      ${WAIT}`);
      const address = (await app.hears()) as string;
      expect((await DiagnosticsClient.at(address, app.pid).processInfo()).processId).toBe(BigInt(app.pid));
      app.tell();
      await app.end();
      expect(sockets()).toEqual([]);
    });

    it('gets a sentence if there is none, and continues', async () => {
      const app = run(`const { address, problem } = enableDiagnostics(); say([address ?? null, problem]);`, {
        TMPDIR: `${folder}/none`,
      });
      const { status, said, stderr } = await app.end();
      const problem = expect.stringMatching(/^The diagnostic port cannot listen at .*-socket \(ENOENT\)\.$/);
      expect({ status, said }).toEqual({ status: 0, said: [[null, problem]] });
      expect(stderr).toContain('TracewrightWarning: The diagnostic port cannot listen at ');
    });

    it("gets a sentence if the socket's folder is gone", async () => {
      const app = run(`
      import { mkdtempSync, rmdirSync } from 'node:fs';
      const gone = mkdtempSync(${JSON.stringify(`${folder}/gone-`)});
      process.chdir(gone);
      rmdirSync(gone);
      const port = enableDiagnostics({ folder: '.', ports: 'tool', discoverableByRecordTrace: true });
      say([port.address ?? null, typeof port.problem]);`);
      expect((await app.end()).said).toEqual([[null, 'string']]);
    });

    it.each(['DOTNET_EnableDiagnostics', 'DOTNET_EnableDiagnostics_IPC'])(
      'has none with %s=0',
      async (name) => {
        const app = run(
          'const { address, problem } = enableDiagnostics(); say([address ?? null, problem]);',
          {
            [name]: '0',
          },
        );
        expect(await app.end()).toEqual({
          status: 0,
          said: [[null, `${name}=0 disables the diagnostic port of this process.`]],
          stderr: '',
        });
      },
    );

    it('provides what tools request of every process: the sources and the counters of Node.js', async () => {
      const app = run(`
      import { eventSources } from ${JSON.stringify(INDEX)};
      const names = () => eventSources().map(({ name }) => name);
      const before = names();
      enableDiagnostics();
      say([before, names().sort()]);`);
      expect((await app.end()).said).toEqual([
        [
          [],
          [
            'Microsoft-Diagnostics-DiagnosticSource',
            'Node.Runtime',
            'System.Diagnostics.Metrics',
            'System.Runtime',
            'System.Threading.Tasks.TplEventSource',
          ],
        ],
      ]);
    });

    it('provides them to a tool that it connects to, too, without a port of its own', async () => {
      const app = run(
        `
      import { eventSources } from ${JSON.stringify(INDEX)};
      const { address } = enableDiagnostics();
      say([address ?? null, eventSources().length]);`,
        { TMPDIR: `${folder}/none`, DOTNET_DiagnosticPorts: `${folder}/tool,nosuspend` },
      );
      expect((await app.end()).said).toEqual([[null, 5]]);
    });

    it('has no port of its own in a worker thread', async () => {
      const app = run(`
      import { Worker } from 'node:worker_threads';
      const module = new URL('./diagnostics/index.js', ${JSON.stringify(REGISTER)}.replace(/diagnostics.*/, ''));
      new Worker(\`import(\${JSON.stringify(module)}).then(({ enableDiagnostics }) => {
        console.log(JSON.stringify(enableDiagnostics().problem));
      })\`, { eval: true });`);
      expect((await app.end()).said).toEqual([
        'A worker thread has no diagnostic port: the main thread opens the one of the process.',
      ]);
    });

    it.each([
      ['{ folders: "/tmp" }', 'The diagnostic port has no option "folders"; the options are folder, ports,'],
      ['{ folder: 7 }', "The diagnostic port's folder must be a string, not 7."],
      ['{ exposeSecrets: "yes" }', "The diagnostic port's exposeSecrets must be a boolean, not 'yes'."],
    ])('rejects a mistake in its options: %s', async (options, sentence) => {
      const app = run(`try { enableDiagnostics(${options}); } catch (error) { say(String(error)); }`);
      expect((await app.end()).said).toEqual([expect.stringContaining(`TypeError: ${sentence}`)]);
    });

    it('does not notice 64 sessions', async () => {
      const app = run(`
      const log = defineEventSource('App', { Ping: event({ n: 'int32' }) });
      say(enableDiagnostics().address);
      ${WAIT}`);
      const client = DiagnosticsClient.at((await app.hears()) as string, app.pid);
      const sessions = await Promise.all(Array.from({ length: 64 }, () => client.collectTracing(tracing)));
      await Promise.all(sessions.map((session) => Promise.all([readAll(session.stream), session.stop()])));
      app.tell();
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
    });

    it('sends the events of its worker threads, and its own name, in a session that requests rundown', async () => {
      const app = run(`
      import { Worker } from 'node:worker_threads';
      const log = defineEventSource('App', { Ping: event({ n: 'int32' }) });
      const worker = new Worker(\`
        import(\${JSON.stringify(${JSON.stringify(INDEX)})}).then(({ defineEventSource, event }) => {
          const log = defineEventSource('App', { Ping: event({ n: 'int32' }) });
          let n = 1000;
          setInterval(() => log.Ping({ n: n++ }), 5);
          process.getBuiltinModule('node:worker_threads').parentPort.postMessage('defined');
        });
      \`, { eval: true });
      worker.on('message', say).unref();
      setInterval(() => log.Ping({ n: 1 }), 5).unref();
      say(enableDiagnostics().address);
      ${WAIT}`);
      const client = DiagnosticsClient.at((await app.hears()) as string, app.pid);
      const session = await client.collectTracing({ ...tracing, rundownKeyword: 0x80020139n });
      const reading = readAll(session.stream);
      expect(await app.hears(2)).toBe('defined');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await session.stop();
      const trace = await reading;
      const numbers = (await numbersIn(trace)) as number[];
      expect(numbers.filter((n) => n === 1).length).toBeGreaterThan(3);
      const ofWorker = numbers.filter((n) => n >= 1000);
      expect(ofWorker.length).toBeGreaterThan(3);
      expect(ofWorker).toEqual(ofWorker.map((_, index) => (ofWorker[0] ?? 0) + index));
      const names: string[] = [];
      for await (const { provider, name } of await openTrace(trace)) names.push(`${provider}/${name}`);
      expect(names).toContain('Microsoft-DotNETCore-EventPipe/ProcessInfo');
    });

    it.each([
      ['comes to its end', '', 0],
      ['exits', 'process.exit(3);', 3],
      ['throws', 'throw new Error("thrown");', 1],
    ])('that %s sends its sessions what it has written until then', async (_, ending, status) => {
      const app = run(`
      const log = defineEventSource('App', { Ping: event({ n: 'int32', text: 'string' }) });
      say(enableDiagnostics().address);
      const text = 'x'.repeat(500);
      process.stdin.on('end', () => {
        for (let n = 0; n < 2000; n++) log.Ping({ n, text });
        ${ending}
      }).resume();`);
      const client = DiagnosticsClient.at((await app.hears()) as string, app.pid);
      const session = await client.collectTracing(tracing);
      const reading = readAll(session.stream);
      app.tell();
      // Two megabytes, which no socket takes at once.
      expect(await numbersIn(await reading)).toEqual(Array.from({ length: 2000 }, (_, n) => n));
      expect((await app.end()).status).toBe(status);
    });
  },
);

describe.skipIf(missingOnWindows('Unix sockets') !== undefined)(
  named('an application that was started with the wish for a port', missingOnWindows('Unix sockets')),
  () => {
    it('has one through tracewright alone', async () => {
      const app = run(`say('here'); ${WAIT}`, { TRACEWRIGHT_DIAGNOSTICS: '1' });
      await vi.waitFor(() => expect(sockets()).toHaveLength(1), { timeout: 10_000 });
      expect((await DiagnosticsClient.at(await findPort(app.pid), app.pid).processInfo()).processId).toBe(
        BigInt(app.pid),
      );
    });

    it('has none without the setting, and loads none of its code', async () => {
      const app = run(`
      await new Promise((resolve) => setTimeout(resolve, 100));
      say(process.getActiveResourcesInfo());`);
      expect(await app.end()).toMatchObject({ status: 0, stderr: '' });
      expect(sockets()).toEqual([]);
    });

    it('waits before running its code for a tool that wants its first events', async () => {
      const address = join(folder, 'tool');
      const tool = await ReverseServer.listen(address);
      const app = run(
        `const log = defineEventSource('App', { Ping: event({ n: 'int32' }) }); log.Ping({ n: 1 }); say('ran');`,
        { DOTNET_DiagnosticPorts: address },
        ['--import', REGISTER],
      );
      const client = new DiagnosticsClient(await tool.arrived());
      const session = await client.collectTracing(tracing);
      const reading = readAll(session.stream);
      expect(app.said).toEqual([]);
      await client.resumeRuntime();
      expect(await numbersIn(await reading)).toEqual([1]);
      expect(await app.end()).toEqual({ status: 0, said: ['ran'], stderr: '' });
      tool.close();
    });

    it.each([true, false])(
      'continues when its tool has gone with its folder, having connected: %s',
      async (hasMet) => {
        const gone = mkdtempSync(join(folder, 'tool-'));
        const address = join(gone, 'port');
        const tool = hasMet ? await ReverseServer.listen(address) : undefined;
        if (!hasMet) rmSync(gone, { recursive: true });
        const app = run('say("ran");', { DOTNET_DiagnosticPorts: address }, ['--import', REGISTER]);
        if (tool !== undefined) {
          await tool.arrived();
          tool.close();
          rmSync(gone, { recursive: true });
        }
        expect(await app.end()).toEqual({ status: 0, said: ['ran'], stderr: '' });
      },
    );

    // Earlier versions of Node.js let everybody connect.
    if (process.allowedNodeEnvironmentFlags.has('--allow-net')) {
      it('does not wait if it may not connect', async () => {
        const permissions = ['--permission', '--allow-fs-read=*'];
        const env = { DOTNET_DiagnosticPorts: join(folder, 'tool') };
        const app = run('say("ran");', env, [...permissions, '--import', REGISTER]);
        expect(await app.end()).toMatchObject({ status: 0, said: ['ran'] });
      });
    }

    /** By a tool that is killed: its socket stays, and nobody listens behind it. */
    function leaveBehind(path: string): void {
      const listen = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
      spawnSync(process.execPath, ['-e', listen]);
      expect(existsSync(path)).toBe(true);
    }
    const WAITS = 'awaiting a Diagnostics IPC ResumeStartup command from a diagnostic port';

    itEach(1, PORTS)('continues at once if the tool that started it was killed, %s', async (_, flags) => {
      const privateFolder = join(folder, 'tracewright-aB3_x9');
      mkdirSync(privateFolder);
      leaveBehind(join(privateFolder, 'port'));
      const env = { DOTNET_DiagnosticPorts: `${privateFolder}/port,connect,suspend` };
      const app = run('say("ran");', env, [...flags, '--import', REGISTER]);
      const begin = performance.now();
      expect(await app.end()).toEqual({ status: 0, said: ['ran'], stderr: '' });
      // Less than what it waits for others.
      expect(performance.now() - begin).toBeLessThan(4500);
    });

    itEach(1, PORTS)('continues if nobody has listened at a socket for 5 seconds, %s', async (_, flags) => {
      const address = join(folder, 'tool');
      leaveBehind(address);
      const app = run('say("ran");', { DOTNET_DiagnosticPorts: address }, [...flags, '--import', REGISTER]);
      const { status, said, stderr } = await app.end();
      expect({ status, said }).toEqual({ status: 0, said: ['ran'] });
      expect(stderr).toContain(`${WAITS} (DOTNET_DiagnosticPorts="${address}", `);
      expect(stderr).toContain(
        `Nothing listens at "${address}" any more: the process starts without a tool.`,
      );
    });

    it('says after 5 seconds what it waits for and what to do, and keeps waiting', async () => {
      const address = join(folder, 'tool');
      const app = run(
        'say("ran");',
        { DOTNET_DiagnosticPorts: address, DOTNET_DefaultDiagnosticPortSuspend: '1' },
        ['--import', REGISTER],
      );
      await vi.waitFor(() => expect(app.stderr).toContain(WAITS), { timeout: 25_000 });
      expect(app.stderr).toContain(
        `(DOTNET_DiagnosticPorts="${address}", DOTNET_DefaultDiagnosticPortSuspend=1). ` +
          "Have a tool resume it at the process's own port, or unset DOTNET_DefaultDiagnosticPortSuspend. " +
          `Start a tool that listens at "${address}", such as "tracewright collect --diagnostic-port ${address}", ` +
          'or add ",nosuspend" to that port.',
      );
      expect(app.said).toEqual([]);
      const tool = await ReverseServer.listen(address);
      await new DiagnosticsClient(await tool.arrived()).resumeRuntime();
      await DiagnosticsClient.at(await findPort(app.pid), app.pid).resumeRuntime();
      expect(await app.end()).toMatchObject({ status: 0, said: ['ran'] });
      tool.close();
    });

    it('does not wait if nobody can resume it', async () => {
      const address = `${folder}/${'long'.repeat(50)}`;
      const app = run('say("ran");', { DOTNET_DiagnosticPorts: `${address};,x` }, ['--import', REGISTER]);
      const { status, said, stderr } = await app.end();
      expect({ status, said }).toEqual({ status: 0, said: ['ran'] });
      expect(stderr).toContain('The path of a socket can have at most');
      expect(stderr).toContain('The diagnostic port ",x" has no setting "x".');
    });
  },
);

describe.skipIf(linuxOnly('/proc/PID/maps') !== undefined)(
  named('an application that record-trace is to find', linuxOnly('/proc/PID/maps')),
  () => {
    it('has a second socket in /tmp, and a mapping like that of .NET', async () => {
      const app = run(`
      say(enableDiagnostics({ discoverableByRecordTrace: true }).problem ?? null);
      ${WAIT}`);
      expect(await app.hears()).toBe(null);
      const [name = ''] = sockets();
      const client = DiagnosticsClient.at(join('/tmp', name), app.pid);
      expect((await client.processInfo()).processId).toBe(BigInt(app.pid));
      expect(readFileSync(`/proc/${app.pid}/maps`, 'latin1')).toMatch(/r-xs .* \/memfd:doublemapper/);
      app.tell();
      await app.end();
      expect(existsSync(join('/tmp', name))).toBe(false);
    });

    it('can be found without any code of its own', async () => {
      const app = run(`say('here'); ${WAIT}`, { TRACEWRIGHT_RECORD_TRACE: '1' });
      await vi.waitFor(() => expect(sockets()).toHaveLength(1), { timeout: 10_000 });
      const [name = ''] = sockets();
      const client = DiagnosticsClient.at(join('/tmp', name), app.pid);
      expect((await client.processInfo()).processId).toBe(BigInt(app.pid));
      expect(readFileSync(`/proc/${app.pid}/maps`, 'latin1')).toContain('/memfd:doublemapper');
    });

    it('has one socket if /tmp is its folder', async () => {
      const app = run('say(enableDiagnostics({ discoverableByRecordTrace: true }).problem ?? null);', {
        TMPDIR: '/tmp',
      });
      expect(await app.end()).toEqual({ status: 0, said: [null], stderr: '' });
    });
  },
);
