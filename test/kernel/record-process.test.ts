/**
 * `tracewright record --user-events` on two kernels: a process that may not open the kernel's tracer writes to it
 * through a descriptor that the recorder passes, and the file contains all of its events unchanged.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const record = `node ${main} record --user-events`;

interface Written {
  readonly pid: number;
  readonly written: readonly {
    readonly provider: string;
    readonly name: string;
    readonly level: number;
    readonly keywords: string;
  }[];
}

const kernels: readonly { kernel: KernelKind; count: number }[] = [
  { kernel: 'uml', count: 1000 },
  { kernel: 'qemu', count: 200 },
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the script, in which $f is a folder that the guest shares, and whose stderr is in the output. */
const run = (script: string, kernel: KernelKind = 'uml') =>
  runScript(`exec 2>&1; f=${folder}; ${script}`, { kernel, rw: [folder] });

/** Starts the program as $target, in the folder $t without any right to the tracer, and waits until its port is open. */
const target = (sessions: number, count: number) => `
  chmod 700 /sys/kernel/tracing; t=$(mktemp -d); chmod 777 $t
  setpriv --reuid 65534 --regid 65534 --clear-groups node passed-target.mjs $t ${sessions} ${count} & target=$!
  until [ -e $t/ready ]; do kill -0 $target || exit 1; sleep 0.05; done`;

/**
 * Shell: waits until the recorder, which then records, heeds signals. Node.js itself handles SIGINT, and leaves SIGHUP,
 * the lowest bit, alone.
 */
const untilListens = `until grep -q '^SigCgt:.*[13579bdf]$' /proc/$recorder/status; do sleep 0.1; done;`;

/** What has been written, as the program's own listener got it. */
const written = () => JSON.parse(readFileSync(join(folder, 'written.json'), 'utf8')) as Written;

/** What has been recorded, in the same form. */
async function recorded(file: string) {
  const events = await readEvents(join(folder, file));
  const seen = events.map((event) => {
    const { provider, name, id, level, keywords, activityId, relatedActivityId, payload } = event;
    return { provider, name, id, level, keywords, activityId, relatedActivityId, payload };
  });
  const json = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return {
    events: JSON.parse(JSON.stringify(seen, json)) as Written['written'],
    processes: new Set(events.map((event) => event.processId)),
  };
}

for (const { kernel, count } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('a recorded process', kernel), () => {
    it('has all its events in the file, field for field', { timeout: 120_000 }, async () => {
      const output = await run(
        `${target(1, count)}
        ${record} -p $target --provider Passed-Service --provider Other.Service -o $f/perf.data
        wait $target; cp $t/written.json $f
        perf script -i $f/perf.data 2>/dev/null | grep -c 'user_events:tracewright_'`,
        kernel,
      );
      const { written: events, pid } = written();
      expect(events).toHaveLength(5 * count + 1);
      const inFile = await recorded('perf.data');
      expect(inFile.events).toEqual(events);
      expect(inFile.processes).toEqual(new Set([pid]));
      expect(output.split('\n')).toEqual([
        expect.stringMatching(
          new RegExp(
            `^Recorded ${5 * count + 1} events of 2 tracepoints .*, none lost\\. Process ${pid} has ended\\.$`,
          ),
        ),
        String(5 * count + 1),
        '',
      ]);
    });

    it('can be recorded twice at once, each time as requested', { timeout: 120_000 }, async () => {
      await run(
        `${target(2, count)}
        ${record} -p $target --provider Passed-Service:2:4 -o $f/some.data & some=$!
        ${record} -p $target --provider Passed-Service --level 5 -o $f/all.data & all=$!
        wait $target $some $all; cp $t/written.json $f`,
        kernel,
      );
      const ofService = written().written.filter(({ provider }) => provider === 'Passed-Service');
      expect((await recorded('all.data')).events).toEqual(ofService);
      const some = ofService.filter(
        ({ level, keywords }) => level <= 4 && (keywords === '0' || keywords === '2'),
      );
      expect(some).toHaveLength(3 * count);
      expect((await recorded('some.data')).events).toEqual(some);
    });
  });
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('a process and its recorder', 'uml'), () => {
  it.each([
    ['Ctrl-C', '', 'kill -INT $recorder'],
    ['the end of --duration', '--duration 1', ''],
  ])(
    'separate at %s, and nothing is left of the recording',
    { timeout: 60_000 },
    async (_, options, kill) => {
      const output = await run(
        `${target(99, 1)}
      ${record} -p $target --provider Passed-Service ${options} -o $f/perf.data & recorder=$!
      ${kill === '' ? '' : `${untilListens} ${kill}`}
      wait $recorder; echo "status $?"
      while ls /sys/kernel/tracing/events/user_events 2>/dev/null | grep -q tracewright_; do sleep 0.1; done
      ls /sys/kernel/tracing/events/user_events 2>/dev/null | grep -c tracewright_
      kill -0 $target && echo 'The target goes on.'; kill $target`,
      );
      expect(output.split('\n')).toEqual([
        expect.stringMatching(/^Recorded 0 events of 1 tracepoint .*, none lost\.$/),
        'status 0',
        '0',
        'The target goes on.',
        '',
      ]);
    },
  );

  it('cannot connect if either is unable to', { timeout: 60_000 }, async () => {
    const output = await run(
      `cd /tmp; sleep 100 & sleeper=$!
      ${record} -p $sleeper --provider A 2>&1 | sed "s/$sleeper/PID/"
      ${record} -p 999999 --provider A
      cd -; ${target(99, 1)}
      cd $t; setpriv --reuid 65534 --regid 65534 --clear-groups ${record} -p $target --provider A
      kill $target $sleeper`,
    );
    expect(output.split('\n').filter((line) => line.startsWith('tracewright:'))).toEqual([
      'tracewright: Process PID has no diagnostic port, and none can be opened in it, because it runs sleep, not Node.js. .NET programs have one unless DOTNET_EnableDiagnostics=0.',
      'tracewright: There is no process 999999.',
      expect.stringMatching(
        /^tracewright: This user may not read the tracepoints in .* \(EACCES\)\. As root: /,
      ),
    ]);
  });
});
