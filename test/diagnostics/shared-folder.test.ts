/** Containers that share their temporary folder: each process has its own port there, whatever their ids. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiagnosticsClient } from '../../lib/diagnostics/client/diagnostics-client.ts';
import { findPort, listPorts } from '../../lib/diagnostics/client/find-port.ts';
import { named } from '../platforms.ts';

const UNSHARE = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const canUnshare = process.platform === 'linux' && spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
const skipReason = canUnshare ? undefined : 'this user cannot make pid namespaces';
const DIAGNOSTICS = new URL('../../dist/diagnostics/index.js', import.meta.url).href;

let folder: string;
let ends: (() => void)[];
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-shared-');
  ends = [];
});
afterEach(() => {
  for (const end of ends) end();
  rmSync(folder, { recursive: true, force: true });
});

/** A process with id 1 of a namespace of its own. */
async function container(program: string): Promise<{ processId: number; said: string }> {
  const child = spawn('unshare', [...UNSHARE, process.execPath, '--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(() => child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return { processId: Number.parseInt(children, 10), said: said.toString().trim() };
}

const WITH_PORT = `
  import { enableDiagnostics } from ${JSON.stringify(DIAGNOSTICS)};
  console.log(enableDiagnostics().address);
  setInterval(() => {}, 1000);`;
const WITHOUT_PORT = "console.log('nothing'); setInterval(() => {}, 1000);";

describe.skipIf(skipReason !== undefined)(named('two containers with one folder', skipReason), () => {
  it('have sockets with the numbers of their pid namespaces, and each is found by its process', async () => {
    const containers = await Promise.all([container(WITH_PORT), container(WITH_PORT)]);
    for (const { processId, said } of containers) {
      const namespace = /\d+/.exec(readlinkSync(`/proc/${processId}/ns/pid`))?.[0];
      expect(basename(said)).toMatch(new RegExp(`^dotnet-diagnostic-1-\\d+${namespace}-socket$`));
      expect(basename(await findPort(processId))).toBe(basename(said));
      expect((await DiagnosticsClient.at(await findPort(processId), processId).processInfo()).processId).toBe(
        1n,
      );
    }
    const found = await listPorts((processId) => containers.some((each) => each.processId === processId));
    expect(found.map(({ processId }) => processId).sort()).toEqual(
      containers.map(({ processId }) => processId).sort(),
    );
  });

  it('do not have the port of the other', async () => {
    await container(WITH_PORT);
    const { processId } = await container(WITHOUT_PORT);
    expect(readFileSync(join('/proc', String(processId), 'status'), 'utf8')).toMatch(/^NSpid:.*\s1$/m);
    await expect(findPort(processId)).rejects.toMatchObject({ code: 'no-port' });
  });
});
