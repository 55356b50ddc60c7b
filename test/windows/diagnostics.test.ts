/** The diagnostic port on Windows: a named pipe, over Node.js's own sockets. */
import { expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

interface Run {
  readonly address: string;
  readonly pid: number;
  readonly trace: string;
}

it.skipIf(skipReason !== undefined)(
  suiteName('a process can be recorded through its named pipe'),
  { timeout: 90_000 },
  async () => {
    const { result, stderr } = await runProgram<Run>('programs/diagnostics.mjs');
    const { address, pid, trace, ...others } = result;
    expect(address).toBe(`\\\\.\\pipe\\dotnet-diagnostic-${pid}`);
    expect(others).toEqual({
      isThisProcess: true,
      operatingSystem: 'Windows',
      runtimeIdentifier: 'win-x64',
      isWanted: false,
      afterwards: 'ended',
    });
    const numbers: unknown[] = [];
    for await (const { name, payload } of await openTrace(Buffer.from(trace, 'base64'))) {
      if (name === 'Ping') numbers.push(payload.n);
    }
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, n) => n));
    expect(stderr).toBe('');
  },
);

interface AtExit {
  readonly statuses: readonly number[];
  readonly said: readonly string[];
  readonly waited: number;
  readonly trace: string;
}

it.skipIf(skipReason !== undefined)(
  suiteName('a process that exits writes its pipe as far as the client reads, and waits for no other'),
  { timeout: 180_000 },
  async () => {
    const { result } = await runProgram<AtExit>('programs/pipe-at-exit.mjs', { timeout: 150 });
    expect(result.statuses, result.said.join('')).toEqual([3, 0, 3]);
    const numbers: unknown[] = [];
    for await (const { name, payload } of await openTrace(Buffer.from(result.trace, 'base64'))) {
      if (name === 'Ping') numbers.push(payload.n);
    }
    expect(numbers).toEqual(Array.from({ length: 3000 }, (_, n) => n));
    expect(result.waited).toBeGreaterThanOrEqual(200);
    expect(result.waited).toBeLessThan(10_000);
  },
);
