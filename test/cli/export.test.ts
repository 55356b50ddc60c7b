/** `tracewright export` as a user types it, on the built package and real traces. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { checkSpeedscope } from '../export/speedscope-rules.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { checkNetTrace } from '../wire/nettrace/write/nettrace-checker.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tracewright-export-'));
const out = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(out(name));
});

function run(...args: string[]) {
  const options = { maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'export', ...args], options);
  return { status, stdout, stderr: stderr.toString() };
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`exporting a trace (${SKIP_REASON})`, () => {
  const nettrace = join(dataFolder ?? '', 'nettrace/activities-net10.v6.nettrace');
  const perfData = join(dataFolder ?? '', 'perf-data/perf.data');

  it.each([
    ['trace.pftrace', (bytes: Buffer) => bytes.length],
    ['trace.speedscope.json', (bytes: Buffer) => checkSpeedscope(bytes.toString()).profiles.length],
    ['trace.nettrace', (bytes: Buffer) => checkNetTrace(bytes).events],
    ['trace.csv', (bytes: Buffer) => bytes.toString().trimEnd().split('\r\n').length - 1],
  ])('has the format of the extension %s, and leaves no other file', (name, count) => {
    const { status, stderr } = run(nettrace, '-o', out(name));
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^Exported (?:\d+ activities and 0 CPU samples from )?43 events into .*\(\d+\.\d kB\)\.\n$/,
      ),
    });
    expect(count(readFileSync(out(name)))).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual([name]);
  });

  it('writes spans for OpenTelemetry as JSON and as protobuf, the same ones each time', () => {
    const files = ['a.jsonl', 'a.otlp.json', 'a.pb', 'b.pb'].map((name) => out(name));
    for (const file of files) expect(run(nettrace, '-o', file).status).toBe(0);
    const [lines = '', otherLines, pb, otherPb] = files.map((file) => readFileSync(file, 'latin1'));
    expect(lines).toBe(run('--format', 'otlp', nettrace, '-o', '-').stdout.toString('latin1'));
    expect([lines, pb]).toEqual([otherLines, otherPb]);
    const [request = ''] = lines.split('\n');
    const [{ scopeSpans }] = JSON.parse(request).resourceSpans;
    expect(scopeSpans[0].scope.name).toBe('Demo-Activities');
    for (const { traceId } of scopeSpans[0].spans)
      expect(pb).toContain(Buffer.from(traceId, 'hex').toString('latin1'));
  });

  it('says what the file has, which is not always the events that it was made from', () => {
    const { stderr } = run('--format', 'otlp', nettrace, '-o', out('all.jsonl'));
    expect(stderr).toMatch(/Exported [1-9]\d* spans from 43 events into \S+ \(\d+\.\d kB\)\.\n$/);
    const nothing = run('--format', 'otlp', perfData, '-o', out('none.jsonl'));
    expect(nothing.stderr).toMatch(
      /^tracewright: Omitted (\d+) events outside all activities\.\nExported 0 spans from \1 events into \S+, which is empty\.\n$/,
    );
    expect(statSync(out('none.jsonl')).size).toBe(0);
  });

  it('writes to standard output, in the given format', () => {
    const { status, stdout } = run('--format', 'nettrace', '--nettrace-version', '4', perfData, '-o', '-');
    expect(status).toBe(0);
    expect(checkNetTrace(stdout)).toMatchObject({ version: 4, events: 539 });
  });

  it('accepts the filters of the other commands', () => {
    const { stdout } = run('--format', 'csv', '--event', 'sched_switch', perfData, '-o', '-');
    expect(stdout.toString().trimEnd().split('\r\n').length).toBe(286);
  });

  it('has a column for each field with --flatten', () => {
    const { stdout } = run('--format', 'csv', '--flatten', nettrace, '-o', '-');
    const [head = ''] = stdout.toString().split('\r\n');
    expect(head).toContain(',payload.url,');
  });

  it('says what version 4 cannot represent', () => {
    const { stderr } = run('--nettrace-version', '4', perfData, '-o', out('trace.nettrace'));
    expect(stderr).toMatch(
      /^tracewright: The events are from \d+ processes, which version 4 cannot distinguish: use version 6.\n/,
    );
  });

  it('writes the events before the damage of a trace, and says so', () => {
    const cut = out('cut.nettrace');
    writeFileSync(cut, readFileSync(nettrace).subarray(0, 1500));
    const { status, stderr } = run(cut, '-o', out('trace.csv'));
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^Exported 19 events into .*\ntracewright: The trace is truncated\. \(at byte 1500\)\n$/,
      ),
    });
    expect(readFileSync(out('trace.csv'), 'utf8').split('\r\n').length).toBe(1 + 19 + 1);
  });

  it('keeps an existing file if the trace cannot be opened', () => {
    writeFileSync(out('trace.csv'), 'old');
    writeFileSync(out('no.etl'), 'not a trace');
    const { status, stderr } = run(out('no.etl'), '-o', out('trace.csv'));
    expect(status).toBe(1);
    expect(stderr.split('\n').length).toBe(2);
    expect(readFileSync(out('trace.csv'), 'utf8')).toBe('old');
  });

  const noLinks = missingOnWindows('links without a right of its own');
  it.skipIf(noLinks !== undefined)(named('may replace its own input, also behind a link', noLinks), () => {
    writeFileSync(out('trace.nettrace'), readFileSync(nettrace));
    symlinkSync(out('trace.nettrace'), out('link.nettrace'));
    const { status } = run(out('trace.nettrace'), '-o', out('link.nettrace'));
    expect(status).toBe(0);
    expect(checkNetTrace(readFileSync(out('trace.nettrace'))).events).toBe(43);
    expect(readdirSync(folder).sort()).toEqual(['link.nettrace', 'trace.nettrace']);
  });

  it('says in a sentence that it cannot write', () => {
    const { status, stderr } = run(nettrace, '-o', join(folder, 'none/trace.csv'));
    expect(status).toBe(1);
    expect(stderr).toContain('ENOENT');
    expect(stderr.split('\n').length).toBe(2);
  });

  it.skipIf(missingOnWindows('signals') !== undefined).each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    named('ends at %s with a whole file of what was read', missingOnWindows('signals')),
    async (signal) => {
      const target = out('trace.csv');
      const child = spawn(process.execPath, [main, 'export', '-', '-o', target], {
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      const closed = once(child, 'close');
      let stderr = '';
      child.stderr.on('data', (text) => {
        stderr += text;
      });
      child.stdin.on('error', () => {});
      const samples = join(dataFolder ?? '', 'nettrace/only_managed_samples.nettrace');
      child.stdin.write(readFileSync(samples).subarray(0, 300_000));
      // Under a temporary name, which nobody can predict.
      while (!readdirSync(folder).some((name) => statSync(out(name)).size > 0)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      child.kill(signal);
      const [status] = await closed;
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `tracewright: Interrupted: ${target} has the events read so far.\n`,
      });
      const lines = readFileSync(target, 'utf8').split('\r\n');
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.at(-1)).toBe('');
      expect(readdirSync(folder)).toEqual(['trace.csv']);
    },
  );
});

describe('exporting', () => {
  it.each([
    [['trace.etl'], 'export needs -o OUT, the file to write, or --parquet DIR, the folder.'],
    [
      ['trace.etl', '-o', 'trace.txt'],
      'No format has the extension of trace.txt: --format takes perfetto, speedscope, csv, pprof, cpuprofile, otlp, otlp-profiles or nettrace.',
    ],
    [
      ['trace.etl', '-o', '-', '--format', 'xml'],
      '--format takes perfetto, speedscope, csv, pprof, cpuprofile, otlp, otlp-profiles or nettrace, not "xml".',
    ],
    [['trace.etl', '-o', 'a.pftrace', '--flatten'], '--flatten is for csv, not for perfetto.'],
    [['trace.etl', '-o', 'a.pb.gz', '--flatten'], '--flatten is for csv, not for pprof.'],
    [
      ['trace.etl', '-o', 'a.csv', '--symbols', '/'],
      '--symbols is for speedscope, perfetto, pprof, cpuprofile, otlp-profiles, not for csv.',
    ],
    [
      ['-', '-o', 'a.csv', '--flatten'],
      '--flatten reads the trace twice, which is not possible with standard input.',
    ],
    [
      ['trace.etl', '-o', 'a.csv', '--nettrace-version', '4'],
      '--nettrace-version is for nettrace, not for csv.',
    ],
    [
      ['trace.etl', '-o', 'a.nettrace', '--nettrace-version', '5'],
      '--nettrace-version takes 4 or 6, not "5".',
    ],
  ])('rejects %j', (args, message) => {
    const { status, stderr } = run(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: `tracewright: ${message}\n` });
  });
});
