/** Whether a process with this id exists, as far as this process's namespace shows. */
import { systemCodeOf } from './system-code.ts';

export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return systemCodeOf(error) === 'EPERM';
  }
}
