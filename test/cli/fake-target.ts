/** A process with a diagnostic port for a command to talk with, and the command as a user types it. */
import { expect, it, vi } from 'vitest';
import { fakeOf, folder } from '../session/diagnostics/client/fake-client.ts';
import type { FakeOptions, FakeProcess } from '../session/diagnostics/client/fake-process.ts';
import { RunningCommand } from './run-tracewright.ts';

export const PID = String(process.pid);
/** On Windows, no process can be interrupted by another. */
export const interruptible = it.skipIf(process.platform === 'win32');

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
