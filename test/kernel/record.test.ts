/**
 * `tracewright record` on two kernels: its recordings compared with perf's, nothing missing from the first event on,
 * reported losses, every way to end it, and its messages when it cannot record.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceStats } from '../../lib/index.ts';
import { openTrace } from '../../lib/trace/index.ts';
import { type KernelKind, programs, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const record = `node ${main} record`;

const TICK = 'user_events:Recorded_Service_L4K0';
const TENTH = 'user_events:Recorded_Service_L5K2';

interface ProgramResult {
  readonly stats: SourceStats;
  readonly pid: number;
  /** Of the first tick that it has not written. */
  readonly number: number;
}

const kernels: readonly { kernel: KernelKind; count: number; seconds: number }[] = [
  { kernel: 'uml', count: 1000, seconds: 10 },
  { kernel: 'qemu', count: 200, seconds: 3 },
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the script, in which $f is a folder that the guest shares, and whose stderr is in the output. */
function run(script: string, kernel: KernelKind = 'uml'): Promise<string> {
  return runScript(`exec 2>&1; f=${folder}; ${script}`, { kernel, rw: [folder] });
}

const recordedBytes = (file: string) => readFileSync(join(folder, file));

/** Shell: waits until far more than 1,000 events are in the file. */
const untilLarge = 'until [ "$(stat -c %s $f/our.data)" -gt 500000 ]; do sleep 0.1; done;';

/** All that the recorded events have, but their times. */
async function eventsOf(file: string) {
  const events = await readEvents(join(folder, file));
  return events.map((event) => {
    const { timestamp, timeSinceStart, position, ...others } = event.toJSON();
    return { ...others, name: event.name, processId: event.processId, payload: event.payload };
  });
}

async function lostIn(file: string): Promise<number> {
  const trace = await openTrace(join(folder, file));
  for await (const _ of trace.batches());
  return trace.lostEvents;
}

const resultIn = (output: string) => JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '') as ProgramResult;
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

