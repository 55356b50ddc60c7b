/** The port of a running process; a Node.js process that has none is given one, if the user agrees. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UnpreparedProcess } from '../../diagnostics/attach/unprepared-process.ts';
import { DiagnosticsClientError } from '../../diagnostics/client/client-error.ts';
import { findPort } from '../../diagnostics/client/find-port.ts';
import { canAsk, isConfirmed, say } from '../messages.ts';
import { flag, type OptionRows, type OptionValues } from '../parse-options.ts';

export const UNPREPARED_OPTIONS = {
  yes: flag('on a terminal: opens a port in a Node.js process without one, and does not ask before'),
  leave: flag('leaves this port open; otherwise the process closes it at the end'),
} as const satisfies OptionRows;

export type UnpreparedValues = OptionValues<typeof UNPREPARED_OPTIONS>;

interface RunningPort {
  readonly address: string;
  /** Resolves when the process has closed a port that it was given for us. */
  gone(): Promise<void>;
}

/** The process closes the port half a second after its last client. */
const CLOSING_MS = 3000;
/** One whose event loop has not waited for so long may be stuck, and need not be waited for. */
const STUCK_MS = 1000;
const POLL_MS = 50;

/** @throws DiagnosticsClientError */
export async function runningPort(processId: number, { yes, leave }: UnpreparedValues): Promise<RunningPort> {
  try {
    return { address: await findPort(processId), gone: async () => {} };
  } catch (error) {
    const canBeGiven = error instanceof DiagnosticsClientError && error.code === 'no-port';
    if (!canBeGiven || process.platform !== 'linux') throw error;
  }
  const [attach, { openPortIn }] = await Promise.all([
    import('../../diagnostics/attach/unprepared-process.ts'),
    import('../../diagnostics/attach/attach.ts'),
  ]);
  const unprepared = new attach.UnpreparedProcess(processId);
  if (canAsk() && yes !== true) {
    const question =
      `Process ${processId} (${unprepared.commandLine}) has no diagnostic port. Open its inspector for a moment, and ` +
      'load tracewright into it, to open one?';
    if (!(await isConfirmed(question))) {
      throw new DiagnosticsClientError(
        'no-port',
        `Process ${processId} has no diagnostic port, and was left alone.`,
      );
    }
  }
  const { openMs, workers } = await openPortIn(unprepared, leave === true);
  const inspector = openMs === undefined ? 'which is open' : `which was open for ${Math.ceil(openMs)} ms`;
  const threads = workers === 0 ? '' : ` and ${workers} of its worker threads`;
  const later = leave ? 'stays open' : 'closes at the end';
  say(
    `Process ${processId} had no diagnostic port: through its inspector, ${inspector}, tracewright was loaded into ` +
      `it${threads}, and opened one that ${later}.`,
  );
  const address = await findPort(processId);
  return { address, gone: async () => (leave ? undefined : awaitRemoval(address, unprepared)) };
}

async function awaitRemoval(address: string, process: UnpreparedProcess): Promise<void> {
  const start = performance.now();
  let idleAt = start;
  for (let now = start; existsSync(address) && now < start + CLOSING_MS; now = performance.now()) {
    if (process.isIdle) idleAt = now;
    if (now > idleAt + STUCK_MS) return;
    await sleep(POLL_MS);
  }
}
