/** `tracewright agent` on live programs: every event arrives or is counted, whatever happens to the agent or the disk. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import { readHyparquet } from '../export/parquet/parquet-folder.ts';
import { Collector } from '../integrations/collector.ts';
import { linuxOnly, named } from '../platforms.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.mjs';
import { showSoak, soakFor } from '../soak.ts';
import { eventsIn, eventsInAll, Fleet, PROVIDER } from './fleet.ts';
import { noPrometheus, Prometheus } from './prometheus.ts';

const PROCESSES = 8;
/** Events in a second. */
const RATE = 1000;
/** Of fleet-program.mjs. */
const EVENTS_PER_REQUEST = 10;

const notHere = linuxOnly('/proc, where the agent finds the processes of containers');
const noMount = mountProblem();
const { seconds, timeout } = soakFor(1);
let fleet: Fleet;

describe.skipIf(notHere !== undefined)(named('the agent', notHere), () => {
  beforeAll(async () => {
    fleet = new Fleet();
    await fleet.start(PROCESSES - 2, RATE, { TEAM: 'search' });
    await fleet.start(2, RATE, { OTEL_SERVICE_NAME: 'shop', TEAM: 'payments' });
  });
  afterEach(() => fleet.reset());
  afterAll(() => fleet.end());

  it('loses nothing that was whole when it is killed, and completes the rest', async () => {
    const first = await fleet.collect({}, { file: { maxAgeMs: 500 } });
    await fleet.until('files_written_total', 2 * PROCESSES);
    first.kill();
    await first.end();
    const contents = new Map(fleet.traces.map((path) => [path, readFileSync(path)]));
    expect(fleet.partial.length).toBeGreaterThan(0);
    for (const path of contents.keys()) expect(await eventsIn(path)).toMatchObject({ lost: 0 });
    await fleet.collect({}, { file: { maxAgeMs: 500 } });
    expect((await fleet.metrics()).files_salvaged_total).toBeGreaterThan(0);
    await fleet.until('files_written_total', PROCESSES);
    const { sent } = await fleet.endAgent();
    for (const [path, content] of contents) expect(readFileSync(path).equals(content)).toBe(true);
    const { events, lost } = await eventsInAll(fleet.traces);
    expect(lost).toBe(0);
    // What the kill has cost: what was on its way to the first agent.
    expect(sent - events).toBeGreaterThanOrEqual(0);
    expect(sent - events).toBeLessThan(PROCESSES * RATE);
    expect(fleet.partial).toEqual([]);
  });

  it('counts each event for which the budget has no room', async () => {
    const disk = { maxBytes: 0.1e6, whenFull: 'refuseNew' };
    await fleet.collect({ disk }, { file: { maxAgeMs: 200 } });
    await fleet.until('events_dropped_total{reason="budget"}', 1000);
    const { received, written, dropped, sent } = await fleet.endAgent();
    expect(received).toBe(sent);
    expect(written + dropped).toBe(sent);
    expect(await eventsInAll(fleet.traces)).toMatchObject({ events: written });
  });

  it.skipIf(noSmallDisk !== undefined)(
    named('counts each event for which the disk has no room', noSmallDisk),
    { timeout },
    async () => {
      const disk = new SmallDisk(fleet.folder, '4m');
      try {
        const agent = await fleet.collect({ disk: { whenFull: 'refuseNew' } }, { file: { maxAgeMs: 200 } });
        await fleet.until('attached_processes', PROCESSES);
        disk.fill();
        let delivered = 0;
        const begin = performance.now();
        const end = begin + seconds * 1000;
        for (let full = 1; full < 3 || performance.now() < end; full++) {
          await fleet.until('events_dropped_total{reason="disk"}', full * 1000);
          disk.free();
          const { files_written_total: files = 0 } = await fleet.metrics();
          await fleet.until('files_written_total', files + PROCESSES);
          // What is whole is moved elsewhere.
          const whole = fleet.traces;
          delivered += (await eventsInAll(whole)).events;
          for (const path of whole) rmSync(path);
          disk.fill();
        }
        const metrics = await fleet.metrics();
        expect(metrics['errors_total{kind="disk"}']).toBeGreaterThan(2);
        // Each session has one file open, if any.
        expect(openFilesOf(agent.processId, fleet.folder).length).toBeLessThanOrEqual(PROCESSES);
        const { written, dropped, sent } = await fleet.endAgent();
        showSoak('an agent on a full disk', { written, dropped, sent, metrics });
        // Once a minute, not once a file.
        const sentences = agent.stderr.match(/ cannot be written/g)?.length;
        expect(sentences).toBeGreaterThan(0);
        expect(sentences).toBeLessThan(2 + (performance.now() - begin) / 60_000);
        expect(written + dropped).toBe(sent);
        expect(delivered + (await eventsInAll(fleet.traces)).events).toBe(written);
        expect(fleet.partial).toEqual([]);
      } finally {
        await fleet.killAgent();
        disk.remove();
      }
    },
  );

  it.skipIf(noMount !== undefined)(named('attaches to programs in containers', noMount), async () => {
    const inside = fleet.startInContainer(RATE, { CONTAINER: 'yes' });
    try {
      await fleet.collect({}, { match: { environment: { CONTAINER: 'yes' } }, file: { maxAgeMs: 500 } });
      await fleet.until('files_written_total', 1);
      expect((await fleet.metrics()).attached_processes).toBe(1);
      const { received, written } = await fleet.endAgent();
      expect(written).toBe(received);
      expect(await eventsInAll(fleet.traces)).toEqual({ events: received, lost: 0 });
    } finally {
      inside.kill('SIGKILL');
    }
  });

  it('attaches to what its rules name, by an environment variable, and writes a ring when asked', async () => {
    const rule = {
      match: { environment: { TEAM: 'pay*' }, runtime: 'node' },
      collect: 'ring',
      durationMs: 0,
      triggers: [{ type: 'event', event: 'RequestStop', fields: { success: 'false' } }],
    };
    await fleet.collect({}, rule);
    await fleet.until('files_written_total', 2);
    expect(await fleet.metrics()).toMatchObject({ attached_processes: 2 });
    for (const path of fleet.traces) expect(path).toMatch(/\/shop@\d+-fleet-\w+-\d+-event\.nettrace$/);
    const { received, written, sent } = await fleet.endAgent();
    expect(received).toBe(sent);
    expect((await eventsInAll(fleet.traces)).events).toBe(written);
  });

  it.skipIf(noPrometheus !== undefined)(
    named('has its counters scraped by Prometheus', noPrometheus),
    async () => {
      await fleet.collect({}, { file: { maxAgeMs: 500 } });
      const prometheus = await Prometheus.start(fleet.metricsUrl);
      try {
        await fleet.until('attached_processes', PROCESSES);
        const query = `tracewright_agent_attached_processes == ${PROCESSES}`;
        expect(await prometheus.value(query)).toBe(PROCESSES);
        const received = 'tracewright_agent_events_received_total{rule="fleet"}';
        expect(await prometheus.value(`rate(${received}[5s]) > 0`)).toBeGreaterThan(0);
        expect(await prometheus.value('sum(tracewright_agent_errors_total)')).toBe(0);
        expect(await prometheus.value('count({__name__=~"tracewright_agent_.+"})')).toBeGreaterThan(30);
      } finally {
        await prometheus.end();
      }
    },
  );

  it('ships what it has: files as Parquet, activities as spans', async () => {
    const collector = await Collector.open();
    try {
      await fleet.collect({ parquet: {}, otlp: { url: collector.url } }, { file: { maxAgeMs: 500 } });
      await fleet.until('parquet_files_written_total', 5 * PROCESSES);
      await fleet.until('spans_sent_total', 100);
      const { sent, written } = await fleet.endAgent();
      expect(written).toBe(sent);
      const rows = await readHyparquet(fleet.tables, 'events');
      const own = rows.filter(({ provider }) => provider === PROVIDER);
      expect(own).toHaveLength(sent);
      expect(fleet.traces).toEqual([]);
      const folders = readdirSync(join(fleet.tables, 'events'), { recursive: true, encoding: 'utf8' });
      expect(folders.some((path) => path.endsWith('/service=shop'))).toBe(true);
      // Each request is a span.
      expect(collector.spans).toHaveLength(sent / EVENTS_PER_REQUEST);
    } finally {
      await collector.close();
    }
  });

  it('says what is wrong with its settings, and changes nothing then', async () => {
    const wrong = await fleet.command({ disk: { maxBytes: 'all' } }, { durationMs: -1000 }).end();
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^tracewright: .*agent\.json: disk\.maxBytes must be a number from .+, not 'all'\.$/,
      ),
      expect.stringMatching(
        /agent\.json: rules\[0\]\.durationMs must be a number from 0 to 86400000, not -1000\.$/,
      ),
    ]);
    expect(existsSync(fleet.folder)).toBe(false);
  });

  it('has the state of a program in each of its files, those of a ring as well', async () => {
    const providers = `${PROVIDER},Tracewright-FleetSettings`;
    const triggers = [{ type: 'interval', intervalMs: 1000 }];
    const rules = [
      { name: 'stream', providers, file: { maxAgeMs: 300 } },
      // Each of its files begins after the one before.
      { name: 'ring', providers, collect: 'ring', durationMs: 300, triggers, limits: { perHour: 1000 } },
    ];
    const environment = { TMPDIR: fleet.ports, TEAM: 'payments' };
    await fleet.collect({ rules: rules.map((rule) => ({ ...rule, match: { environment } })) });
    await fleet.until('files_written_total', 30);
    await fleet.endAgent();
    const files = await Promise.all(
      fleet.traces.map(async (path) => ({ path, states: await statesIn(path) })),
    );
    for (const rule of ['stream', 'ring']) {
      const ofRule = files.filter(({ path }) => path.includes(`-${rule}-`));
      expect(ofRule.length).toBeGreaterThan(3);
      // The last may have ended before the program answered.
      const without = ofRule.filter(({ states }) => states === 0);
      expect(without.length, without.map(({ path }) => path).join()).toBeLessThanOrEqual(2);
    }
  });

  it('refuses the folder of another agent', async () => {
    await fleet.collect();
    const { status, stderr } = await fleet.command().end();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^tracewright: Process \d+ is an agent with the same folder, .+\.\n$/);
  });

  it('takes the answer of a program that is late, and attaches to the others meanwhile', async () => {
    const [late] = fleet.programs;
    late?.pause();
    try {
      // There is only one search.
      await fleet.collect({ scanIntervalMs: 3600000 });
      await fleet.until('attached_processes', PROCESSES - 1);
      // Longer than a process that is not busy takes.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      expect((await fleet.metrics()).attached_processes).toBe(PROCESSES - 1);
    } finally {
      late?.resume();
    }
    await fleet.until('attached_processes', PROCESSES);
    const { received, written, dropped, sent } = await fleet.endAgent();
    expect(received).toBe(sent);
    expect({ written, dropped }).toEqual({ written: sent, dropped: 0 });
  });

  it('attaches to programs as they start, and counts those that have ended before', async () => {
    // Longer than the test: only the notice of a start finds them.
    await fleet.collect({ scanIntervalMs: 3600000 });
    await fleet.until('attached_processes', PROCESSES);
    await fleet.start(2, RATE, { TEAM: 'late' });
    await fleet.until('attached_processes', PROCESSES + 2);
    const late = fleet.programs.splice(PROCESSES);
    const { unwatched_seconds_total: unwatched = 0 } = await fleet.metrics();
    expect(unwatched).toBeGreaterThan(0);
    // A socket whose process has ended at once.
    const path = join(fleet.ports, 'dotnet-diagnostic-1-1-socket');
    writeFileSync(path, '');
    rmSync(path);
    await fleet.until('processes_missed_total', 1);
    await fleet.report('SIGTERM', late);
    await vi.waitFor(async () => expect((await fleet.metrics()).attached_processes).toBe(PROCESSES));
  });

  it('has every event of programs that end before it, and of those that end after it', async () => {
    await fleet.collect({}, { file: { maxAgeMs: 500 } });
    await fleet.until('attached_processes', PROCESSES);
    await fleet.until('files_written_total', PROCESSES);
    const early = await fleet.report('SIGTERM', fleet.programs.splice(0, 3));
    await vi.waitFor(async () => expect((await fleet.metrics()).attached_processes).toBe(PROCESSES - 3), {
      timeout: 10_000,
    });
    const asked = performance.now();
    const { status, dropped, sent } = await fleet.endAgent();
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect({ status, dropped }).toEqual({ status: 0, dropped: 0 });
    expect(await eventsInAll(fleet.traces)).toEqual({ events: early + sent, lost: 0 });
    expect(fleet.partial).toEqual([]);
  });
});

async function statesIn(path: string): Promise<number> {
  const trace = await openTrace(path);
  let states = 0;
  for await (const batch of trace.batches()) {
    for (const { name } of batch) if (name === 'Setting') states++;
  }
  return states;
}

function openFilesOf(processId: number, folder: string): string[] {
  const descriptors = `/proc/${processId}/fd`;
  return readdirSync(descriptors)
    .flatMap((descriptor) => {
      try {
        return readlinkSync(join(descriptors, descriptor));
      } catch {
        // It was closed meanwhile.
        return [];
      }
    })
    .filter((path) => path.startsWith(folder));
}

function mountProblem(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has tmpfs';
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
      stdio: 'ignore',
    });
    return undefined;
  } catch {
    return 'this user may not mount a tmpfs or separate processes';
  }
}
