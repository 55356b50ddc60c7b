/**
 * Finds activities and events by text: in the names of events, activities and providers, in ids, and in payload values.
 * It ignores the case of ASCII letters. It runs in slices, so that the page stays responsive.
 */
import { BytePattern } from './byte-pattern.ts';
import { indicesWhere } from './grouped.ts';
import type { ReportData } from './report-data.ts';

export interface Matches {
  readonly text: string;
  readonly activities: Uint32Array;
  readonly events: Uint32Array;
}

const SLICE_ROWS = 1 << 15;

/**
 * @param pause called between slices
 * @returns undefined if `isWanted` returns false after a pause
 */
export async function findMatches(
  data: ReportData,
  text: string,
  pause: () => Promise<void>,
  isWanted: () => boolean,
): Promise<Matches | undefined> {
  const { events, activities, header } = data;
  const lower = text.toLowerCase();
  const hasText = (name: string) => name.toLowerCase().includes(lower);
  const fullName = ({ provider, name }: { readonly provider: number; readonly name: string }) =>
    `${header.providers[provider] ?? ''}/${name}`;
  const kinds = header.kinds.map((kind) => hasText(fullName(kind)));
  const tasks = header.tasks.map((task) => hasText(fullName(task)));
  const ids = new Uint8Array(events.ids.count);
  new BytePattern(text).mark(events.ids, 0, ids.length, ids);
  const isEvent = new Uint8Array(events.count);
  // Values are JSON, which escapes quotes and some other characters.
  const inValues = new BytePattern(JSON.stringify(text).slice(1, -1));
  const isId = (index: number) => index >= 0 && ids[index] === 1;
  for (let from = 0; from < events.count; from += SLICE_ROWS) {
    const to = Math.min(events.count, from + SLICE_ROWS);
    inValues.mark(events.values, from, to, isEvent);
    for (let event = from; event < to; event++) {
      if (kinds[events.kind[event] as number] || isId(events.id[event] as number)) isEvent[event] = 1;
    }
    await pause();
    if (!isWanted()) return undefined;
  }
  const isActivity = (index: number) =>
    tasks[activities.task[index] as number] === true ||
    isId(activities.id[index] as number) ||
    isEvent[activities.startEvent[index] as number] === 1 ||
    isEvent[activities.stopEvent[index] as number] === 1;
  return {
    text,
    activities: indicesWhere(activities.count, isActivity),
    events: indicesWhere(events.count, (event) => isEvent[event] === 1),
  };
}
