/**
 * Events of an ordinary program as the kernel's own tools see them: ftrace, trace-cmd, perf record and perf script, on
 * two kernels. Nothing is missing or out of order, and every id is there.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { activityPath, type SourceStats } from '../../lib/index.ts';
import { type KernelKind, runProgram, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const TRACEPOINTS = ['MyCompany_MyService_L4K0', 'MyCompany_MyService_L5K2'];
/** Start, its nested start, row, the two stops. */
const EVENTS_A_REQUEST = 5;

interface ProgramResult {
  readonly stats: SourceStats;
  readonly tracepoints: readonly string[];
  readonly pid: number;
}

/** A shell script that starts the program in the background, waits for its tracepoints and records it. */
function recording(program: string, tracepoints: readonly string[], record: string): string {
  const exist = tracepoints
    .map((name) => `[ -e /sys/kernel/tracing/events/user_events/${name} ]`)
    .join(' && ');
  return `(node ${program} >/run/result) & program=$!
    until ${exist}; do sleep 0.05; done
    ${record}
    wait $program || exit 1
    cat /run/result`;
}

const whileItRuns = 'sh -c "while kill -0 $program 2>/dev/null; do sleep 0.1; done"';
const perfEvents = TRACEPOINTS.map((name) => `-e user_events:${name}`).join(' ');

function lastJson<Result>(output: string): Result {
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Result;
}

const kernels: readonly { kernel: KernelKind; requests: number }[] = [
  { kernel: 'uml', requests: 400 },
  { kernel: 'qemu', requests: 80 },
];

for (const { kernel, requests } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName("the kernel's tools", kernel), () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync('/tmp/tracewright-test-');
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('perf record and perf script get every event, in order, with its activity', {
      timeout: 120_000,
    }, async () => {
      const record = `perf record -q -a ${perfEvents} -o ${folder}/perf.data ${whileItRuns} >&2
        perf script -i ${folder}/perf.data >${folder}/script.txt`;
      const output = await runScript(recording(`requests.mjs ${requests}`, TRACEPOINTS, record), {
        kernel,
        rw: [folder],
      });
      const { stats, pid } = lastJson<ProgramResult>(output);
      const events = (await readEvents(join(folder, 'perf.data'))).filter(
        ({ name, payload }) => name !== 'Ready' && payload.number !== 0xffffffff,
      );

      expect(stats.dropped).toEqual({});
      expect(events.length).toBe(EVENTS_A_REQUEST * requests);
      expect(new Set(events.map((event) => event.processId))).toEqual(new Set([pid]));
      const scriptLines = readFileSync(join(folder, 'script.txt'), 'utf8').trimEnd().split('\n');
      const warmUp = scriptLines.length - events.length;
      // Every line of perf script is one of ours; the first few came before perf was ready.
      expect(warmUp).toBeGreaterThan(0);
      expect(warmUp).toBeLessThanOrEqual(40);
      expect(scriptLines.every((line) => line.includes('user_events:MyCompany_MyService_L'))).toBe(true);

      const paths = new Map<number, string>();
      const seen = new Map<string, string[]>();
      for (const event of events) {
        const { payload } = event;
        const path = activityPath(event.activityId ?? '');
        const related =
          event.relatedActivityId === undefined ? undefined : activityPath(event.relatedActivityId);
        seen.set(path, [...(seen.get(path) ?? []), event.name]);
        if (event.name === 'RequestStart') {
          expect(related).toBeUndefined();
          paths.set(Number(payload.number), path);
        } else if (event.name === 'QueryStart') {
          expect(related).toBe(paths.get(Number(payload.number)));
          expect(path).toBe(`${related}/1`);
        } else if (event.name === 'Row') {
          expect(path).toBe(`${paths.get(Number(payload.number))}/1`);
        }
      }
      expect([...paths.values()]).toEqual(Array.from({ length: requests }, (_, index) => `//1/${index + 1}`));
      for (const path of paths.values()) {
        expect(seen.get(path)).toEqual(['RequestStart', 'RequestStop']);
        expect(seen.get(`${path}/1`)).toEqual(['QueryStart', 'Row', 'QueryStop']);
      }
    });

    it('trace_pipe shows every event, in order', { timeout: 120_000 }, async () => {
      const record = `echo 1 >/sys/kernel/tracing/events/user_events/enable
        cat /sys/kernel/tracing/trace_pipe >/run/pipe & reader=$!
        while kill -0 $program 2>/dev/null; do sleep 0.1; done
        sleep 0.5
        kill $reader
        cat /run/pipe`;
      const output = await runScript(recording(`requests.mjs ${requests}`, TRACEPOINTS, record), { kernel });
      expectInOrder(output, lastJson<ProgramResult>(output).stats, requests);
    });

    it('trace-cmd records and reports every event, in order', { timeout: 120_000 }, async () => {
      const record = `trace-cmd record -q -e user_events -o /run/trace.dat ${whileItRuns} >&2
        cp /run/trace.dat ${folder}/
        trace-cmd report -i /run/trace.dat 2>&1`;
      const output = await runScript(recording(`requests.mjs ${requests}`, TRACEPOINTS, record), {
        kernel,
        rw: [folder],
      });
      expectInOrder(output, lastJson<ProgramResult>(output).stats, requests);
      expect(await reportedEvents(join(folder, 'trace.dat'))).toEqual(reportedLines(output));
    });
  });
}

