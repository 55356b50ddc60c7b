/** Opens a diagnostic port in a running Node.js process that was not started with one; see docs/diagnostics.md. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFolder } from '../../base/package-files.ts';
import { thrownMessage } from '../../base/value-text.ts';
import { linkOf } from '../../platform/linux-process.ts';
import { DiagnosticsClientError } from '../client/client-error.ts';
import type { UnpreparedProcess } from './unprepared-process.ts';
import { OPENING_MS, Visit, type VisitOrder, type VisitReport } from './visit.ts';

type Preparation = Extract<VisitReport, { readonly kind: 'prepared' }>;
type Outcome = Exclude<VisitReport, { readonly kind: 'signals' }>;

const MAX_PROBLEM = 500;

/**
 * @param leavesPort whether the port stays open; otherwise the process closes it when the last tool has gone
 * @throws DiagnosticsClientError
 */
export async function openPortIn(process: UnpreparedProcess, leavesPort: boolean): Promise<Preparation> {
  const order = { processId: process.processId, otherSockets: process.otherSockets(), leavesPort };
  const { outcome, hasSignalled, problem } = await visit(process, { ...order, task: 'prepare' });
  if (outcome === undefined) {
    if (hasSignalled) await closeInspectorOf(process, { ...order, task: 'close' });
    throw process.refusal(
      'failed',
      `the program that does so has ended${problem === '' ? '' : ` (${problem})`}`,
    );
  }
  if (outcome.kind === 'prepared') return outcome;
  throw new DiagnosticsClientError(outcome.code, outcome.message);
}

/** The inspector must not stay open because our program was killed. */
async function closeInspectorOf(process: UnpreparedProcess, order: VisitOrder): Promise<void> {
  // Starting another program takes time.
  const isNear = !hasOwnNetwork(process.processId);
  if (isNear && (await new Visit(process, order).closeOpened(OPENING_MS))) return;
  const child = started(process, order, 'ignore');
  child.unref();
  await Promise.race([once(child, 'exit').catch(() => {}), sleep(OPENING_MS)]);
}

interface Visited {
  readonly outcome: Outcome | undefined;
  /** Whether the process may have got its signal. */
  readonly hasSignalled: boolean;
  readonly problem: string;
}

/** Starts the program that visits the process. Ctrl-C is for us: in a session of its own, it has no terminal. */
function started<Stdio extends 'ignore' | 'pipe'>(
  { processId }: UnpreparedProcess,
  order: VisitOrder,
  stdio: Stdio,
): Stdio extends 'pipe' ? ChildProcessWithoutNullStreams : ChildProcess {
  const program = join(packageFolder(), 'dist/cjs/inspector-visit.cjs');
  const [command = '', ...args] = [
    ...enteringNetworkOf(processId),
    process.execPath,
    program,
    JSON.stringify(order),
  ];
  return spawn(command, args, { detached: true, stdio, env: variables() }) as ReturnType<
    typeof started<Stdio>
  >;
}

async function visit(process: UnpreparedProcess, order: VisitOrder): Promise<Visited> {
  const child = started(process, order, 'pipe');
  let hasSignalled = false;
  let outcome: Outcome | undefined;
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem = (problem + text).slice(0, MAX_PROBLEM);
  });
  child.on('error', (error) => {
    problem = thrownMessage(error);
  });
  const closed = once(child, 'close').catch(() => {});
  for await (const line of createInterface({ input: child.stdout })) {
    const report = JSON.parse(line) as VisitReport;
    if (report.kind === 'signals') hasSignalled = true;
    else {
      outcome = report;
      break;
    }
  }
  // After a failure, the program may go on for a while.
  child.unref();
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  if (outcome === undefined) await closed;
  return { outcome, hasSignalled, problem: problem.trim().split('\n')[0] ?? '' };
}

/** A process in a container has a loopback interface of its own. */
function hasOwnNetwork(processId: number): boolean {
  return isOther(processId, 'net');
}

function isOther(processId: number, kind: string): boolean {
  return linkOf(`/proc/${processId}/ns/${kind}`) !== linkOf(`/proc/self/ns/${kind}`);
}

function enteringNetworkOf(processId: number): string[] {
  if (!hasOwnNetwork(processId)) return [];
  // Without root, only the namespace's own user may enter it.
  const user =
    process.geteuid?.() !== 0 && isOther(processId, 'user') ? ['--user', '--preserve-credentials'] : [];
  return ['nsenter', '--target', String(processId), ...user, '--net', '--'];
}

/** What our own environment loads into every Node.js program is not for this one. */
function variables(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, ...others } = process.env;
  return others;
}
