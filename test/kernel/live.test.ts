/**
 * `tracewright live` on two kernels: every event, in time order, soon after it was written; losses if nobody reads; and
 * every way to end it.
 */
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SourceStats } from '../../lib/index.ts';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const live = `node ${main} live`;

const kernels: readonly { kernel: KernelKind; count: number }[] = [
  { kernel: 'uml', count: 2000 },
  { kernel: 'qemu', count: 200 },
];

/** @param script what it sends to stderr is in the output */
const run = (script: string, kernel: KernelKind = 'uml') => runScript(`exec 2>&1; ${script}`, { kernel });

interface ShownEvent {
  readonly name: string;
  readonly processId: number;
  readonly timestamp: string;
  readonly payload: { readonly number: number };
}

interface ProgramResult {
  readonly stats: SourceStats;
  readonly pid: number;
}

const parsed = <T>(output: string, start: string) =>
  output.split('\n').flatMap((line) => (line.startsWith(start) ? [JSON.parse(line) as T] : []));
const eventsIn = (output: string) => parsed<ShownEvent>(output, '{"provider"');
const resultsIn = (output: string) => parsed<ProgramResult>(output, '{"stats"');
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

for (const { kernel, count } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('what live shows', kernel), () => {
    it('includes every event of a command, from the first one on', { timeout: 120_000 }, async () => {
      const output = await run(`${live} --json -- node recorded.mjs ${count}`, kernel);
      const ticks = eventsIn(output).filter(({ name }) => name === 'Tick');
      expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(count));
      expect(new Set(ticks.map(({ processId }) => processId))).toEqual(new Set([resultsIn(output)[0]?.pid]));
      expect(output).toContain(`Showed ${count + count / 10} events of 2 tracepoints, none lost.\n`);
      expect(output).toMatch(/\nnode exited with status 3\.\n$/);
    });

    it('appears a fraction of a second after it was written, even the last event before a silence', {
      timeout: 120_000,
    }, async () => {
      const output = await run(`${live} --json -- node paced.mjs 50 37 | node arrivals.mjs`, kernel);
      const delays = JSON.parse(/^\[.*\]$/m.exec(output)?.[0] ?? '') as number[];
      expect(delays).toHaveLength(50);
      // Two passes over the rings, a tenth of a second apart; the guests have one slow processor.
      const sorted = delays.toSorted((a, b) => a - b);
      expect(sorted[25]).toBeLessThan(kernel === 'uml' ? 350 : 1000);
      expect(sorted.at(-1)).toBeLessThan(kernel === 'uml' ? 1000 : 3000);
    });
  });
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('what live shows, in all cases,', 'uml'), () => {
  it('is in time order, whichever process wrote it', { timeout: 60_000 }, async () => {
    const both = 'node paced.mjs 500 1 & node paced.mjs 500 1; wait';
    const events = eventsIn(await run(`${live} --json -- sh -c '${both}'`));
    expect(events).toHaveLength(1000);
    expect(new Set(events.map(({ processId }) => processId)).size).toBe(2);
    const times = events.map(({ timestamp }) => BigInt(timestamp));
    expect(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0n))).toBe(true);
  });

  it("is a line per event, in dump's format", async () => {
    const output = await run(`${live} -- node recorded.mjs 1`);
    expect(output).toMatch(/^ +\d+\.\d{6} +\d+ {2}Recorded_Service\/Tick {2}- {2}number=0 text="event 0"$/m);
  });

  it('is in the browser with --web', { timeout: 60_000 }, async () => {
    const output = await run(
      `ip link set lo up; ${live} --web -- node paced.mjs 40 50 > /run/web.txt 2>&1 &
      until grep -q http: /run/web.txt; do sleep 0.1; done
      node web-updates.mjs $(grep -o 'http:[^ ]*' /run/web.txt); wait; cat /run/web.txt`,
    );
    const { numbers: shown, isEnded } = JSON.parse(/^\{"numbers.*$/m.exec(output)?.[0] ?? '{}');
    expect([shown, isEnded]).toEqual([numbers(40), true]);
    expect(output).toContain('Showed 40 events');
  });

  it('is what is requested, by provider, event and level', { timeout: 60_000 }, async () => {
    const output = await run(
      `for options in '--provider Recorded-Service' '--provider Recorded*' '--provider Rec-*d --provider Nobody' \\
          '--provider Nobody' '--event T*th' '--level informational'; do
        ${live} $options -- node recorded.mjs 100
      done`,
    );
    const shown = [...output.matchAll(/^Showed (\d+) events of (\d) /gm)].map(([, ...each]) =>
      each.map(Number),
    );
    expect(shown).toEqual([
      [110, 2],
      [110, 2],
      [0, 2],
      [0, 0],
      [10, 2],
      [100, 1],
    ]);
  });

  it('omits nothing silently if nobody reads', { timeout: 60_000 }, async () => {
    const output = await run(`mkfifo /run/over
        ${live} -- sh -c 'node recorded.mjs 300000; echo >/run/over' | (read _ </run/over; wc -l)`);
    const [, shown, lost] = /Showed (\d+) events of 2 tracepoints, (\d+) lost because /.exec(output) ?? [];
    const told = [...output.matchAll(/^Lost: (\d+) events\.$/gm)].reduce(
      (sum, [, each]) => sum + Number(each),
      0,
    );
    expect(Number(lost)).toBeGreaterThan(0);
    expect(told).toBeLessThanOrEqual(Number(lost));
    // Names of threads, of which there are few here, are lost like events.
    const untold = Number(shown) + Number(lost) - (resultsIn(output)[0]?.stats.written ?? 0);
    expect(untold).toBeGreaterThanOrEqual(0);
    expect(untold).toBeLessThan(100);
    expect(output).toMatch(new RegExp(`^${shown}$`, 'm'));
  });

  it.each(['INT', 'TERM', 'HUP'] as const)(
    'ends with SIG%s, together with its command, after everything written',
    {
      timeout: 60_000,
    },
    async (signal) => {
      const output = await run(`${live} --json -- node paced.mjs 100000 1 >/run/shown 2>&1 & live=$!
      until [ $(grep -c '"Tick"' /run/shown) -gt 100 ]; do sleep 0.1; done
      kill -${signal} $live; wait $live; status=$?; cat /run/shown; echo "status $status"`);
      const ticks = eventsIn(output).filter(({ name }) => name === 'Tick');
      expect(ticks.length).toBeGreaterThan(100);
      expect(ticks.map(({ payload }) => payload.number)).toEqual(numbers(ticks.length));
      const status = 128 + constants.signals[`SIG${signal}`];
      expect(output).toMatch(
        new RegExp(`none lost\\.\\nnode was ended by SIG${signal}\\.\\nstatus ${status}\\n$`),
      );
    },
  );

  it('ends when the reader has seen enough, together with its command', async () => {
    const output = await run(`${live} -- node paced.mjs 100000 1 | head -1
        for i in $(seq 30); do pgrep -x node >/dev/null || break; sleep 1; done
        pgrep -x node >/dev/null && echo "left behind"; echo ended`);
    expect(output).toMatch(/Paced_Service.*\n(?:.*\n)*ended\n$/);
    expect(output).not.toContain('left behind');
  });

  it.each(['', '--json'])('cannot control a terminal with %s', async (option) => {
    const output = await run(`${live} ${option} -- node hostile.mjs`);
    expect(output).toContain(option === '' ? 'Event\\u{1b}]0 owned\\u{7}' : 'Event\\u001b]0 owned\\u0007');
    expect(output).toMatch(/^Showed 1 events of 1 tracepoint/m);
    expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Bidi_Control}]/u);
  });

  it('ends with a sentence if the command cannot be run', async () => {
    const output = await run(`${live} -- /nonexistent; echo "status $?"`);
    expect(output).toMatch(/\ntracewright: \/nonexistent could not be started \(ENOENT\)\.\nstatus 1\n$/);
  });
});
