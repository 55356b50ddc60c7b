/** `tracewright dump` and `stats` as a user types them, on the built package and real traces. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tracewright-dump-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, args: readonly string[], input?: Uint8Array) {
  const options = { encoding: 'utf8', maxBuffer: 1 << 28, ...(input && { input }) } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, command, ...args], options);
  return { status, lines: stdout === '' ? [] : stdout.trimEnd().split('\n'), stderr };
}

const dump = (...args: string[]) => run('dump', args);
const stats = (...args: string[]) => run('stats', args);
const eventsOf = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>);

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`dumping a trace (${SKIP_REASON})`, () => {
  const perfData = join(dataFolder ?? '', 'perf-data/perf.data');
  const etl = join(dataFolder ?? '', 'etl/HTTP_Server.etl');
  const manifest = join(dataFolder ?? '', 'etl/HTTP_Server.man');
  const nettrace = join(dataFolder ?? '', 'nettrace/activities-net10.v6.nettrace');

  it('prints a line for each event, in time order', () => {
    const { status, lines, stderr } = dump(perfData);
    expect({ status, stderr, count: lines.length }).toEqual({ status: 0, stderr: '', count: 539 });
    const times = lines.map((line) => Number(line.trim().split(' ', 1)[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(lines).toContain('    2.201455     2004  TestProviderC/EventCG  -  enabled=true');
  });

  it('prints JSON lines, which keep every value and omit null', () => {
    const events = eventsOf(
      dump('--json', '--provider', 'TestProviderC', '--event', 'EventCG', '--limit', '1', perfData).lines,
    );
    expect(events).toEqual([
      {
        provider: 'TestProviderC',
        name: 'EventCG',
        id: 0,
        version: 0,
        level: 5,
        opcode: 0,
        opcodeName: 'Info',
        task: 0,
        keywords: '0x0',
        channel: 0,
        processId: 2004,
        threadId: 2004,
        processor: 16,
        timestamp: '1711586714789514990',
        timeSinceStart: '2201454990',
        labels: { ProviderGroup: 'msft' },
        payload: { enabled: true },
        position: expect.any(Number),
      },
    ]);
  });

  it('shows activities as paths, and selects them including everything below', () => {
    const of = (activity: string) => eventsOf(dump('--json', '--activity', activity, nettrace).lines);
    const paths = new Set(of('//1/4').map((event) => event.activityPath));
    expect([...paths]).toEqual(['//1/4', '//1/4/1']);
    expect(of('/#4321/1/4/').length).toBe(of('//1/4').length);
    expect(of('/#4322/1/4/')).toEqual([]);
  });

  it('selects by provider, event, level and time, and stops at a limit', () => {
    const names = (...args: string[]) =>
      eventsOf(dump('--json', ...args, nettrace).lines).map(({ name }) => name);
    expect(new Set(names('--event', 'Request/Start'))).toEqual(new Set(['RequestStart']));
    expect(names('--provider', 'Demo-*', '--limit', '3').length).toBe(3);
    expect(names('--provider', '082256f5-7e74-534a-d7aa-b5a2c4825e57').length).toBe(43);
    expect(names('--level', 'error')).toEqual([]);
    expect(names('--to', '8ms').length).toBe(2);
    expect(names('--from', '2024-05-17T10:20:30.47Z').length + names('--to', '70ms').length).toBe(43);
  });

  it('accepts manifests for events that do not describe themselves', () => {
    const parsed = eventsOf(
      dump('--json', '--event', '2', '--limit', '1', '--manifest', manifest, etl).lines,
    )[0];
    expect(parsed).toMatchObject({
      provider: 'Microsoft-Windows-HttpService',
      payload: { HttpVerb: expect.anything(), Url: 'http://georgis2:80/windir.txt' },
    });
    expect(parsed?.name).toBe('HTTP Request Trace Task/Parse');
    // This provider of Windows is known, but without the spaces of its names.
    const known = eventsOf(dump('--json', '--event', '2', '--limit', '1', etl).lines)[0];
    expect(known?.name).toBe('HTTPRequestTraceTask/Parse');
    expect(known?.payload).toEqual(parsed?.payload);
  });

  it('accepts manifests in any encoding of Windows, and says which one is invalid', () => {
    const xml = readFileSync(manifest, 'utf8');
    const asUtf16 = join(folder, 'utf16.man');
    const event = (file: string) =>
      eventsOf(dump('--json', '--event', '2', '--limit', '1', '--manifest', file, etl).lines)[0];
    for (const encoded of [
      Buffer.from(`\ufeff${xml}`, 'utf16le'),
      Buffer.from(`\ufeff${xml}`, 'utf16le').swap16(),
      Buffer.from(`\ufeff${xml}`),
    ]) {
      writeFileSync(asUtf16, encoded);
      expect(event(asUtf16)).toEqual(event(manifest));
    }
    const wrong = join(folder, 'wrong.man');
    writeFileSync(
      wrong,
      '<events><provider guid="{082256f5-7e74-534a-d7aa-b5a2c4825e57}"></provider></events>',
    );
    expect(dump('--manifest', manifest, '--manifest', wrong, etl)).toEqual({
      status: 1,
      lines: [],
      stderr: `tracewright: ${wrong}: A <provider> has no name. (at character 8)\n`,
    });
  });

  it('reads standard input, and gzip', () => {
    const packed = gzipSync(readFileSync(etl));
    const path = join(folder, 'trace.etl.gz');
    writeFileSync(path, packed);
    expect(dump(path).lines.length).toBe(2041);
    expect(run('dump', ['-'], packed).lines.length).toBe(2041);
  });

  it('prints the events before a trace is cut off, then says where, and fails', () => {
    const cut = join(folder, 'cut.nettrace');
    writeFileSync(cut, readFileSync(nettrace).subarray(0, 2000));
    const { status, lines, stderr } = dump(cut);
    expect(status).toBe(1);
    expect(lines.length).toBeGreaterThan(0);
    expect(stderr).toMatch(/^tracewright: .+ \(at byte \d+\)\n$/);
  });

  it('counts events, processes and time', () => {
    const { status, lines } = stats(etl, '--manifest', manifest);
    expect(status).toBe(0);
    expect(lines[1]).toBe(
      '2041 events in 29.512073 s, 2011-01-23T22:07:27.225759100Z to 2011-01-23T22:07:56.737831900Z',
    );
    const summary = JSON.parse(stats('--json', etl).lines.join('\n'));
    expect(summary).toMatchObject({ format: 'etl', events: 2041, lostEvents: 0, processors: 4 });
    const parse = summary.providers[0].byEvent.find(({ id }: { id: number }) => id === 2);
    expect(parse.events).toBe(291);
  });

  it('says if the recorder lost events', () => {
    const { stderr, lines } = stats(join(dataFolder ?? '', 'etl/AMSITrace.etl'));
    expect(lines[2]).toBe('Lost: 3 events, 0 buffers');
    expect(stderr).toBe('tracewright: The recorder lost 3 events.\n');
  });
});

describe('a trace that cannot be dumped', () => {
  const text = join(folder, 'text.txt');
  writeFileSync(text, 'not a recording');

  it('is reported in a sentence', () => {
    expect(dump(text)).toEqual({
      status: 1,
      lines: [],
      stderr: `tracewright: ${text} is not a supported trace (.etl, .nettrace, .netperf, perf.data, trace.dat, .pftrace, plain or in gzip, zstd or zip): it starts with 6e 6f 74 20 61 20 72 65. (at byte 0)\n`,
    });
    const problemOf = (...args: string[]) => dump(...args).stderr;
    expect(problemOf('/nowhere/perf.data')).toBe('tracewright: There is no file "/nowhere/perf.data".\n');
    expect(problemOf(folder)).toBe(`tracewright: "${folder}" is a folder, not a file.\n`);
    expect(problemOf('--manifest', '/nowhere.man', text)).toBe(
      'tracewright: There is no file "/nowhere.man".\n',
    );
    expect(dump('/nowhere/perf.data')).toMatchObject({ status: 1, lines: [] });
  });

  it('is a usage error if the command line is invalid', () => {
    expect(dump()).toMatchObject({ status: 2, lines: [] });
    expect(dump('--jsno', text)).toMatchObject({ status: 2, lines: [] });
    expect(dump('--limit', 'many', text)).toMatchObject({
      status: 2,
      stderr: 'tracewright: --limit takes a number of at least 0, not "many".\n',
    });
    expect(dump('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(stats('--help')).toMatchObject({ status: 0, stderr: '' });
  });
});
