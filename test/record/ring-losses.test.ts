/** What a ring of CPU samples loses while it is written, on this machine: it takes several processors to lose anything. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../lib/platform/recorder.ts';
import { processors } from '../../lib/record/processors.ts';
import { openTrace } from '../../lib/trace/index.ts';
import { RunningCommand } from '../cli/run-tracewright.ts';
import { named } from '../platforms.ts';

const reason = missingPerf();
let folder: string;
let busy: Worker[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-ring-'));
  busy = processors('online').map(() => new Worker('for (;;);', { eval: true }));
});
afterEach(async () => {
  await Promise.all(busy.map((worker) => worker.terminate()));
  rmSync(folder, { recursive: true });
});

describe.skipIf(reason !== undefined)(named('a ring of CPU samples', reason), () => {
  it('reports in its last file what the recorder says that it has lost', { timeout: 60_000 }, async () => {
    const options = ['--frequency', '5000', '--buffer-size', '16MiB', '--duration', '1s'];
    const file = join(folder, 'ring.data');
    const args = ['record', '--cpu', '--ring', ...options, '-o', file];
    const { status, stderr } = await new RunningCommand(args).end();
    expect(status).toBe(0);
    const said = Number(/([\d,]+) events were lost/.exec(stderr)?.[1]?.replaceAll(',', ''));
    expect(said).toBeGreaterThan(0);
    const [dump = ''] = readdirSync(folder);
    const trace = await openTrace(join(folder, dump));
    for await (const batch of trace.batches()) expect(batch.length).toBeGreaterThan(0);
    expect(trace.lostEvents).toBe(said);
  });
});

function missingPerf(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has perf events';
  const cpus = processors('online');
  if (cpus.length < 2) return 'this machine has one processor';
  try {
    new Recorder({ cpus, ringSize: 1 << 16 });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
