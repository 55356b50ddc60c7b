/** The machines in which the kernel tests run: what comes out of the command, and what stays inside. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRequired } from '../../scripts/lib/require.mjs';
import { runInVm, VmError, vmUnavailable } from '../../scripts/vm/index.mjs';

/** An emulated machine on a busy processor takes its time. */
const patience = { uml: 60_000, qemu: 180_000 };

for (const kernel of ['uml', 'qemu'] as const) {
  const reason = vmUnavailable(kernel);
  const isSkipped = reason !== undefined && !isRequired(kernel === 'uml' ? 'kernel' : 'qemu');
  const name = isSkipped ? `a command in ${kernel} (skipped: ${reason})` : `a command in ${kernel}`;

  describe.skipIf(isSkipped)(name, { timeout: patience[kernel] }, () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "tracewright it's a test-"));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('returns its exit status, and its stdout and stderr separately', async () => {
      const command = ['sh', '-c', 'echo to stdout; echo to stderr >&2; exit 7'];
      const result = await runInVm(command, { kernel });
      expect(result).toEqual({ status: 7, stdout: 'to stdout\n', stderr: 'to stderr\n' });
    });

    it('returns every byte it wrote, however many', async () => {
      const bytes = 8 * 1024 * 1024;
      const command = ['sh', '-c', `head -c ${bytes} /dev/zero; head -c ${bytes} /dev/zero >&2`];
      const { stdout, stderr } = await runInVm(command, { kernel });
      expect([stdout.length, stderr.length]).toEqual([bytes, bytes]);
    });

    it('receives its arguments verbatim', async () => {
      const words = ["it's", 'two  spaces', '$HOME', 'line\nbreak', '', 'žluťoučký'];
      const { stdout } = await runInVm(['printf', '[%s]', ...words], { kernel });
      expect(stdout).toBe(words.map((word) => `[${word}]`).join(''));
    });

    it('runs as root, in the current directory, on a kernel with user_events', async () => {
      const script = 'id -u; pwd; test -w /sys/kernel/tracing/user_events_data && echo writable';
      const { stdout } = await runInVm(['sh', '-c', script], { kernel });
      expect(stdout).toBe(`0\n${process.cwd()}\nwritable\n`);
    });

    it('can be node', async () => {
      const { stdout } = await runInVm([process.execPath, '-p', 'process.version'], { kernel });
      expect(stdout).toBe(`${process.version}\n`);
    });

    it('cannot change the files of the host', async () => {
      const file = join(folder, 'inside only');
      const { stdout } = await runInVm(['sh', '-c', 'echo new >"$0" && cat "$0"', file], { kernel });
      expect(stdout).toBe('new\n');
      expect(existsSync(file)).toBe(false);
    });

    it('can change the files in a folder that is shared read-write', async () => {
      const [given, made] = [join(folder, 'given'), join(folder, 'made')];
      writeFileSync(given, 'from the host');
      const result = await runInVm(['cp', given, made], { kernel, rw: [folder] });
      expect(result).toEqual({ status: 0, stdout: '', stderr: '' });
      expect(readFileSync(made, 'utf8')).toBe('from the host');
    });

    it('ends the guest, whatever it leaves running', async () => {
      const started = performance.now();
      const { status } = await runInVm(['sh', '-c', 'sleep 1000 & exit 5'], { kernel, timeout: 60 });
      expect(status).toBe(5);
      expect(performance.now() - started).toBeLessThan(60_000);
    });

    it('has status 124 if the time limit ends it, and what it wrote until then', async () => {
      const command = ['sh', '-c', 'echo begun; sleep 1000'];
      const { status, stdout, stderr } = await runInVm(command, {
        kernel,
        timeout: kernel === 'uml' ? 5 : 20,
      });
      expect(status).toBe(124);
      expect(stdout).toBe('begun\n');
      expect(stderr).toMatch(/did not end within the time limit of \d+ s\.\n$/);
    });

    it('does not start if a folder to share does not exist', async () => {
      const rw = [join(folder, 'nowhere')];
      await expect(runInVm(['true'], { kernel, rw })).rejects.toThrow(VmError);
    });
  });
}
