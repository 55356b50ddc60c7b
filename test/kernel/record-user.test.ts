/** The owner of the command and the file of a recording by root. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** With a user "ann" of two groups; $f is a folder that the guest shares. */
const run = (script: string, kernel: KernelKind = 'uml') =>
  runScript(
    `exec 2>&1; f=${folder}; mkdir -m 777 /run/t
    echo 'ann:x:1234:1235:Ann:/home/of/ann:/bin/sh' >>/etc/passwd
    echo 'anns:x:1235:' >>/etc/group; echo 'others:x:1236:ann' >>/etc/group
    ${script}`,
    { kernel, rw: [folder] },
  );

const IDENTITY = `sh -c 'id -u; id -g; id -G; echo $HOME $USER $LOGNAME; grep -E "^(Uid|Gid|CapEff)" /proc/self/status'`;
const ANN = [
  '1234',
  '1235',
  '1235 1236',
  '/home/of/ann ann ann',
  'Uid:\t1234\t1234\t1234\t1234',
  'Gid:\t1235\t1235\t1235\t1235',
  'CapEff:\t0000000000000000',
];
const sudo = 'SUDO_UID=1234 SUDO_GID=1235 SUDO_USER=ann';

for (const kernel of ['uml', 'qemu'] as const satisfies readonly KernelKind[]) {
  describe.skipIf(skipReason(kernel) !== undefined)(
    suiteName('the command of a root recording', kernel),
    () => {
      it('under sudo runs as the invoking user, is recorded from its first event on, and leaves a file owned by that user', {
        timeout: 120_000,
      }, async () => {
        const output = await run(
          `chmod 700 /sys/kernel/tracing
        ${sudo} node ${main} record -o /run/t/perf.data -- ${IDENTITY} | head -7
        ${sudo} node ${main} record -o /run/t/perf.data -- node recorded.mjs 100
        stat -c '%n %u %g %a' /run/t/perf.data /run/t/perf.data.old; cp /run/t/perf.data $f
        ls /tmp | grep tracewright-record; true`,
          kernel,
        );
        const lines = output.trimEnd().split('\n');
        expect(lines.slice(0, 7)).toEqual(ANN);
        expect(lines.slice(-2)).toEqual([
          '/run/t/perf.data 1234 1235 600',
          '/run/t/perf.data.old 1234 1235 600',
        ]);
        const events = await readEvents(join(folder, 'perf.data'));
        const ticks = events.filter(({ name }) => name === 'Tick');
        expect(ticks.map(({ payload }) => payload.number)).toEqual(ticks.map((_, index) => index));
        expect(events).toHaveLength(110);
      });
    },
  );
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('the command of a root recording', 'uml'), () => {
  it('runs as the user given, who may be root', { timeout: 60_000 }, async () => {
    const output = await run(
      `node ${main} record --user ann -o /run/t/a -- ${IDENTITY} | head -7
      node ${main} record --user 1234 -o /run/t/b -- id -u | head -1
      ${sudo} node ${main} record --user root -o /run/t/c -- id -u | head -1
      node ${main} record -o /run/t/d -- id -u | head -1
      stat -c '%n %u' /run/t/a /run/t/b /run/t/c /run/t/d
      node ${main} record --user nobody-of-that-name -o /run/t/e -- true; ls /run/t/e
      setpriv --reuid 1234 --regid 1235 --clear-groups node ${main} record --user root -o /run/t/f -- true; true`,
    );
    const lines = output.split('\n').filter((line) => !/^(Recorded|sh exited|id exited)/.test(line));
    expect(lines.slice(0, 14)).toEqual([
      ...ANN,
      '1234',
      '0',
      '0',
      ...['a 1234', 'b 1234', 'c 0', 'd 0'].map((each) => `/run/t/${each}`),
    ]);
    expect(output).toContain('There is no user "nobody-of-that-name".');
    expect(output).toContain('--user needs root: run tracewright with sudo, or as that user.');
  });

  it('runs as the invoking user with live, and without a tracer, too', { timeout: 60_000 }, async () => {
    const output = await run(
      `chmod 700 /sys/kernel/tracing
      ${sudo} node ${main} live -- sh -c 'id -u; node recorded.mjs 10'
      umount /sys/kernel/tracing
      cd /run/t; ${sudo} node ${main} record -- node ${'$OLDPWD'}/recorded.mjs 10
      stat -c '%u %g %a' trace.nettrace`,
    );
    expect(output).toMatch(/^1234$/m);
    expect(output).toContain('Showed 11 events of 2 tracepoints, none lost.');
    expect(output).toMatch(/\n1234 1235 600\n$/);
  });

  it('leaves the existing file alone if it cannot be recorded', { timeout: 60_000 }, async () => {
    const output = await run(
      `cd /run/t; echo 1 >a; echo 2 >a.old; mkdir b.old; echo 3 >b; mkfifo c; ln -s /run/planted d
      node ${main} record --tracepoint nosuch:thing -o a
      node ${main} record -o b -- true; node ${main} record -o c -- true; node ${main} record -o d -- true
      cat a a.old b; ls; ls /run/planted; true`,
    );
    const lines = output.split('\n').filter((line) => !/^(Recorded|true exited)/.test(line));
    expect(lines).toEqual([
      'tracewright: There is no tracepoint nosuch:thing.',
      'tracewright: b cannot be written (EISDIR).',
      'tracewright: c cannot be written (it is a pipe).',
      '1',
      '2',
      '3',
      ...['a', 'a.old', 'b', 'b.old', 'c', 'd'],
      expect.stringContaining('/run/planted'),
      '',
    ]);
  });
});
