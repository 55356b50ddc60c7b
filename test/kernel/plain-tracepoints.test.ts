/** Plain tracepoints with the kernel's own tools: formats, filters, triggers, trace-cmd and perf. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { activityPath, type SourceStats, type SourceStatus } from '../../lib/index.ts';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

const START = 'My_App_RequestStart';
const STOP = 'My_App_RequestStop';
const REQUESTS = 100;

interface Result {
  readonly stats: SourceStats;
  readonly status: SourceStatus;
  readonly tracepoints: readonly string[];
}

/** What a recorder runs, once it records: then there is the file. */
const whileItRuns = (ready: string) =>
  `sh -c "touch ${ready}; while kill -0 $program 2>/dev/null; do sleep 0.1; done"`;
const READY = ['/run/trace-cmd', '/run/perf'] as const;

const results = (output: string) => JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Result;

/**
 * The program waits until both are enabled, and the files are there.
 *
 * @param enable run beside their folders; @param after when it has ended
 */
const script = (enable: string, after: string, files: readonly string[] = []) => `
  set -e
  node plain.mjs ${REQUESTS} ${files.join(' ')} >/run/result & program=$!
  events=/sys/kernel/tracing/events/user_events
  until [ -e $events/${START} ] && [ -e $events/${STOP} ]; do sleep 0.05; done
  cd $events
  ${enable}
  wait $program
  ${after}
  cat /run/result`;

for (const kernel of ['uml', 'qemu'] as readonly KernelKind[]) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('plain tracepoints', kernel), () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync('/tmp/tracewright-test-');
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('exist before the first event, and are filtered and counted by ftrace', {
      timeout: 200_000,
    }, async () => {
      const output = await runScript(
        script(
          `grep -o 'field:[^;]*' ${START}/format | sed 1,4d
          echo 'number >= 90 && slow == 0 && url ~ "/item/*"' >${START}/filter
          echo 'traceoff if number == 95' >${START}/trigger
          echo 1 >${START}/enable
          echo 1 >${STOP}/enable`,
          `echo TRACE; cat ../../trace`,
        ),
        { kernel, timeout: 180 },
      );
      const [format = '', trace = ''] = output.split('TRACE\n');
      expect(format.trim().split('\n')).toEqual([
        'field:u64 activity_hi',
        'field:u64 activity_lo',
        'field:u64 related_hi',
        'field:u64 related_lo',
        'field:s64 bytes',
        expect.stringMatching(/^field:__rel_loc char url\[.*\]$/),
        'field:u32 number',
        'field:u16 port',
        'field:u8 slow',
      ]);
      // The trigger has stopped the trace before the first that is not traced.
      const numbers = [...trace.matchAll(new RegExp(`${START}: .*?\\bnumber=(\\w+)`, 'g'))].map(
        ([, number]) => Number(number),
      );
      expect(numbers).toEqual([91, 92, 93, 94, 95].slice(0, numbers.length));
      expect(numbers.length).toBeGreaterThanOrEqual(4);
      const { stats, status, tracepoints } = results(output);
      expect(tracepoints).toEqual([START, STOP]);
      expect([stats.written, stats.dropped, status.problems]).toEqual([2 * REQUESTS + 50, {}, []]);
    });

    it('are read with their fields by perf script, trace-cmd and tracewright', {
      timeout: 200_000,
    }, async () => {
      const output = await runScript(
        script(
          `trace-cmd record -q -e user_events:${START} -e user_events:${STOP} -o ${folder}/trace.dat \
            ${whileItRuns(READY[0])} >&2 & recorder=$!
          perf record -q -a -e user_events:${START} -e user_events:${STOP} -o ${folder}/perf.data \
            ${whileItRuns(READY[1])} >&2`,
          // It may complain that the tracepoints are gone when it wants to reset them.
          `wait $recorder || true
          perf script -i ${folder}/perf.data
          trace-cmd report -i ${folder}/trace.dat`,
          READY,
        ),
        { kernel, rw: [folder], timeout: 180 },
      );
      for (const file of ['perf.data', 'trace.dat']) {
        const events = await readEvents(join(folder, file));
        const starts = events.filter(({ name }) => name === START);
        expect(starts.length).toBe(REQUESTS);
        const [last] = starts.slice(-1);
        expect(last).toMatchObject({ provider: 'user_events', opcode: 1 });
        expect(last?.payload).toEqual({ bytes: -99n, url: '/item/99', number: 99, port: 8080, slow: 0 });
        expect(activityPath(last?.activityId ?? '')).toBe(`//1/${REQUESTS}`);
        const stop = events.find(({ name, activityId }) => name === STOP && activityId === last?.activityId);
        expect(stop?.payload).toEqual({ success: 1 });
      }
      expect(output).toMatch(
        new RegExp(`user_events:${START}: .*url="?/item/99"? number=99 port=8080 slow=0`),
      );
      expect(output.match(new RegExp(`[ :]${STOP}: .* success=\\(?(?:0x)?1`, 'g'))).toHaveLength(
        2 * REQUESTS,
      );
    });
  });
}