for (const { kernel, count, seconds } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('a recording', kernel), () => {
    /** Of a program that writes so many, and a tenth of it besides. */
    const written = count + count / 10;

    it("contains the same as perf record's, and perf script prints both alike", {
      timeout: 120_000,
    }, async () => {
      const perf = `perf record -q -a -k mono -e ${TICK} -e ${TENTH} -o $f/perf.data node recorded.mjs ${count}`;
      const withoutTimes = `sed 's/ [0-9.]*: / /'`;
      const output = await run(
        `${record} -o $f/our.data --tracepoint ${TICK} --tracepoint ${TENTH} -- ${perf}
        perf script -i $f/our.data 2>/dev/null | ${withoutTimes} >$f/our.txt
        perf script -i $f/perf.data 2>/dev/null | ${withoutTimes} >$f/perf.txt`,
        kernel,
      );
      const events = await eventsOf('our.data');
      expect(events).toHaveLength(written);
      expect(new Set(events.map((event) => event.processId))).toEqual(new Set([resultIn(output).pid]));
      expect(events).toEqual(await eventsOf('perf.data'));
      const ourText = recordedBytes('our.txt').toString();
      expect(ourText.split('\n')).toHaveLength(written + 1);
      expect(ourText).toBe(recordedBytes('perf.txt').toString());
      expect(output).toContain(`Recorded ${written} events of 2 tracepoints into ${folder}/our.data (`);
    });

    it('contains the first event of a program that it runs, and all others', {
      timeout: 120_000,
    }, async () => {
      const output = await run(`${record} -o $f/our.data -- sh -c 'node recorded.mjs ${count}'`, kernel);
      expect(resultIn(output).stats).toMatchObject({ written, dropped: {} });
      const ticks = (await eventsOf('our.data')).filter(({ name }) => name === 'Tick');
      expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(count));
      expect(output).toMatch(/, none lost\.\nsh exited with status 3\.\n$/);
    });

    it('loses nothing of a program that writes as fast as it can', { timeout: 180_000 }, async () => {
      // Into the guest's memory first: QEMU shares folders at a tenth of the speed of a disk.
      const output = await run(
        `${record} -o /run/our.data -- node recorded.mjs 1000 ${seconds}; cp /run/our.data $f`,
        kernel,
      );
      const { stats } = resultIn(output);
      expect(output).toContain(`Recorded ${stats.written} events of 2 tracepoints`);
      expect(output).toContain(', none lost.');
      expect(await eventsOf('our.data')).toHaveLength(stats.written);
    });
  });
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('a recording, in all cases,', 'uml'), () => {
  it('says exactly how many events did not fit into a small buffer', { timeout: 60_000 }, async () => {
    const output = await run(`${record} --buffer-size 64KiB -o $f/our.data -- node recorded.mjs 1000 --held`);
    const { written } = resultIn(output).stats;
    const [, events, lost] = /Recorded (\d+) events .*, (\d+) lost/.exec(output) ?? [];
    expect(Number(lost)).toBeGreaterThan(0);
    // Names of threads that the system's other programs have started may be among what was lost.
    const names = Number(events) + Number(lost) - written;
    expect(names).toBeGreaterThanOrEqual(0);
    expect(names).toBeLessThan(20);
    expect(await lostIn('our.data')).toBe(Number(lost));
    expect(await eventsOf('our.data')).toHaveLength(Number(events));
  });

  it('contains the events of a program that started before it', { timeout: 60_000 }, async () => {
    await run(`node recorded.mjs 100 --until /run/over & program=$!
      until [ -e /sys/kernel/tracing/events/${TICK.replace(':', '/')} ]; do sleep 0.1; done
      ${record} -o $f/our.data & recorder=$!
      ${untilLarge} kill -INT $recorder; wait $recorder
      touch /run/over; wait $program; [ $? = 3 ]`);
    const ticks = (await eventsOf('our.data')).filter(({ name }) => name === 'Tick');
    const seen = ticks.map(({ payload }) => payload.number as number);
    expect(seen.length).toBeGreaterThan(1000);
    expect(seen).toEqual(numbers(seen.length).map((number) => number + (seen[0] ?? 0)));
  });

  it('soon contains those of a program that starts later and does not announce itself', {
    timeout: 60_000,
  }, async () => {
    const output = await run(`${record} -o $f/our.data & recorder=$!
      until [ -s $f/our.data ]; do sleep 0.1; done
      node recorded.mjs 100 --until /run/over & program=$!
      ${untilLarge} touch /run/over; wait $program
      kill -INT $recorder; wait $recorder`);
    const ticks = (await eventsOf('our.data')).filter(({ name }) => name === 'Tick');
    expect(ticks.length).toBeGreaterThan(1000);
    // From the first one that is recorded, none is missing. The program counts a few more: the kernel wants them from
    // the moment that the recorder opens the tracepoint, and has them recorded as soon as the file tells of it.
    const { number: end, stats } = resultIn(output);
    expect(ticks.map(({ payload }) => payload.number)).toEqual(
      numbers(ticks.length).map((number) => number + end - ticks.length),
    );
    expect(stats.written).toBeGreaterThanOrEqual(ticks.length);
  });

  it('selects the requested providers, levels and keywords', { timeout: 60_000 }, async () => {
    const output = await run(`
      for options in '--provider Recorded-Service' '--provider Recorded-Service --level 4' '--keywords 4' \\
          '--keywords 0x2' '--provider Nobody' '--tracepoint ${TENTH}' '--tracepoint sched:sched_process_exit'; do
        ${record} -o $f/our.data $options -- node recorded.mjs 100
      done
      perf script -i $f/our.data 2>/dev/null | grep -m1 -o 'sched:sched_process_exit: comm=node'`);
    const counts = [...output.matchAll(/Recorded (\d+) events of (\d)/g)].map(([, ...each]) =>
      each.map(Number),
    );
    expect(counts.slice(0, -1)).toEqual([
      [110, 2],
      [100, 1],
      [100, 1],
      [110, 2],
      [0, 0],
      [10, 1],
    ]);
    expect(counts.at(-1)).toEqual([expect.any(Number), 1]);
    expect(output).toContain('No program had registered a matching tracepoint.');
    expect(output).toContain('sched:sched_process_exit: comm=node');
  });

  it.each([
    ['Ctrl-C', 'kill -INT $recorder', 'SIGINT', 130],
    ['SIGTERM', 'kill -TERM $recorder', 'SIGTERM', 143],
    ['the time', '-', 'SIGTERM', 0],
  ])(
    'ended by %s halfway is complete, and ends the program',
    { timeout: 60_000 },
    async (_, kill, signal, status) => {
      const duration = kill === '-' ? '--duration 4' : '';
      const output =
        await run(`${record} ${duration} -o $f/our.data -- node recorded.mjs 10 --until /run/never & recorder=$!
      ${kill === '-' ? '' : `${untilLarge} ${kill}`}
      wait $recorder; echo "status $?"`);
      expect(output).toMatch(new RegExp(`node was ended by ${signal}\\.\\nstatus ${status}\\n$`));
      const ticks = (await eventsOf('our.data')).filter(({ name }) => name === 'Tick');
      expect(ticks.length).toBeGreaterThan(1000);
      expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(ticks.length));
    },
  );

  it('ends at once with a second Ctrl-C, even if the program does not', { timeout: 60_000 }, async () => {
    const stubborn = `process.on('SIGINT', () => {}); setTimeout(() => {}, 60_000); fs.writeFileSync('/run/ready', '')`;
    const output = await run(`${record} -o $f/our.data -- node -e "${stubborn}" 2>/run/said & recorder=$!
      until [ -e /run/ready ]; do sleep 0.1; done
      kill -INT $recorder; until grep -q Recorded /run/said; do sleep 0.1; done
      sleep 1; kill -INT $recorder
      wait $recorder; status=$?; cat /run/said; echo "status $status"`);
    expect(output).toMatch(/^Recorded 0 events .*\nstatus 130\n$/);
  });

  it('keeps the existing file', async () => {
    await run(`echo old >$f/our.data; ${record} -o $f/our.data -- node recorded.mjs 10`);
    expect(recordedBytes('our.data.old').toString()).toBe('old\n');
    expect(await eventsOf('our.data')).toHaveLength(11);
  });

  it('on a full disk contains the beginning, and says so', { timeout: 60_000 }, async () => {
    const output = await run(`mkdir /run/full && mount -t tmpfs -o size=1m none /run/full
      ${record} -o /run/full/our.data -- node recorded.mjs 1000 5; echo "status $?"
      cp /run/full/our.data $f`);
    expect(output).toMatch(
      /^Recorded \d+ events of 2 tracepoints into \/run\/full\/our\.data \(.*\), and lost everything after them\.\n/,
    );
    expect(output).toContain(
      'tracewright: Writing /run/full/our.data failed (ENOSPC): it has the beginning of the recording.\n' +
        'The recording has ended; node goes on.\n',
    );
    // It has written all, to its end.
    expect(output).toMatch(/"number":\d+\}\nnode exited with status 3\.\nstatus 3\n$/);
    const ticks = (await eventsOf('our.data')).filter(({ name }) => name === 'Tick');
    expect(ticks.length).toBeGreaterThan(1000);
    expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(ticks.length));
  });

  it('without permission says which one is missing and how to get it, until it works', async () => {
    const asNobody = 'setpriv --reuid 65534 --regid 65534 --clear-groups';
    const output = await run(`cd /tmp && mkdir -m 777 nobody && cd nobody
      try() { ${asNobody} ${record} -o our.data -- true; }
      try
      mount -o remount,mode=755,gid=65534 /sys/kernel/tracing
      try
      echo -1 >/proc/sys/kernel/perf_event_paranoid
      try`);
    expect(output.split('\n')).toEqual([
      'tracewright: This user may not read the tracepoints in /sys/kernel/tracing (EACCES). ' +
        'As root: mount -o remount,mode=755,gid=65534 /sys/kernel/tracing ' +
        'Without root: tracewright collect -- COMMAND',
      'tracewright: This user may not record the whole system (EACCES; kernel.perf_event_paranoid is 2). ' +
        'As root: sysctl kernel.perf_event_paranoid=-1 ' +
        'Without root: tracewright collect -- COMMAND',
      expect.stringMatching(/^Recorded 0 events/),
      'true exited with status 0.',
      '',
    ]);
  });

  it('uses another way if the kernel has no tracer', { timeout: 60_000 }, async () => {
    const output = await run(`cd $f; umount /sys/kernel/tracing /sys/kernel/debug
      ${record} -- node ${programs}/recorded.mjs 100
      ${record} --tracepoint ${TICK} -- true
      ${record}; echo "status $?"`);
    expect(output.split('\n').filter((line) => !line.startsWith('{'))).toEqual([
      'There are no tracepoints in /sys/kernel/tracing: tracefs is not mounted. ' +
        'node is recorded through EventPipe instead, into trace.nettrace.',
      expect.stringMatching(/^Collected \d+\.\d kB into trace\.nettrace\. Process \d+ has ended\.$/),
      'node exited with status 3.',
      ...['', ''].map(
        () =>
          'tracewright: There are no tracepoints in /sys/kernel/tracing. ' +
          'As root: mount -t tracefs nodev /sys/kernel/tracing',
      ),
      'status 1',
      '',
    ]);
    const events = await eventsOf('trace.nettrace');
    expect(events.filter(({ name }) => ['Tick', 'Tenth'].includes(name))).toHaveLength(110);
  });

  it('says what it cannot record, run or write', async () => {
    const output = await run(`${record} -o $f/a --tracepoint nosuch:thing
      ${record} -o $f/b -- /nonexistent
      ${record} -o $f/no/c -- true; echo "status $?"`);
    expect(output.split('\n').filter((line) => !line.startsWith('Recorded'))).toEqual([
      'tracewright: There is no tracepoint nosuch:thing.',
      'tracewright: /nonexistent could not be started (ENOENT).',
      `tracewright: ${folder}/no/c cannot be written (ENOENT).`,
      'status 1',
      '',
    ]);
  });
});
