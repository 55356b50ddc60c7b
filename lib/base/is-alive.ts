/** Whether there is a process of an id, as far as this process's namespace goes. */
import { systemCodeOf } from './system-code.ts';

export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Of another user.
    return systemCodeOf(error) === 'EPERM';
  }
}
