/**
 * The names of processes, as records of their threads tell them. A record counts only in the order of time: a
 * processor's records stand behind those of another that came later.
 */
import type { CommRecord, PerfRecord, ThreadRecord } from '../../wire/perf-data/records.ts';

export type NamingRecord = CommRecord | ThreadRecord;

/** A process is named as its first thread is, and as the process that started it until then. */
export function isNaming(record: PerfRecord): record is NamingRecord {
  if (record.kind === 'comm') return record.pid === record.tid;
  return record.kind === 'fork' && record.pid !== record.parentPid;
}

/** Takes the next record in the order of time. */
export function takeName(names: Map<number, string>, record: NamingRecord): void {
  const name = record.kind === 'comm' ? record.comm : names.get(record.parentPid);
  if (name !== undefined) names.set(record.pid, name);
}
