/** The names of all threads that run, as records: the kernel tells only of those that come later. */
import { readdirSync, readFileSync } from 'node:fs';
import { commRecord } from '../wire/perf-data/write/records.ts';

export function* threadNames(): Generator<Uint8Array> {
  for (const pid of numbersIn('/proc')) {
    for (const tid of numbersIn(`/proc/${pid}/task`)) {
      const name = commOf(pid, tid);
      if (name !== undefined) yield commRecord(pid, tid, name);
    }
  }
}

/** None where the folder has gone with its process. */
function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function commOf(pid: number, tid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
