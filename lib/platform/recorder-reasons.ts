/**
 * Errors of perf events as text: what is missing, and the command that fixes it. Source of the meanings:
 * perf_event_open(2).
 */
import { readFileSync } from 'node:fs';
import { systemErrorName } from '../base/system-code.ts';
import { PerfEventsError, RecorderError } from './recorder-error.ts';

const PARANOID_FILE = '/proc/sys/kernel/perf_event_paranoid';

/** @param step the system call that failed */
export function recorderOpenError(error: number, step: string): RecorderError {
  const name = systemErrorName(error);
  if (step !== 'perf_event_open') return new RecorderError(setUpReason(name, step));
  switch (name) {
    case 'ENOSYS':
    case 'ENOENT':
    case 'EOPNOTSUPP':
      return new PerfEventsError(
        `Perf events are not available here (${name}): ` +
          'the kernel was built without CONFIG_PERF_EVENTS, or a sandbox such as seccomp hides them.',
        name,
      );
    case 'EACCES':
    case 'EPERM':
      return new PerfEventsError(permissionReason(name), name);
    case 'EINVAL':
      return new RecorderError(
        'This kernel does not support the recording (EINVAL): it needs Linux 6.0 or later.',
      );
    default:
      return new RecorderError(setUpReason(name, step));
  }
}

function setUpReason(name: string, step: string): string {
  if (step === 'mmap' && (name === 'EPERM' || name === 'ENOMEM')) {
    return (
      `This user may not have ring buffers of that size (${name}): use a smaller --buffer-size or, ` +
      'as root: sysctl kernel.perf_event_mlock_kb=65536'
    );
  }
  if (name === 'EMFILE') return descriptorReason();
  return `The recording could not be set up (${step}: ${name}).`;
}

export function recorderAddReason(error: number, tracepoint: string): string {
  const name = systemErrorName(error);
  if (name === 'EMFILE') return `${tracepoint} is not recorded: ${descriptorReason()}`;
  if (name === 'EACCES' || name === 'EPERM')
    return `${tracepoint} is not recorded: ${permissionReason(name)}`;
  return `${tracepoint} is not recorded (${name}).`;
}

function permissionReason(name: string): string {
  return (
    `This user may not record the whole system (${name}${paranoidLevel()}). ` +
    'As root: sysctl kernel.perf_event_paranoid=-1'
  );
}

function paranoidLevel(): string {
  try {
    return `; kernel.perf_event_paranoid is ${readFileSync(PARANOID_FILE, 'utf8').trim()}`;
  } catch {
    return '';
  }
}

function descriptorReason(): string {
  return (
    'the limit of open files is reached (EMFILE), and each tracepoint needs one per processor; ' +
    'as root, raise it with: ulimit -n 1048576'
  );
}
