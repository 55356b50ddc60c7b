/** `tracewright dump` as a user types it, on the built package and a real recording. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

function dump(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'dump', ...args], {
    encoding: 'utf8',
  });
  return { status, lines: stdout === '' ? [] : stdout.trimEnd().split('\n'), stderr };
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`dumping a recording (${SKIP_REASON})`, () => {
  const file = join(dataFolder ?? '', 'perf-data/perf.data');

  it('prints a line for each event, in the order of time', () => {
    const { status, lines, stderr } = dump(file);
    expect({ status, stderr, count: lines.length }).toEqual({ status: 0, stderr: '', count: 254 });
    const times = lines.map((line) => Number(line.trim().split(' ', 1)[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(lines[1]).toBe('    0.000533     2004  TestProviderC/EventCG  -  enabled=true');
  });

  it('prints JSON lines, in which every value is kept', () => {
    const events = dump('--json', file).lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.length).toBe(254);
    expect(events[1]).toEqual({
      provider: 'TestProviderC',
      name: 'EventCG',
      level: 5,
      opcode: 0,
      keywords: '0x0',
      processId: 2004,
      threadId: 2004,
      processor: 16,
      time: '12784703738266',
      payload: { enabled: true },
    });
    const { activityId, activityPath } = events.find((event) => event.activityId !== undefined) ?? {};
    expect(activityId).toMatch(/^[0-9a-f-]{36}$/);
    expect(activityPath).toBeUndefined();
  });
});

describe('what cannot be dumped', () => {
  it('is told in a sentence', () => {
    const text = join(tmpdir(), `tracewright-test-${process.pid}.txt`);
    writeFileSync(text, 'not a recording');
    expect(dump(text)).toEqual({
      status: 1,
      lines: [],
      stderr: 'tracewright: This is not perf.data: it does not start with PERFILE2. (at byte 0)\n',
    });
    expect(dump('/nowhere/perf.data')).toMatchObject({ status: 1, lines: [] });
    expect(dump()).toMatchObject({ status: 2, lines: [] });
    expect(dump('--jsno', text)).toMatchObject({ status: 2, lines: [] });
    expect(dump('--help')).toMatchObject({ status: 0, stderr: '' });
  });
});
