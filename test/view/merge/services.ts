/** Services on loopback, each a process with its own trace, whose clocks can be changed afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('programs/service.mjs', import.meta.url));

interface Service {
  readonly trace: string;
  readonly url: string;
  end(): Promise<void>;
}

async function started(trace: string, others: readonly string[]): Promise<Service> {
  const child = spawn(process.execPath, [program, trace, ...others], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const line = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])]);
  if (line[0] === '') throw new Error(`${trace}: the service did not start.`);
  return {
    trace,
    url: String(line[0]).trim(),
    async end() {
      child.stdin.end();
      const [status] = await ended;
      if (status !== 0) throw new Error(`${trace}: the service ended with ${status}.`);
    },
  };
}

/**
 * Three services: the front asks the middle and the back, and the middle asks the back.
 *
 * @returns their traces: of the front, the middle, the back
 */
export async function tracedServices(folder: string, requests: number): Promise<readonly string[]> {
  const back = await started(join(folder, 'back.nettrace'), []);
  const middle = await started(join(folder, 'middle.nettrace'), [back.url]);
  const front = await started(join(folder, 'front.nettrace'), [middle.url, back.url]);
  for (let i = 0; i < requests; i++) await (await fetch(`${front.url}/${i}`)).arrayBuffer();
  for (const service of [front, middle, back]) await service.end();
  return [front.trace, middle.trace, back.trace];
}

/** Where the times of a trace of version 4 are told: the time of day, the ticks at that time, ticks per second. */
const TRACE_OBJECT = Buffer.from('\x05\x00\x00\x00Trace\x06', 'latin1');
const TIME_SIZE = 16;

/**
 * The trace as a machine would have written it whose clock is ahead by `aheadNs` at the ticks `zero`, and gains
 * `driftPpm`; all that are made with one `zero` and `time` have the same clock else.
 */
export function shifted(
  trace: string,
  origin: ClockOrigin,
  { aheadNs = 0, driftPpm = 0 }: { readonly aheadNs?: number; readonly driftPpm?: number },
): Buffer {
  const bytes = readFileSync(trace);
  const at = originAt(bytes);
  origin.time.copy(bytes, at);
  // Fewer ticks a second make more of a second of ticks; what then is ahead at `zero` is made up for by its ticks.
  const ticksPerSecond = Math.round(1e9 / (1 + driftPpm / 1e6));
  const aheadTicks = Math.round((aheadNs * ticksPerSecond) / 1e9);
  bytes.writeBigInt64LE(origin.ticks - BigInt(aheadTicks), at + TIME_SIZE);
  bytes.writeBigInt64LE(BigInt(ticksPerSecond), at + TIME_SIZE + 8);
  return bytes;
}

export interface ClockOrigin {
  readonly time: Buffer;
  readonly ticks: bigint;
}

/** When the trace says that it was started. */
export function originOf(trace: string): ClockOrigin {
  const bytes = readFileSync(trace);
  const at = originAt(bytes);
  return { time: bytes.subarray(at, at + TIME_SIZE), ticks: bytes.readBigInt64LE(at + TIME_SIZE) };
}

function originAt(bytes: Buffer): number {
  const found = bytes.indexOf(TRACE_OBJECT);
  if (found < 0) throw new Error('This is no nettrace of version 4.');
  return found + TRACE_OBJECT.length;
}