/** Thread, processor and id of each event that `trace-cmd report` prints. */
function reportedLines(output: string) {
  const lines = output.matchAll(/-(\d+)\s+\[(\d+)\].*? MyCompany_MyService_L.*?\bid=(?:0x)?([0-9a-f]+)/g);
  return Array.from(lines, ([, ...numbers]) => numbers.map(Number));
}

async function reportedEvents(file: string) {
  const events = await readEvents(file);
  return events.map(({ threadId, processor, id }) => [threadId, processor, id]);
}

/** Ids 1 to 5 are those of the request's start, its stop, the query's start and stop, the row. */
function expectInOrder(output: string, stats: SourceStats, requests: number): void {
  const ids = [...output.matchAll(/MyCompany_MyService_L[45]K[02]:.*?\bid=(?:0x)?([0-9a-f]+)/g)].map(
    ([, id]) => Number(id),
  );
  expect(stats.dropped).toEqual({});
  const count = (id: number) => ids.filter((other) => other === id).length;
  expect([1, 2, 3, 4].map(count)).toEqual([requests, requests, requests, requests]);
  // With up to 20 from the time before the tracer was ready: see the program.
  expect(count(5)).toBeGreaterThanOrEqual(requests);
  expect(count(5)).toBeLessThanOrEqual(requests + 20);
  expect(ids.length).toBeLessThanOrEqual(stats.written);
  // Of the requests that run together, none stops before it has started.
  let running = 0;
  for (const id of ids) {
    if (id === 1) running++;
    if (id === 2) running--;
    expect(running).toBeGreaterThanOrEqual(0);
    expect(running).toBeLessThanOrEqual(8);
  }
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('what the ring buffers hold', 'uml'), () => {
  it('contains everything written: a million events into a small buffer, to the last one', {
    timeout: 120_000,
  }, async () => {
    const { stats, read, overrun, dropped } = await runProgram<{
      stats: SourceStats;
      read: number;
      overrun: number;
      dropped: number;
    }>('million.mjs', [1_000_000]);
    expect(stats).toEqual({ written: 1_000_000, dropped: {}, tooLargeForFtrace: 0, badValues: 0 });
    expect(read).toBeGreaterThan(0);
    expect(read + overrun + dropped).toBe(1_000_000);
  });

  it('lacks what is too large for it: ftrace accepts 4064 bytes, perf 8184, and each loss is counted', {
    timeout: 60_000,
  }, async () => {
    const folder = mkdtempSync('/tmp/tracewright-test-');
    const record = `echo 1 >/sys/kernel/tracing/events/user_events/Sizes_L4K0/enable
      perf record -q -a -e user_events:Sizes_L4K0 -o ${folder}/perf.data ${whileItRuns} >&2
      grep -c Sizes_L4K0: /sys/kernel/tracing/trace`;
    const script = recording('sizes.mjs 4064 4065 8184 8185', ['Sizes_L4K0'], record);
    const output = await runScript(script, { rw: [folder] });
    const [ftraceLines, json] = output.trimEnd().split('\n').slice(-2);
    const { before, stats, problems } = JSON.parse(json ?? '') as {
      before: number;
      stats: SourceStats;
      problems: string[];
    };
    expect(stats).toEqual({
      written: before + 3,
      dropped: { tooLarge: 1 },
      tooLargeForFtrace: 2,
      badValues: 0,
    });
    expect(problems).toEqual([
      'Sizes.Blob: an event of 8185 bytes was dropped; perf accepts 8184, ftrace 4064.',
    ]);
    expect(Number(ftraceLines)).toBe(before + 1);
    const sizes = (await readEvents(join(folder, 'perf.data')))
      .map(({ payload }) => (payload.bytes as Uint8Array).length + 26)
      .filter((size) => size > 26);
    expect(sizes).toEqual([4064, 4065, 8184]);
    rmSync(folder, { recursive: true });
  });
});
