/** Commands that stream a trace retain no more of a long one than of a short one. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSession } from '../../lib/eventpipe/start-session.ts';
import { event } from '../../lib/source/event.ts';
import { defineEventSource } from '../../lib/source/event-source.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tracewright-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SHORT = { file: join(folder, 'short.nettrace'), activities: 15_000 };
const LONG = { file: join(folder, 'long.nettrace'), activities: 50_000 };
/** What V8 leaves for later with the heap below, which the events of the long trace do not fit into. */
const ALLOWANCE_KB = 32 << 10;

const log = defineEventSource('Test-Memory', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  Paid: event({ amount: 'double', currency: 'string' }),
});

beforeAll(async () => {
  for (const { file, activities } of [SHORT, LONG]) {
    const session = startSession({ providers: 'Test-Memory', output: file, mode: 'block' });
    for (let i = 0; i < activities; i++) {
      log.activity('Request', { url: `/items/${i % 1000}` }, () => {
        log.Paid({ amount: i / 7, currency: 'EUR' });
        log.Paid({ amount: i / 3, currency: 'USD' });
      });
    }
    expect(await session.close()).toMatchObject({ events: 4 * activities, dropped: 0 });
  }
}, 60_000);

/** The most memory that a command had at any time. */
async function peakKilobytes(command: string, options: readonly string[], file: string): Promise<number> {
  const tellsPeak = 'process.once("exit", () => console.error("peak", process.resourceUsage().maxRSS))';
  const node = [
    '--max-old-space-size=64',
    '--max-semi-space-size=4',
    `--import=data:text/javascript,${encodeURIComponent(tellsPeak)}`,
  ];
  const { stderr } = await promisify(execFile)(process.execPath, [...node, main, command, ...options, file], {
    maxBuffer: 1 << 30,
  });
  return Number(/^peak (\d+)$/m.exec(stderr)?.[1]);
}

it.each([
  ['stats', []],
  ['dump', []],
  ['view', ['--stats']],
  ['view', ['--stats', '--name', 'Request']],
  ['view', ['--table']],
  ['export', ['-o', join(folder, 'out.csv')]],
  ['export', ['-o', join(folder, 'out.pftrace')]],
  ['export', ['-o', join(folder, 'out.nettrace')]],
])(
  '%s %j retains no events',
  async (command, options) => {
    const short = await peakKilobytes(command, options, SHORT.file);
    const long = await peakKilobytes(command, options, LONG.file);
    expect(long - short).toBeLessThan(ALLOWANCE_KB);
  },
  60_000,
);

it('ends with a sentence if memory runs out', async () => {
  const command = promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=48', '--max-semi-space-size=1', main, 'view', '--json', LONG.file],
    { maxBuffer: 1 << 30 },
  );
  const { code, stderr } = await command.then(
    () => ({ code: 0, stderr: '' }),
    (error: { readonly code: number; readonly stderr: string }) => error,
  );
  expect(stderr).toMatch(
    /^tracewright: Reading \S+ takes more than the [\d.]+ MB of memory that Node\.js allows itself: [^\n]+\n$/,
  );
  expect(code).toBe(1);
}, 60_000);
