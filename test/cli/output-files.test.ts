/**
 * The files that commands write, where a neighbour plants links and pipes, a disk is full, or Ctrl-C comes. As root, the
 * neighbour is another user and the disk a small one of its own.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineEventSource, event, startSession } from '../../lib/index.ts';
import { itEach } from '../at-length.ts';
import { linuxOnly, named } from '../platforms.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.mjs';
import { RunningCommand } from './run-tracewright.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const noRoot =
  linuxOnly('users') ?? (process.geteuid?.() === 0 ? undefined : 'only root may be another user');
const NOBODY = 65534;
const EVENTS = 40_000;

let folder: string;
let trace: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-output-'));
  trace = join(folder, 'trace.nettrace');
  const log = defineEventSource('Output-Test', { Plain: event({ text: 'string' }) });
  const session = startSession({ providers: 'Output-Test', output: trace, maxBufferBytes: 64 * 2 ** 20 });
  for (let n = 0; n < EVENTS; n++) log.Plain({ text: `number ${n}` });
  expect(await session.close()).toMatchObject({ events: EVENTS, problem: undefined });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]) => new RunningCommand(args, { cwd: folder }).end();

describe.skipIf(noRoot !== undefined)(named("in a neighbour's folder", noRoot), () => {
  let hostile: string;
  let victim: string;
  beforeAll(() => {
    victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
  });

  itEach<[string, number]>(2, [
    ['report.html', 0o777],
    ['export.csv', 0o1777],
    ['report.html', 0o1777],
    ['export.csv', 0o777],
    ...['export.pftrace', 'export.nettrace'].flatMap((name): [string, number][] => [
      [name, 0o777],
      [name, 0o1777],
    ]),
  ])('%s follows no link (mode %i)', async (name, mode) => {
    hostile = mkdtempSync(join(folder, 'hostile-'));
    chownSync(hostile, NOBODY, NOBODY);
    chmodSync(hostile, mode);
    const output = join(hostile, name);
    for (const planted of [output, `${output}.part`, `${output}.partial`, `${output}.old`]) {
      symlinkSync(victim, planted);
    }
    const command = name === 'report.html' ? 'report' : 'export';
    const { status, stderr } = await run(command, trace, '-o', output);
    expect([status, stderr]).toEqual([0, expect.stringContaining(output)]);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(output).isFile()).toBe(true);
    expect(statSync(output)).toMatchObject({ uid: 0, nlink: 1 });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(readdirSync(hostile)).toHaveLength(4);
  });

  it("a neighbour's pipe gets nothing", async () => {
    hostile = mkdtempSync(join(folder, 'hostile-'));
    const output = join(hostile, 'pipe.csv');
    execFileSync('mkfifo', ['-m', '666', output]);
    chownSync(output, NOBODY, NOBODY);
    const { status, stderr } = await run('export', trace, '-o', output);
    expect(status).toBe(1);
    expect(stderr).toContain(`tracewright: ${output} cannot be written (it belongs to another user, 65534).`);
  });

  it('somebody who may not replace a file is told so', async () => {
    hostile = mkdtempSync(join(folder, 'sticky-'));
    chmodSync(folder, 0o755);
    chmodSync(hostile, 0o1777);
    const output = join(hostile, 'roots.csv');
    writeFileSync(output, 'precious', { mode: 0o666 });
    chmodSync(trace, 0o644);
    const { status, stderr } = await new RunningCommand(['export', trace, '-o', output], {
      uid: NOBODY,
    }).end();
    expect([status, stderr]).toEqual([1, `tracewright: ${output} cannot be written (EPERM).\n`]);
    expect(readFileSync(output, 'utf8')).toBe('precious');
    expect(readdirSync(hostile)).toEqual(['roots.csv']);
  });
});

describe('a device or pipe', () => {
  itEach(2, [['/dev/stdout'], ['-'], ['/dev/fd/1'], ['/proc/self/fd/1']])(
    'such as %s takes the output',
    async (path) => {
      const { status, stdout } = await run('export', trace, '--format', 'csv', '-o', path);
      expect(status).toBe(0);
      expect(stdout.trimEnd().split('\n').length).toBe(EVENTS + 1);
    },
  );

  it('such as /dev/null does, too, and stays what it is', async () => {
    expect(await run('export', trace, '--format', 'csv', '-o', '/dev/null')).toMatchObject({ status: 0 });
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('such as a named pipe of our own does', async () => {
    const pipe = join(folder, 'own.csv');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('sh', ['-c', `wc -l < ${pipe}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    let counted = '';
    reader.stdout.setEncoding('utf8').on('data', (text) => {
      counted += text;
    });
    const ended = once(reader, 'close');
    expect(await run('export', trace, '-o', pipe)).toMatchObject({ status: 0 });
    await ended;
    expect(Number(counted)).toBe(EVENTS + 1);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it.each([
    ['report', '-o', '/dev/full'],
    ['export', '--format', 'csv', '-o', '/dev/full'],
  ])('that is full is named: %s', async (command, ...args) => {
    const { status, stderr } = await run(command, trace, ...args);
    expect([status, stderr]).toEqual([1, 'tracewright: /dev/full cannot be written (ENOSPC).\n']);
  });

  itEach(2, [['dump'], ['export --format csv -o -'], ['export --format csv -o /dev/stdout'], ['stats']])(
    'that is full as standard output is named, too: %s',
    (args) => {
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', `${process.execPath} ${main} ${args} ${trace} > /dev/full`],
        {
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([1, 'tracewright: Standard output cannot be written (ENOSPC).\n']);
    },
  );

  it('whose reader has gone is named where the output is worth nothing in part, and lines end quietly', () => {
    const through = (args: string) => {
      const script = `{ ${process.execPath} ${main} ${args} ${trace}; echo "status $?" >&2; } | head -c 1 > /dev/null`;
      return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stderr;
    };
    expect(through('dump')).toBe('status 0\n');
    for (const name of ['-', '/dev/stdout']) {
      expect(through(`export --format csv -o ${name}`)).toBe(
        'tracewright: Standard output cannot be written (EPIPE).\nstatus 1\n',
      );
    }
  });
});

describe.skipIf(noSmallDisk !== undefined)(named('a full disk', noSmallDisk), () => {
  let disk: string;
  let small: SmallDisk;
  beforeAll(() => {
    disk = join(folder, 'disk');
    small = new SmallDisk(disk, '64k');
  });
  afterAll(() => small.remove());

  itEach(2, [['report.html'], ['export.csv'], ['export.pftrace']])('has nothing of %s', async (name) => {
    const output = join(disk, name);
    const command = name === 'report.html' ? 'report' : 'export';
    const { status, stderr } = await run(command, trace, '-o', output);
    expect([status, stderr]).toEqual([1, `tracewright: ${output} cannot be written (ENOSPC).\n`]);
    expect(readdirSync(disk)).toEqual([]);
  });

  it('has nothing of a folder of tables', async () => {
    const { status, stderr } = await run('export', trace, '--parquet', disk);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^tracewright: \S+ cannot be written \(ENOSPC\)\.\n$/);
    const files = readdirSync(disk, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files.map(({ name }) => name)).toEqual([]);
  });

  it('has nothing of a folder of tables, even if there is room for some of them', async () => {
    const filesOf = (path: string) =>
      readdirSync(path, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const whole = join(folder, 'tables');
    await run('export', trace, '--parquet', whole);
    const [events] = filesOf(join(whole, 'events')).map(({ parentPath, name }) => join(parentPath, name));
    expect(filesOf(whole).length).toBeGreaterThan(3);
    const disk = new SmallDisk(join(folder, 'tables-disk'), '4m');
    try {
      // The events come first.
      disk.fill((4 << 20) - statSync(events as string).size - 8192);
      const { status, stderr } = await run('export', trace, '--parquet', disk.path);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^tracewright: \S+ cannot be written \(ENOSPC\)\.\n$/);
      expect(filesOf(disk.path).map(({ name }) => name)).toEqual(['.ballast']);
    } finally {
      disk.remove();
    }
  });
});

describe('a signal while a file is written', () => {
  const module = new URL('../../dist/cli/command-output.js', import.meta.url).href;
  const program = `const { withOutput } = await import('${module}');
    await withOutput(process.argv[1], async (out) => {
      await out.write('half');
      console.log('written');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;

  itEach<[NodeJS.Signals]>(1, [['SIGINT'], ['SIGTERM'], ['SIGHUP']])(
    'has its effect, and leaves nothing (%s)',
    async (signal) => {
      const outputs = mkdtempSync(join(folder, 'signalled-'));
      const args = ['--input-type=module', '-e', program, join(outputs, 'a.csv')];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      expect(readdirSync(outputs)).toEqual([expect.stringMatching(/^a\.csv\.[\da-f]{12}\.partial$/)]);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([null, signal]);
      expect(readdirSync(outputs)).toEqual([]);
    },
  );
});
