/** A process with a diagnostic port for a command to connect to, and the command as a user types it. */
import { expect, it, vi } from 'vitest';
import { fakeOf, folder } from '../diagnostics/client/fake-client.ts';
import type { FakeOptions, FakeProcess } from '../diagnostics/client/fake-process.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { RunningCommand } from './run-tracewright.ts';

export const PID = String(process.pid);
/** A test in which one process interrupts another. */
export function interruptible(name: string, run: () => Promise<void>): void {
  const reason = missingOnWindows('way for one process to interrupt another');
  it.skipIf(reason !== undefined)(named(name, reason), run);
}

vi.setConfig({ testTimeout: 30_000 });

/** One that listens where commands find it. */
export const started = (options?: FakeOptions): Promise<FakeProcess> => fakeOf(options).listen(folder.port);

export function command(...args: string[]): RunningCommand {
  return new RunningCommand(args, { cwd: folder.path, env: { TMPDIR: folder.path } });
}

export const run = (...args: string[]) => command(...args).end();

/** When the process's events are asked for. */
export const collecting = (fake: FakeProcess) =>
  vi.waitFor(() => expect(fake.stream).toBeDefined(), { timeout: 10_000 });
