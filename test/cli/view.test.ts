/** `tracewright view` as a user types it, on the built package and a recording of .NET's activities. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { missingOnWindows, named } from '../platforms.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));

function view(...args: string[]) {
  return viewOf(undefined, ...args);
}

function viewOf(input: Uint8Array | undefined, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'view', ...args], {
    encoding: 'utf8',
    input,
  });
  return { status, lines: stdout === '' ? [] : stdout.trimEnd().split('\n'), stderr };
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`viewing a recording (${SKIP_REASON})`, () => {
  const file = join(dataFolder ?? '', 'nettrace/activities-net10.v4.nettrace');
  const withoutActivities = join(dataFolder ?? '', 'etl/gcevents.etl');

  it('shows the tree of activities', () => {
    const { status, lines, stderr } = view(file);
    expect({ status, stderr, count: lines.length }).toEqual({ status: 0, stderr: '', count: 16 });
    expect(lines.slice(0, 4)).toEqual([
      'Time MSec  DURATION_MSEC  SELF_MSEC  Activity Name',
      '    3.659         66.694     13.739  Request(/#4321/1/1/,/url=http://site/item/3)',
      '    8.774         16.117     16.117    Db(/#4321/1/1/1/,/sql=select 0)',
      '   26.918         36.838     36.838    Db(/#4321/1/1/2/,/sql=select 1)',
    ]);
    expect(lines).toContain('   15.583  killed 56.481     56.481    Db(/#4321/1/4/1/,/sql=select 0)');
  });

  it('shows where the CPU time went', () => {
    const recording = join(dataFolder ?? '', 'etl/net.4.5.2.x64.etl');
    const [first] = view('--cpu', '--json', recording).lines;
    expect(JSON.parse(first ?? '')).toEqual({
      name: 'System.DateTime.GetDatePart',
      module: expect.stringMatching(/\\mscorlib\.dll$/),
      total: 1866,
      self: 1856,
      off: 0,
    });
    expect(view('--cpu', file).stderr).toContain('has no CPU samples.');
  });

  it('sums up events by activity', () => {
    const rows = view('--metric', 'Log', '--json', file).lines.map((line) => JSON.parse(line));
    expect(rows[0]).toMatchObject({ activity: 'Demo-Activities/Request', inside: [] });
    expect(rows[0].totalEvents).toBe(rows.reduce((sum, { selfEvents }) => sum + selfEvents, 0));
    expect(view('--metric', 'Nothing', file).stderr).toContain('has no event Nothing.');
    expect(view('--metric', 'Log:nothing', file).stderr).toMatch(
      /\d+ of \d+ events have no number nothing\./,
    );
  });

  it('shows the events as a table', () => {
    const { status, lines } = view('--table', '--activity', '//1/2', file);
    expect({ status, lines }).toEqual({
      status: 0,
      lines: [
        'Event Name                     Time MSec  ThreadID  ActivityID  RelatedActivityID  DURATION_MSEC',
        'Demo-Activities/Request/Start      7.540       101  //1/2',
        'Demo-Activities/Db/Start          19.502       102  //1/2/1     //1/2',
        'Demo-Activities/Log               21.395       102  //1/2/1',
        'Demo-Activities/Db/Stop           29.225       103  //1/2/1                                9.723',
        'Demo-Activities/Log               31.178       103  //1/2',
        'Demo-Activities/Request/Stop      35.649       102  //1/2                                 28.110',
      ],
    });
  });

  it('includes the fields of events in its JSON', () => {
    const [request] = view('--json', '--name', 'Request', '--slowest', '1', file).lines;
    expect(JSON.parse(request ?? '')).toMatchObject({
      payload: { url: 'http://site/item/3' },
      stopPayload: expect.any(Object),
    });
    const [row] = view('--table', '--json', '--activity', '//1/2', file).lines;
    expect(JSON.parse(row ?? '')).toMatchObject({
      payload: { url: expect.stringContaining('http://site/') },
    });
  });

  it('sums up durations by name', () => {
    const [head, request, db, ...rest] = view('--stats', file).lines.map((line) => line.split(/ {2,}/));
    expect(head?.slice(0, 4)).toEqual(['Activity Name', 'COUNT', 'TOTAL_MSEC', 'SELF_MSEC']);
    expect(request?.slice(0, 4)).toEqual(['Demo-Activities/Request', '6', '298.080', '80.199']);
    expect(db?.slice(0, 4)).toEqual(['Demo-Activities/Db', '9', '123.071', '123.071']);
    expect(rest).toEqual([]);
    const [ofOne] = view('--stats', '--json', '--activity', '/#4321/1/2/', file).lines;
    expect(JSON.parse(ofOne ?? '')).toMatchObject({
      name: 'Demo-Activities/Request',
      count: 1,
      maxMSec: 28.1097,
    });
  });

  it('sums up durations by the values of a field, of the activity or of one around it', () => {
    const [head, ...rows] = view('--stats', '--by', 'url', file).lines.map((line) => line.split(/ {2,}/));
    expect(head?.slice(0, 3)).toEqual(['url', 'Activity Name', 'COUNT']);
    expect(rows).toHaveLength(12);
    expect(rows[3]?.slice(0, 4)).toEqual(['http://site/item/3', 'Demo-Activities/Db', '2', '52.954']);
    const only = view('--json', '--stats', '--by', 'sql', '--where', 'url=http://site/item/3', file).lines;
    expect(only.map((line) => JSON.parse(line) as object)).toMatchObject([
      { name: 'Demo-Activities/Request', by: 'sql', value: null, count: 1, failed: 0 },
      { name: 'Demo-Activities/Db', by: 'sql', value: 'select 1', maxMSec: 36.8377 },
      { name: 'Demo-Activities/Db', by: 'sql', value: 'select 0', maxMSec: 16.1165 },
    ]);
  });

  it('shows the activities, or the events, with the value of a field', () => {
    const names = (...args: string[]) =>
      view(...args, '--json', file).lines.map((line) => JSON.parse(line) as object);
    expect(names('--where', 'sql=select 1')).toMatchObject([
      { name: 'Db(/#4321/1/1/2/,/sql=select 1)', depth: 0 },
      { name: 'Db(/#4321/1/6/2/,/sql=select 1)', depth: 0 },
    ]);
    const events = names('--table', '--where', 'url=http://site/item/2');
    expect(events).toHaveLength(6);
    expect(events.every((row) => (row as { activity: string }).activity.startsWith('//1/2'))).toBe(true);
    const values = 'The values of sql are select 0, select 1 and select 2.';
    expect(view('--where', 'sql=select 77', file)).toMatchObject({
      status: 1,
      stderr: `tracewright: ${file} has no activity with sql=select 77. ${values}\n`,
    });
    const fields = 'fields are msg, rows, sql, status and url.\n';
    expect(view('--where', 'user=alice', file).stderr).toContain(` with user=alice. Its ${fields}`);
    expect(view('--stats', '--by', 'user', file).stderr).toContain(` has the field user. Their ${fields}`);
  });

  it('finds the slowest activities of a name', () => {
    const names = (...args: string[]) =>
      view(...args, '--json', file).lines.map((line) => (JSON.parse(line) as { name: string }).name);
    expect(names('--name', 'db', '--slowest', '2')).toEqual([
      'Db(/#4321/1/1/2/,/sql=select 1)',
      'Db(/#4321/1/5/1/,/sql=select 0)',
    ]);
  });

  it('reads a pipe', () => {
    expect(viewOf(readFileSync(file), '-').lines).toEqual(view(file).lines);
  });

  it('shows the events before the damage, and says what is damaged', () => {
    const { status, lines, stderr } = viewOf(readFileSync(file).subarray(0, 1500), '-');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'tracewright: The trace is truncated. (at byte 1500)\n',
    });
    expect(lines).toContain(
      '    3.659    open 57.796             Request(/#4321/1/1/,/url=http://site/item/3)',
    );
    expect(lines).toContain('   61.456       no start             Request(/#4321/1/3/)');
  });

  it('says why there is nothing to show', () => {
    const { status, lines, stderr } = view(withoutActivities);
    expect({ status, lines }).toEqual({ status: 0, lines: [] });
    expect(stderr).toContain('has no activities: nothing in it starts or stops with an activity id.');
    expect(stderr).toContain('3 starts without an id.');
    expect(view('--activity', '//1/77', file)).toMatchObject({
      status: 1,
      lines: [],
      stderr: `tracewright: ${file} has no activity //1/77.\n`,
    });
  });

  it.skipIf(missingOnWindows('signals') !== undefined)(
    named('shows on Ctrl-C what it has read', missingOnWindows('signals')),
    async () => {
      const interruptedAfter = async (ms: number) => {
        const child = spawn(process.execPath, [main, 'view', '--stats', '-']);
        const output = Promise.all([text(child.stdout), text(child.stderr)]);
        // Not the end of it: the command waits for more.
        child.stdin.write(readFileSync(file).subarray(0, -1));
        await sleep(ms);
        child.kill('SIGINT');
        const [status] = await once(child, 'exit');
        const [stdout, stderr] = await output;
        return { status, stdout, stderr };
      };
      let ended = await interruptedAfter(1500);
      // The signal ends a command that has not started to read yet.
      for (let ms = 5000; ended.status === null && ms < 30_000; ms *= 2) ended = await interruptedAfter(ms);
      const { status, stdout, stderr } = ended;
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: 'tracewright: Interrupted: only the events read so far are shown.\n',
      });
      expect(stdout).toContain('Demo-Activities/Request');
    },
    60_000,
  );
});

describe('an unreadable trace or an invalid command line', () => {
  it('is rejected', () => {
    const empty = join(tmpdir(), `tracewright-view-${process.pid}`);
    writeFileSync(empty, '');
    expect(view(empty)).toMatchObject({ status: 1, lines: [] });
    expect(view('/nowhere/trace.etl')).toMatchObject({ status: 1, lines: [] });
    for (const args of [
      [],
      ['--table', '--stats', empty],
      ['--critical', empty],
      ['--blocked', empty],
      ['--pauses', empty],
      ['--table', '--name', 'Request', empty],
      ['--slowest', '0', empty],
      ['--activity', 'Request', empty],
      ['--by', 'user', empty],
      ['--stats', '--slowest', '1', '--by', 'user', empty],
      ['--where', 'user', empty],
      ['--where', 'user=alice', '--where', 'user=bob', empty],
    ]) {
      expect(view(...args)).toMatchObject({ status: 2, lines: [] });
    }
    expect(view('--help')).toMatchObject({ status: 0, stderr: '' });
  });
});
