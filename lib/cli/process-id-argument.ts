/** The process that an option specifies. */
import { UsageError } from './usage-error.ts';

/** @throws UsageError */
export function processIdArgument(text: string): number {
  const processId = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (processId >= 1 && processId < 2 ** 32) return processId;
  throw new UsageError(`--process-id takes a process id, not "${text}".`);
}
