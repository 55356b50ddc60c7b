/** A diagnostic port under attack by another user of the machine: see programs/port-neighbour.mjs. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { missingOnWindows, named } from '../platforms.ts';
import { showSoak, soakFor } from '../soak.ts';

const { seconds, timeout } = soakFor(5);
const SCRIPT = fileURLToPath(new URL('programs/port-neighbour.mjs', import.meta.url));

it.skipIf(missingOnWindows('Unix sockets') !== undefined)(
  named(
    'a hostile neighbour has no event lost in silence, nothing hang and nothing grow',
    missingOnWindows('Unix sockets'),
  ),
  { timeout },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, String(seconds)]);
    showSoak('a port beside a neighbour', stdout);
    const { written, events, lost, sessions, neighbour, problems } = JSON.parse(stdout);
    expect(problems).toEqual([]);
    expect(written).toBeGreaterThan(1000);
    expect(events + lost).toBe(written);
    expect(sessions.short).toBeGreaterThan(0);
    expect(sessions.commands).toBeGreaterThan(0);
    for (const kind of ['held', 'half', 'garbage', 'flood', 'planted']) {
      expect([kind, neighbour[kind] > 0]).toEqual([kind, true]);
    }
    // Before the port was opened to them, other users could not even connect.
    if (process.getuid?.() === 0) expect(neighbour.refused).toBeGreaterThan(0);
  },
);
