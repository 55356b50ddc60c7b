/** Commands on the traces of several processes as a user types them, on the built package. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../trace/etl/read-etl.ts';
import { zipArchive } from '../trace/source/zip-archive.ts';
import { originOf, shifted, tracedServices } from '../view/merge/services.ts';
import { bufferBytes, etlBytes } from '../wire/etl/etl-bytes.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const REQUESTS = 20;

let folder: string;
let traces: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-merged-'));
  const recorded = await tracedServices(folder, REQUESTS);
  const origin = originOf(recorded[0] as string);
  const clocks = [{}, { aheadNs: 1e10, driftPpm: 50 }, { aheadNs: -1e10 }];
  traces = recorded.map((trace, i) => {
    writeFileSync(trace, shifted(trace, origin, clocks[i] ?? {}));
    return trace;
  });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n'), stderr };
}

describe('several traces', () => {
  it('are one tree, with a message about how their clocks were corrected', () => {
    const { status, lines, stderr } = run('view', ...traces);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      new RegExp(
        [
          'front\\.nettrace: the clock that the others are compared with\\.',
          'middle\\.nettrace: clock \\d+\\.\\d{3} ms ahead, drifting by -?[\\d.]+ ± [\\d.]+ ppm; ' +
            'corrected within [\\d.]+ ms, by 20 requests\\.',
          'back\\.nettrace: clock \\d+\\.\\d{3} ms behind, drifting by -?[\\d.]+ ± [\\d.]+ ppm; ' +
            'corrected within [\\d.]+ ms, by 40 requests\\.',
        ].join('\\n.*'),
      ),
    );
    expect(lines[0]?.trimStart()).toBe('Time MSec  DURATION_MSEC  SELF_MSEC  ProcessID  Activity Name');
    const names = lines.slice(1, 8).map((line) => line.replace(/^.*\d {2}( *\w+)\(.*$/, '$1'));
    expect(names).toEqual([
      'Request',
      '  Call',
      '    Request',
      '      Call',
      '        Request',
      '  Call',
      '    Request',
    ]);
    expect(lines.length).toBe(1 + 7 * REQUESTS);
  });

  it('have their ids in JSON', () => {
    const [root, call] = run('view', '--json', ...traces).lines.map((line) => JSON.parse(line));
    expect(call).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId, depth: 1 });
  });

  it('are dumped in the order of their corrected times', () => {
    const { status, lines } = run('dump', '--json', '--event', '*Start', ...traces);
    expect(status).toBe(0);
    const starts = lines.map((line) => JSON.parse(line));
    const times = starts.map(({ timestamp }) => BigInt(timestamp));
    expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
    expect(starts.map(({ name }) => name).slice(0, 5)).toEqual(
      ['Request', 'Call', 'Request', 'Call', 'Request'].map((task) => `${task}Start`),
    );
    expect(new Set(starts.map(({ processId }) => processId)).size).toBe(3);
  });

  it('are counted together, with the clock of each', () => {
    const stats = JSON.parse(run('stats', '--json', ...traces).lines.join('\n'));
    expect(stats.processes.length).toBe(3);
    expect(stats.traces.map(({ clock }: { clock: { state: string } }) => clock.state)).toEqual([
      'reference',
      'estimated',
      'estimated',
    ]);
    const { offsetNs, errorNs } = stats.traces[1].clock;
    expect(Math.abs(offsetNs - 1e10)).toBeLessThan(errorNs + 1e6);
    expect(run('stats', ...traces).lines[0]).toMatch(/front\.nettrace: the clock that the others/);
  });

  it('are one report, and one export', () => {
    const report = join(folder, 'report.html');
    expect(run('report', ...traces, '-o', report).stderr).toMatch(/Reported 140 activities/);
    const csv = join(folder, 'merged.csv');
    expect(run('export', ...traces, '--event', '*Start', '-o', csv).status).toBe(0);
    const [, ...starts] = readFileSync(csv, 'utf8').trimEnd().split('\r\n');
    expect(starts.length).toBe(7 * REQUESTS);
    const times = starts.map((line) => BigInt(line.split(',', 1)[0] ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
  });

  it('may be in one archive', () => {
    const archive = join(folder, 'all.zip');
    const contents = traces.map((trace) => [basename(trace), readFileSync(trace)] as const);
    writeFileSync(archive, zipArchive(Object.fromEntries(contents)));
    const { lines, stderr } = run('view', archive);
    expect(stderr).toMatch(/^front\.nettrace: the clock/);
    expect(lines.length).toBe(1 + 7 * REQUESTS);
    expect(run('view', archive, '--member', 'back').lines.length).toBe(1 + 2 * REQUESTS);
    const two = run('view', archive, '--member', 'front', '--member', 'back');
    expect(two.stderr).toMatch(/^front: the clock that .*\nback: /);
    expect(run('view', archive, '--member', 'front', '--member', 'none').stderr).toMatch(
      /has no member "none". Choose one of: .*front\.nettrace/,
    );
  });

  it('may be in several archives, each with some of them', () => {
    const [front = '', ...others] = traces;
    const archive = join(folder, 'others.zip');
    const contents = others.map((trace) => [basename(trace), readFileSync(trace)] as const);
    writeFileSync(archive, zipArchive(Object.fromEntries(contents)));
    expect(run('view', front, archive).lines.length).toBe(1 + 7 * REQUESTS);
  });

  it('are one recording if they are the files of one on Windows', () => {
    const name = (file: string) => join(folder, file);
    writeFileSync(name('app.etl'), etlBytes([bufferBytes([at(10), at(30)])]));
    writeFileSync(name('app.kernel.etl'), etlBytes([bufferBytes([at(20)])]));
    const { status, lines, stderr } = run('dump', '--json', name('app.etl'));
    expect(stderr).toBe(`${name('app.etl')}, ${name('app.kernel.etl')}: read as one recording.\n`);
    expect([status, ...lines.map((line) => JSON.parse(line).id)]).toEqual([0, 10, 20, 30]);
    expect(run('dump', '--json', name('app*.etl')).lines).toEqual(lines);
  });

  it('cannot include standard input or the same file twice', () => {
    expect(run('view', traces[0] ?? '', '-')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Several traces are read twice'),
    });
    expect(run('view', traces[0] ?? '', traces[0] ?? '')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('A trace is given twice.'),
    });
  });
});
