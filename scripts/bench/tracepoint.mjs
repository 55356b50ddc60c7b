// The event on a real tracepoint while ftrace records it, next to a C program on the same kernel: on the running one if
// it has user_events, otherwise in a virtual machine.
import { join } from 'node:path';
import { isNative, runInVm, vmUnavailable } from '../vm/index.mjs';

/** Guests have no accurate CPU time, and their system calls are slow. */
const timing = {
  full: { clock: 'wall', roundMs: 60, rounds: 7 },
  quick: { clock: 'wall', roundMs: 30, rounds: 3 },
};
const repetitions = { full: 3, quick: 1 };

/** The kernel's name: the figures of each mean something different. */
export function tracepointKernel(qemu) {
  if (qemu) return 'an emulated kernel';
  return isNative() ? 'the running kernel' : 'user-mode Linux';
}

/**
 * @param {{ program: string, bytesFile: string }} standIns
 * @param {{ quick: boolean, qemu: boolean }} options
 * @returns {Promise<{ processes: Record<string, number[][]> } | { reason: string }>} the rounds of each process,
 *   by case
 */
export async function measureTracepoint({ program, bytesFile }, { quick, qemu }) {
  const size = quick ? 'quick' : 'full';
  const request = { program, bytesFile, timing: timing[size], repetitions: repetitions[size] };
  const guest = join(import.meta.dirname, 'guest.mjs');
  try {
    const { status, stdout, stderr } = await runInVm(
      [process.execPath, guest, JSON.stringify(request)],
      qemu ? { kernel: 'qemu' } : {},
    );
    if (status !== 0) return { reason: `The guest ended with status ${status}: ${stderr.trim()}` };
    return { processes: JSON.parse(stdout) };
  } catch (error) {
    return { reason: vmUnavailable(qemu ? 'qemu' : 'uml') ?? error.message };
  }
}
