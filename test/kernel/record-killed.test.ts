/** A recording that was killed without notice: what perf script and tracewright read of it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import { type KernelKind, runScript, skipReason, suiteName } from './guest.ts';
import type { readEvents } from './read-events.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const powerless = 'setpriv --bounding-set=-all --inh-caps=-all';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/tracewright-test-');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Records $f/our.data and kills the recorder when the file has so many bytes; perf's lines go to $f/perf.txt. */
const killed = (record: string, command: string, bytes: number) => `f=${folder}
  ${record} -o /run/our.data -- ${command} >/dev/null 2>&1 & recorder=$!
  until [ "$(stat -c %s /run/our.data 2>/dev/null || echo 0)" -gt ${bytes} ]; do
    kill -0 $recorder || exit 1
    sleep 0.1
  done
  kill -9 $recorder
  pkill node
  cp /run/our.data $f
  perf script -i /run/our.data 2>/dev/null >$f/perf.txt
  ls /tmp | grep tracewright-record-; true`;

const perfLines = () => readFileSync(join(folder, 'perf.txt'), 'utf8').trimEnd().split('\n');

/** Those that can be read: the last record may have been cut. */
async function events() {
  const read: Awaited<ReturnType<typeof readEvents>> = [];
  const trace = await openTrace(join(folder, 'our.data'));
  try {
    for await (const event of trace) read.push(event);
  } catch (error) {
    expect(String(error)).toContain('The data ends inside a record');
  }
  return { read, info: trace.info };
}

for (const kernel of ['uml', 'qemu'] as const satisfies readonly KernelKind[]) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('a killed recording', kernel), () => {
    it('contains all events up to its end, for perf and for tracewright', { timeout: 180_000 }, async () => {
      const bytes = kernel === 'uml' ? 2_000_000 : 300_000;
      const script = killed(`node ${main} record`, 'node recorded.mjs 100 60', bytes);
      await runScript(script, { kernel, rw: [folder], timeout: 170 });
      const { read, info } = await events();
      const ticks = read.filter(({ name }) => name === 'Tick');
      expect(ticks.length).toBeGreaterThan(100);
      expect(ticks.map(({ payload }) => payload.number)).toEqual(ticks.map((_, index) => index));
      expect(info.hasWallTime).toBe(true);
      expect(info.properties.CMDLINE).toContain('record -o /run/our.data');
      const lines = perfLines();
      expect(lines).toHaveLength(read.length);
      expect(lines.filter((line) => line.includes('user_events:Recorded_Service_L4K0: '))).toHaveLength(
        ticks.length,
      );
      expect(lines.every((line) => /eventheader_flags=\d+ .* level=\d$/.test(line))).toBe(true);
    });
  });
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('a killed recording', 'uml'), () => {
  it('through tracefs contains them, too', { timeout: 120_000 }, async () => {
    const script = killed(`${powerless} node ${main} record`, 'node recorded.mjs 100 60', 1_000_000);
    await runScript(script, { rw: [folder] });
    const { read } = await events();
    const ticks = read.filter(({ name }) => name === 'Tick');
    expect(ticks.length).toBeGreaterThan(1000);
    expect(ticks.map(({ payload }) => payload.number)).toEqual(ticks.map((_, index) => index));
    expect(perfLines()).toHaveLength(read.length);
  });

  it('with more tracepoints than fit in front contains them for tracewright and, once completed, for perf', {
    timeout: 120_000,
  }, async () => {
    const script = killed(`node ${main} record`, 'node many-tracepoints.mjs 150 60', 1_000_000);
    await runScript(script, { rw: [folder] });
    const { read } = await events();
    expect(new Set(read.map(({ name }) => name)).size).toBe(150);
    expect(read.every(({ payload }) => typeof payload.number === 'number')).toBe(true);

    await runScript(
      `f=${folder}; node ${main} record -o /run/our.data -- node many-tracepoints.mjs 150 0 2>&1
      cp /run/our.data $f; perf script -i /run/our.data >$f/perf.txt`,
      { rw: [folder] },
    );
    const whole = await events();
    expect(whole.read).toHaveLength(150);
    expect(perfLines()).toHaveLength(150);
  });
});
