/**
 * `tracewright record` on two kernels where perf events are refused but tracefs is not: a root without capabilities, as
 * in containers. It records anyway, and says how.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceStats } from '../../lib/index.ts';
import { openTrace } from '../../lib/trace/index.ts';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const powerless = 'setpriv --bounding-set=-all --inh-caps=-all';
const record = `${powerless} node ${main} record`;
/** Named, because the program tells only one recorder of its tracepoints, the one that has started it. */
const tracepoints =
  '--tracepoint user_events:Recorded_Service_L4K0 --tracepoint user_events:Recorded_Service_L5K2';
const NOTICE =
  /^Recording through \/sys\/kernel\/tracing\/instances\/tracewright-\d+, because perf events are refused here \(EACCES\)\.$/m;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the script, in which $f is a folder that the guest shares, and looks that no trace instance is left. */
async function run(script: string, kernel: KernelKind = 'uml'): Promise<string> {
  const output = await runScript(
    `exec 2>&1; f=${folder}; ${script}
    ls -A /sys/kernel/tracing/instances >$f/instances`,
    { kernel, rw: [folder] },
  );
  expect(readFileSync(join(folder, 'instances'), 'utf8')).toBe('');
  return output;
}

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

const resultIn = (output: string) =>
  JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '') as { readonly stats: SourceStats; readonly pid: number };
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

const kernels: readonly { kernel: KernelKind; count: number; seconds: number }[] = [
  { kernel: 'uml', count: 1000, seconds: 10 },
  { kernel: 'qemu', count: 200, seconds: 3 },
];

for (const { kernel, count, seconds } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('a recording through tracefs', kernel), () => {
    it('contains the same as one with perf events, of a program that it starts', {
      timeout: 120_000,
    }, async () => {
      const output = await run(
        `node ${main} record ${tracepoints} -o $f/perf.data -- ${record} -o $f/our.data -- sh -c 'node recorded.mjs ${count}'
        for file in our perf; do
          perf script -i $f/$file.data 2>/dev/null | sed 's/ [0-9.]*: / /' >$f/$file.txt
        done`,
        kernel,
      );
      const written = count + count / 10;
      expect(output).toMatch(NOTICE);
      expect(output).toContain(`Recorded ${written} events of 2 tracepoints into ${folder}/our.data (`);
      const { pid, stats } = resultIn(output);
      expect(stats).toMatchObject({ written, dropped: {} });
      const events = await eventsOf('our.data');
      expect(new Set(events.map((event) => event.processId))).toEqual(new Set([pid]));
      const ticks = events.filter(({ name }) => name === 'Tick');
      expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(count));
      const withPerf = await eventsOf('perf.data');
      expect(events).toEqual(withPerf);
      const text = readFileSync(join(folder, 'our.txt'), 'utf8').split('\n');
      expect(text).toHaveLength(written + 1);
      expect(text).toEqual(readFileSync(join(folder, 'perf.txt'), 'utf8').split('\n'));
    });

    it('accounts for every event of a program that writes as fast as it can', {
      timeout: 180_000,
    }, async () => {
      const output = await run(
        `${record} -o /run/our.data -- node recorded.mjs 1000 ${seconds}; cp /run/our.data $f`,
        kernel,
      );
      const [, events, lost] =
        /Recorded (\d+) events of 2 tracepoints .*, (none|\d+) lost/.exec(output) ?? [];
      // How many are lost is the machine's: an emulated one that is busy is slower than the program.
      const lostCount = lost === 'none' ? 0 : Number(lost);
      expect(Number(events) + lostCount).toBe(resultIn(output).stats.written);
      expect(await lostIn('our.data')).toBe(lostCount);
      expect(await eventsOf('our.data')).toHaveLength(Number(events));
    });

    it('says exactly how many events did not fit into a small buffer', { timeout: 120_000 }, async () => {
      const output = await run(
        `${record} --buffer-size 64KiB -o /run/our.data -- node recorded.mjs 1000 --held; cp /run/our.data $f`,
        kernel,
      );
      const [, events, lost] = /Recorded (\d+) events .*, (\d+) lost/.exec(output) ?? [];
      expect(Number(lost)).toBeGreaterThan(0);
      expect(Number(events) + Number(lost)).toBe(resultIn(output).stats.written);
      expect(await lostIn('our.data')).toBe(Number(lost));
      expect(await eventsOf('our.data')).toHaveLength(Number(events));
    });
  });
}

describe.skipIf(skipReason('uml') !== undefined)(
  suiteName('a recording through tracefs, in all cases,', 'uml'),
  () => {
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

    it('removes its instance even if it is forced to end, and that of a killed recording', {
      timeout: 60_000,
    }, async () => {
      const stubborn = `process.on('SIGINT', () => {}); setTimeout(() => {}, 60_000); fs.writeFileSync('/run/ready', '')`;
      const output = await run(`${record} -o $f/our.data & killed=$!
      until [ -n "$(ls -A /sys/kernel/tracing/instances)" ]; do sleep 0.1; done
      kill -KILL $killed; wait $killed
      ls /sys/kernel/tracing/instances
      ${record} -o $f/our.data -- node -e "${stubborn}" 2>/run/said & recorder=$!
      until [ -e /run/ready ]; do sleep 0.1; done
      kill -INT $recorder; until grep -q Recorded /run/said; do sleep 0.1; done
      sleep 1; kill -INT $recorder
      wait $recorder; status=$?; cat /run/said; echo "status $status"`);
      expect(output).toMatch(/^tracewright-\d+\n/m);
      expect(output).toMatch(/\nstatus 130\n$/);
    });

    it('on a full disk contains the beginning, and says so', { timeout: 60_000 }, async () => {
      const output = await run(`mkdir /run/full && mount -t tmpfs -o size=1m none /run/full
      ${record} -o /run/full/our.data -- node recorded.mjs 1000 5; echo "status $?"
      cp /run/full/our.data $f`);
      expect(output).toContain('(ENOSPC): it has the beginning of the recording.');
      const ticks = (await eventsOf('our.data')).filter(({ name }) => name === 'Tick');
      expect(ticks.length).toBeGreaterThan(1000);
      expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(ticks.length));
    });

    it('can select any tracepoint', { timeout: 60_000 }, async () => {
      const output = await run(`${record} -o $f/our.data --tracepoint sched:sched_process_exit -- node -e 1
      perf script -i $f/our.data 2>/dev/null | grep -m1 -o 'sched:sched_process_exit: comm=node'
      ${record} -o $f/b --tracepoint nosuch:thing; true`);
      expect(output).toContain('sched:sched_process_exit: comm=node');
      expect(output).toContain('There is no tracepoint nosuch:thing.');
    });
  },
);
