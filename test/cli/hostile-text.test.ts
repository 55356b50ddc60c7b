/**
 * Nothing in a trace, a process or a path can control a terminal. Runs every command of the built package with texts
 * that would move the cursor, change colours and titles, and reverse the writing direction.
 */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { printable } from '../../lib/base/printable.ts';
import { StandardOutput } from '../../lib/cli/command-output.ts';
import { startSession } from '../../lib/eventpipe/start-session.ts';
import { event } from '../../lib/source/event.ts';
import { defineEventSource } from '../../lib/source/event-source.ts';
import { itEach } from '../at-length.ts';
import { folder, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { message, ok } from '../diagnostics/client/fake-process.ts';
import { hex, text, u32, u64 } from '../diagnostics/server/byte-messages.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { type CounterEvent, counterTrace, mean } from './counter-trace.ts';
import { PID, run, started } from './fake-target.ts';

useFakeProcesses();

/** A window's title, a cleared screen, C1's control sequence, a line over the one before, two turns of direction. */
const HOSTILE = '\x1b]0 owned\x07\x1b[2J\x9b31m\r\b\x7f\u202e\u2066\u2028';
/** What a terminal would take for more than text, but for ends of lines. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const SHOWN = printable(HOSTILE);

const source = defineEventSource(`Evil${HOSTILE}`, {
  [`Request${HOSTILE}Start`]: event({ [`url${HOSTILE}`]: 'string', list: 'string[]' }),
  [`Request${HOSTILE}Stop`]: event({ success: 'bool', errorMessage: 'string' }),
  [`Log${HOSTILE}`]: event({ struct: { [`member${HOSTILE}`]: 'string' } }),
});

/** In the test's folder. @returns its path */
async function hostileTrace(name = 'trace.nettrace'): Promise<string> {
  const path = join(folder.path, name);
  const session = startSession({ providers: [{ name: `Evil${HOSTILE}` }], output: path });
  const payload = { [`url${HOSTILE}`]: `value${HOSTILE}`, list: [HOSTILE, HOSTILE] };
  source.activity(`Request${HOSTILE}`, payload as never, () => {
    source[`Log${HOSTILE}`]?.({ struct: { [`member${HOSTILE}`]: HOSTILE } } as never);
  });
  expect(await session.close()).toMatchObject({ events: 3 });
  return path;
}

function expectHarmless({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): void {
  expect(stdout).not.toMatch(CONTROLS);
  expect(stderr).not.toMatch(CONTROLS);
}

describe('a trace', () => {
  itEach<string[]>(6, [
    ['dump'],
    ['dump', '--json'],
    ['stats'],
    ['view'],
    ['view', '--stats'],
    ['diff', 'trace.nettrace'],
    ['stats', '--json'],
    ['view', '--json'],
    ['view', '--table'],
    ['view', '--table', '--json'],
    ['view', '--stats', '--json'],
    ['diff', 'trace.nettrace', '--json'],
  ])(
    named('cannot control a terminal through %s %s', missingOnWindows('such file names')),
    async (...args) => {
      await hostileTrace();
      const result = await run(...args, 'trace.nettrace');
      expectHarmless(result);
      expect(result.status).toBe(0);
      if (!args.includes('--json')) expect(result.stdout).toContain(SHOWN);
      else if (args[0] !== 'stats') {
        for (const line of result.stdout.trimEnd().split('\n')) {
          expect(JSON.stringify(JSON.parse(line))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
        }
      }
    },
  );

  itEach<string[]>(5, [
    ['export', '-o', 'out.pftrace'],
    ['report', '-o', 'out.html'],
    ['dump', '--provider', `No${HOSTILE}`],
    ['view', '--activity', HOSTILE],
    [HOSTILE],
    ['export', '-o', 'out.speedscope.json'],
    ['export', '-o', 'out.pb.gz'],
    ['export', '-o', 'out.cpuprofile'],
    ['export', '-o', 'out.profiles.jsonl'],
    ['export', '-o', 'out.csv', '--flatten'],
    ['export', '-o', 'out.nettrace'],
    ['report', '-o', '-'],
    ['dump', '--level', HOSTILE],
    ['view', '--name', `No${HOSTILE}`],
    ['dump', `--${HOSTILE}`],
  ])('cannot control a terminal through messages besides the output of %s %s %s', async (...args) => {
    await hostileTrace();
    expectHarmless(await run(...args, 'trace.nettrace'));
  });
});

describe('a path', () => {
  const name = `evil${HOSTILE}.nettrace`;

  const noSuchNames = missingOnWindows('such file names');
  describe.skipIf(noSuchNames !== undefined)(named('of a trace', noSuchNames), () => {
    itEach<string[]>(2, [
      ['dump'],
      ['export', '-o', `out${HOSTILE}.csv`],
      ['stats'],
      ['view'],
      ['view', '--stats'],
      ['report', '-o', `out${HOSTILE}.html`],
    ])('cannot control a terminal through %s %s', async (...args) => {
      const whole = await hostileTrace();
      const path = join(folder.path, name);
      copyFileSync(whole, path);
      expectHarmless(await run(...args, name));
      writeFileSync(path, readFileSync(whole).subarray(0, 400));
      const cut = await run(...args, name);
      expectHarmless(cut);
      expect(cut.status).toBe(1);
      writeFileSync(path, HOSTILE);
      const unknown = await run(...args, name);
      expectHarmless(unknown);
      expect(unknown.stderr).toContain(SHOWN);
      expectHarmless(await run(...args, `none${name}`));
    });
  });

  it.skipIf(missingOnWindows('such file names') !== undefined)(
    named('or the manifest there, cannot through an error', missingOnWindows('such file names')),
    async () => {
      await hostileTrace();
      const manifest = `man${HOSTILE}`;
      const provider = `<provider name="a" guid="b" symbol="c" messageFileName="d" resourceFileName="e"><events>`;
      writeFileSync(
        join(folder.path, manifest),
        `${provider}<event value="${HOSTILE}"/></events></provider>`,
      );
      const { status, stderr, stdout } = await run('dump', '--manifest', manifest, 'trace.nettrace');
      expectHarmless({ stderr, stdout });
      expect({ status, stderr }).toEqual({ status: expect.any(Number), stderr: expect.any(String) });
    },
  );

  it('of a module cannot do so through what the module throws', async () => {
    const code = `throw new Error(${JSON.stringify(`${HOSTILE}\ntracewright: all is well`)})`;
    writeFileSync(join(folder.path, 'app.mjs'), code);
    const { status, stderr, stdout } = await run('manifest', 'app.mjs');
    expectHarmless({ stderr, stdout });
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 1, lines: 2 });
  });
});

describe('a process', () => {
  const identity = Buffer.concat([
    u64(BigInt(process.pid)),
    hex('33221100 5544 7766 8899aabbccddeeff'),
    text(`node ${HOSTILE}`),
    text(`Linux${HOSTILE}`),
    text(`x64${HOSTILE}`),
  ]);
  const program = Buffer.concat([text(`app${HOSTILE}`), text(`10.0.1${HOSTILE}`)]);
  const answers = { '04/08': () => ok(u32(1), identity, program, text(`linux-x64${HOSTILE}`)) };
  const failure: CounterEvent = ['failure', 'SHARED', `message${HOSTILE}`];
  const trace = counterTrace(mean(`cpu${HOSTILE}`, `CPU${HOSTILE}`, 12.5, `%${HOSTILE}`), failure);

  it.each([
    ['ps'],
    ['ps', '--json'],
    ['counters', '-p', PID, '--duration', '0.1'],
    ['counters', '-p', PID, '--duration', '0.1', '--json'],
  ])('cannot control a terminal through %s %s', async (...args) => {
    await started({ answers, trace });
    const result = await run(...args);
    expectHarmless(result);
    expect(result.status).toBe(0);
    expect(result.stdout).toContain(args.includes('--json') ? '\\u009b31m' : SHOWN);
  });

  it('cannot do so through its file name, which collect derives from its name', async () => {
    await started({ answers, trace });
    expectHarmless(await run('collect', '-p', PID, '--duration', '0.1'));
    expect(readdirSync(folder.path).filter((name) => CONTROLS.test(name))).toEqual([]);
  });

  it('cannot do so through its reason for refusing, which is one line', async () => {
    const said = `${HOSTILE}\ntracewright: all is well`;
    const refused = () => message(0xff, 0xff, u32(0x80131399), text(said));
    await started({ answers: { '02/03': refused } });
    const { status, stderr, stdout } = await run('collect', '-p', PID);
    expectHarmless({ stderr, stdout });
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 1, lines: 2 });
  });

  it('cannot do so through the name of a command that cannot be started', async () => {
    expectHarmless(await run('collect', '--', `none${HOSTILE}`));
    expectHarmless(await run('counters', '--', `none${HOSTILE}`));
    expectHarmless(await run('record', '--duration', '1', '--', `none${HOSTILE}`));
    expectHarmless(await run('record', '--tracepoint', `user_events:none${HOSTILE}`, '--', 'true'));
    expectHarmless(await run('live', '--provider', `none${HOSTILE}`, '--', `none${HOSTILE}`));
  });
});

