/** `tracewright/view` gives programs the answers of the command, about a recording of a real program. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  activityMetrics,
  cpuTimes,
  diffTraces,
  type ExportFormat,
  explainTrace,
  exportTables,
  exportTrace,
  openTraces,
  reportTrace,
} from '../../lib/analysis/index.ts';
import { RunningCommand } from '../cli/run-tracewright.ts';

const AUTO = pathToFileURL(join(import.meta.dirname, '../../dist/cjs/auto.cjs')).href;
const PROGRAM = fileURLToPath(new URL('../cli/programs/slow-request.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tracewright-analysis-'));
const [first, second] = [join(folder, 'first.nettrace'), join(folder, 'second.nettrace')];

afterAll(() => rmSync(folder, { recursive: true }));

async function tracewright(...args: string[]): Promise<string> {
  const { status, stdout } = await new RunningCommand(args, { cwd: folder }).end();
  expect(status).toBe(0);
  return stdout;
}

/** The bytes of a file in chunks. */
async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(all);
}

/** As it comes from JSON. */
const inJson = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('a program', () => {
  beforeAll(async () => {
    for (const file of [first, second]) {
      await tracewright('collect', '-o', file, '--', process.execPath, '--import', AUTO, PROGRAM);
    }
  }, 120_000);

  it('learns why activities were slow, as explain says it', async () => {
    const explanation = await explainTrace(await openTraces([first]));
    expect(inJson(explanation)).toEqual(JSON.parse(await tracewright('explain', '--json', first)));
    expect(explanation.activities[0]?.sentence).toMatch(/^GET \/busy\/:id took/);
    const chosen = await explainTrace(await openTraces([first]), { where: { route: '/none' } });
    expect(chosen.activities).toEqual([]);
    const isRoot = () => false;
    expect((await explainTrace(await openTraces([first]), { isRoot })).activities).toEqual([]);
  });

  it('learns what differs between two traces, as diff says it', async () => {
    const open = async () => [await openTraces([first]), await openTraces([second])] as const;
    const comparison = await diffTraces(...(await open()));
    expect(inJson(comparison)).toEqual(JSON.parse(await tracewright('diff', '--json', first, second)));
    const named = await diffTraces(...(await open()), { name: 'GET /busy/*' });
    expect(named.before.kinds.map(({ label }) => label)).toEqual(['GET /busy/:id']);
  });

  it('learns where the CPU time went, as view --cpu says it', async () => {
    const { activities, functions, samples, roots } = await cpuTimes(await openTraces([first]));
    const lines = (await tracewright('view', '--cpu', '--json', first)).trimEnd().split('\n');
    const told = lines.map((line) => JSON.parse(line));
    expect(inJson(activities)).toEqual(told.filter(({ inside }) => inside !== undefined));
    expect(functions.map(({ frame }) => frame.name)).toEqual(
      told.filter(({ inside }) => inside === undefined).map(({ name }) => name),
    );
    expect(samples).toBeGreaterThan(10);
    expect(roots[0]?.callees.size).toBeGreaterThan(0);
    const isRoot = (_: unknown, { task }: { readonly task: string }) => task === 'Request';
    const inRequests = await cpuTimes(await openTraces([first]), { isRoot });
    expect(inRequests.samples).toBeLessThan(samples);
    expect(inRequests.activities[0]?.activity).toBe('Node.Http/Request');
  });

  it('learns how often an event happened in activities, as view --metric says it', async () => {
    const toldBy = async (...args: string[]) =>
      (await tracewright('view', '--json', ...args, first))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    const isCounted = ({ name }: { readonly name: string }) => name === 'RequestStop';
    const { activities, withoutField } = await activityMetrics(await openTraces([first]), { isCounted });
    expect(inJson(activities)).toEqual(await toldBy('--metric', 'RequestStop'));
    expect(activities[0]?.total).toBeGreaterThan(0);
    expect(withoutField).toBe(0);
    const sums = await activityMetrics(await openTraces([first]), { isCounted, field: 'statusCode' });
    expect(inJson(sums.activities)).toEqual(await toldBy('--metric', 'RequestStop:statusCode'));
    expect(sums.activities[0]?.total).toBeGreaterThanOrEqual(200);
  });

  it('writes the report of the command', async () => {
    await tracewright('report', first, '-o', 'report.html');
    const html = await bytesOf(reportTrace(await openTraces([first])));
    expect(html.equals(readFileSync(join(folder, 'report.html')))).toBe(true);
  });

  it.each<[ExportFormat, string]>([
    ['perfetto', 'trace.pftrace'],
    ['speedscope', 'trace.speedscope.json'],
    ['csv', 'trace.csv'],
    ['nettrace', 'exported.nettrace.out'],
    ['otlp', 'trace.jsonl'],
    ['otlp-protobuf', 'trace.pb'],
    ['pprof', 'trace.pb.gz'],
    ['cpuprofile', 'trace.cpuprofile'],
    ['otlp-profiles', 'trace.profiles.jsonl'],
    ['otlp-profiles-protobuf', 'trace.profiles.pb'],
  ])('writes the export of the command in the format %s', async (format, file) => {
    await tracewright('export', first, '-o', file, '--format', format.replace('-protobuf', ''));
    const bytes = await bytesOf(exportTrace(await openTraces([first]), format));
    expect(bytes.equals(readFileSync(join(folder, file)))).toBe(true);
  });

  it('exports a part of the events, also as tables', async () => {
    const isWanted = ({ name }: { readonly name: string }) => name === 'RequestStart';
    const csv = await bytesOf(exportTrace(await openTraces([first]), 'csv', { isWanted }));
    expect(csv.toString().trimEnd().split(/\r?\n/).length).toBe(2);
    const lake = join(folder, 'lake');
    await exportTables(await openTraces([first]), lake, { isWanted, service: 'shop' });
    const files = readdirSync(lake, { recursive: true }).filter((name) => String(name).endsWith('.parquet'));
    expect(files.filter((name) => /events.*service=shop/.test(String(name))).length).toBe(1);
  });

  it('finds a folder as it was before tables of which not all could be written', async () => {
    const lake = join(folder, 'failed-lake');
    const filesIn = () =>
      readdirSync(lake, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    await exportTables(await openTraces([first]), lake, { name: 'first' });
    const before = filesIn().map(({ name }) => name);
    expect(before.length).toBeGreaterThan(5);
    let events = 0;
    const isWanted = () => {
      if (events++ === 20) throw new RangeError('The application fails.');
      return true;
    };
    const failing = exportTables(await openTraces([second]), lake, { name: 'second', isWanted });
    await expect(failing).rejects.toThrow('The application fails.');
    expect(filesIn().map(({ name }) => name)).toEqual(before);
    expect(readdirSync(lake)).not.toContain('.partial');
  });

  it('is told which formats there are', async () => {
    const format = 'pdf' as ExportFormat;
    await using trace = await openTraces([first]);
    await expect(bytesOf(exportTrace(trace, format))).rejects.toThrow(
      new TypeError(
        'exportTrace takes one of the formats perfetto, speedscope, csv, nettrace, otlp, otlp-protobuf, pprof, ' +
          'cpuprofile, otlp-profiles, otlp-profiles-protobuf, not pdf.',
      ),
    );
  });

  it('reads several traces as one', async () => {
    const count = async (...files: string[]) => {
      let events = 0;
      for await (const batch of (await openTraces(files)).batches()) events += batch.length;
      return events;
    };
    expect(await count(first, second)).toBe((await count(first)) + (await count(second)));
    await expect(openTraces([])).rejects.toThrow('openTraces needs the path of at least one trace.');
  });
});
