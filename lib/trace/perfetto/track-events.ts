/** What the events of tracks say, directly or by the numbers of names. */
import { EventKind, type LegacyEvent, type TrackEvent } from '../../wire/perfetto/messages.ts';
import type { SequenceState } from './sequences.ts';

/** An event without a category has this provider. */
export const NO_PROVIDER = 'Perfetto';

/** Phases of events that belong to an id instead of a thread. */
const ASYNC = /[bneSTpF]/;

export function isAsync(legacy: LegacyEvent): boolean {
  return ASYNC.test(phaseOf(legacy));
}

function phaseOf({ phase }: LegacyEvent): string {
  return String.fromCharCode(Number(phase ?? 0));
}

/** The kind of an event of the older form, by its phase. */
export function typeOf(legacy: LegacyEvent | undefined): number {
  if (legacy === undefined) return EventKind.Instant;
  const phase = phaseOf(legacy);
  if (/[BXbS]/.test(phase)) return EventKind.SliceBegin;
  return /[EeF]/.test(phase) ? EventKind.SliceEnd : EventKind.Instant;
}

export function nameOf({ name, nameIid, legacyEvent }: TrackEvent, state: SequenceState): string | undefined {
  const iid = nameIid ?? legacyEvent?.nameIid;
  return name ?? (iid === undefined ? undefined : state.eventNames.get(iid));
}

/** All of them, in one text. */
export function categoryOf({ categories, categoryIids }: TrackEvent, state: SequenceState): string {
  const names = categories ?? categoryIids?.map((iid) => state.categories.get(iid) ?? `${iid}`) ?? [];
  return names.join(',') || NO_PROVIDER;
}