describe('an export to standard output', () => {
  afterEach(() => vi.restoreAllMocks());

  function written(isTTY: boolean): string[] {
    const pieces: string[] = [];
    const write = (piece: string) => pieces.push(piece);
    const prependListener = () => {};
    vi.spyOn(process, 'stdout', 'get').mockReturnValue({
      isTTY,
      write,
      prependListener,
    } as unknown as typeof process.stdout);
    return pieces;
  }

  it('is unchanged for a program, and harmless on a terminal', async () => {
    const csv = `a,"${HOSTILE}"\r\nb,c\r\n`;
    const piped = written(false);
    await new StandardOutput().write(csv);
    expect(piped).toEqual([csv]);
    const shown = written(true);
    await new StandardOutput().write(csv);
    expect(shown).toEqual([`a,"${SHOWN}"\nb,c\n`]);
  });

  it('is refused for bytes on a terminal', async () => {
    written(true);
    await expect(new StandardOutput().write(new Uint8Array(1))).rejects.toThrow(
      'A terminal cannot show binary data: name a file, or redirect standard output to one.',
    );
  });
});

it('all output of commands passes through the escaping', () => {
  const commands = fileURLToPath(new URL('../../lib/cli/', import.meta.url));
  const writers = readdirSync(commands, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') &&
      /std(?:out|err)\.write|console\./.test(readFileSync(join(commands, name), 'utf8')),
  );
  expect(writers.map((name) => basename(name)).sort()).toEqual([
    'command-output.ts',
    'counter-table.ts',
    'messages.ts',
    'output.ts',
    'terminal-page.ts',
  ]);
});
