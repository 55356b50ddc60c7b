/**
 * The events of the last seconds, in memory: rounds of a separate group, in sections between two sequence points. A
 * section is dropped as a whole, because its events refer to its stacks and labels; each remaining section knows what a
 * trace that begins there needs.
 */

import { Guid } from '../activity/guid.ts';
import type { EventWatch } from '../eventpipe/event-kinds.ts';
import type { RoundLink } from '../eventpipe/group-rounds.ts';
import { POINTER_SIZE, traceOfThisProcess } from '../eventpipe/process-info.ts';
import type { ProviderRequests } from '../eventpipe/requests.ts';
import { type GroupMember, SessionGroup } from '../eventpipe/session-group.ts';
import { timestamp } from '../listen/timestamp.ts';
import type { GuidWords } from '../wire/guid.ts';
import { FLIGHT_RECORDER_ACTIVITY, FLIGHT_RECORDER_REASON } from '../wire/nettrace/constants.ts';
import type { Piece } from '../wire/nettrace/write/framing.ts';
import { NetTracePieces, type RoundsBefore } from '../wire/nettrace/write/nettrace-pieces.ts';
import type { WrittenRound } from '../wire/nettrace/write/round.ts';
import type { WrittenTrace, WrittenVersion } from '../wire/nettrace/write/trace-parts.ts';

/** The approximate size of a round besides its bytes. */
const ROUND_SIZE = 1024;
const NS_PER_MS = 1_000_000n;
const NO_START: RoundsBefore = { metadata: [], threadRows: [], numbers: [] };

interface Section {
  /** The rounds are undefined if no trace can begin here. */
  readonly before: RoundsBefore | undefined;
  readonly startTime: bigint;
  readonly rounds: WrittenRound[];
  endTime: bigint;
  size: number;
}

interface RingSettings {
  readonly requests: ProviderRequests;
  readonly version: WrittenVersion;
  /** The size is in bytes. */
  readonly size: number;
  readonly milliseconds: number;
  readonly watch: EventWatch;
}

/** The contents of the ring at one time, as a trace in chunks. */
export interface RingTrace {
  readonly events: number;
  readonly pieces: Iterator<Piece, void, undefined>;
}

export class EventRing implements GroupMember {
  /** Nothing is waiting to be written. */
  readonly waitingBytes = 0;
  readonly #settings: RingSettings;
  readonly #group: SessionGroup;
  /** The link of the next round. */
  #next: RoundLink;
  /** The oldest first; the last one is not complete. */
  #sections: Section[];
  #size = 0;

  constructor(settings: RingSettings) {
    const { requests, version, size, watch } = settings;
    this.#settings = settings;
    this.#group = SessionGroup.of({ requests, version, bufferSize: size, waits: false, watch }).group;
    this.#next = this.#group.rounds.end;
    this.#sections = [sectionFrom(NO_START)];
    this.#group.join(this);
  }

  /** The size is in bytes. */
  get size(): number {
    return this.#size;
  }

  /** So far, including events that have left the ring. */
  get counts(): { readonly events: number; readonly dropped: number } {
    const { events, dropped } = this.#group.rounds;
    return { events, dropped };
  }

  /** Whether it has become too large, and no trace can begin later: it must be replaced. */
  get isStuck(): boolean {
    return this.#size > 2 * this.#settings.size;
  }

  take(): void {
    for (
      let { round, next } = this.#next;
      round !== undefined && next !== undefined;
      { round, next } = next
    ) {
      this.#next = next;
      this.#add(round);
    }
    this.#dropOld();
  }

  makeRoom(): void {}

  finish(): void {
    this.take();
  }

  end(isExiting = false): void {
    this.#group.leave(this, isExiting);
  }

  /** The events up to now. Does not change when others arrive. */
  trace(reason: string, activityId?: GuidWords): RingTrace {
    const { rounds, sampling } = this.#group;
    rounds.hurrySamples();
    this.#group.captureState('stop');
    this.#group.open();
    this.take();
    const sections = this.#sections.map(({ before, rounds: all }) => ({ before, rounds: [...all] }));
    const startTimeMs = (this.#sections[0] as Section).startTime / NS_PER_MS;
    const own = traceOfThisProcess(sampling);
    const activity =
      activityId === undefined ? [] : [[FLIGHT_RECORDER_ACTIVITY, guidOf(activityId).toString()] as const];
    const trace: WrittenTrace = {
      ...own,
      startTimeMs: Number(startTimeMs),
      syncTicks: startTimeMs * NS_PER_MS,
      properties: [...(own.properties ?? []), [FLIGHT_RECORDER_REASON, reason], ...activity],
    };
    const ending = rounds.processInfo();
    const pieces = piecesOf(this.#settings.version, trace, sections, ending);
    const events = sections.reduce((sum, section) => sum + eventsIn(section.rounds), 0);
    return { events, pieces };
  }

  #add(round: WrittenRound): void {
    const last = this.#sections.at(-1) as Section;
    const size = sizeOf(round);
    last.rounds.push(round);
    last.size += size;
    last.endTime = timestamp();
    this.#size += size;
    if (round.isComplete) this.#sections.push(sectionFrom(this.#group.rounds.before()));
  }

  #dropOld(): void {
    const { size, milliseconds } = this.#settings;
    const oldest = timestamp() - BigInt(milliseconds) * NS_PER_MS;
    let count = 0;
    let left = this.#size;
    for (const section of this.#sections.slice(0, -1)) {
      if (left <= size && section.endTime >= oldest) break;
      left -= section.size;
      count++;
    }
    // Sections at which no trace can begin stay with the previous one.
    while (count > 0 && this.#sections[count]?.before === undefined) count--;
    for (const section of this.#sections.slice(0, count)) this.#size -= section.size;
    if (count > 0) this.#sections = this.#sections.slice(count);
  }
}

function sectionFrom(before: RoundsBefore | undefined): Section {
  return { before, startTime: timestamp(), rounds: [], endTime: 0n, size: 0 };
}

function* piecesOf(
  version: WrittenVersion,
  trace: WrittenTrace,
  sections: readonly Pick<Section, 'before' | 'rounds'>[],
  ending: WrittenRound | undefined,
): Generator<Piece, void, undefined> {
  const pieces = new NetTracePieces(version, { ...trace, pointerSize: POINTER_SIZE }, sections[0]?.before);
  for (const { rounds } of sections) yield pieces.next(rounds).piece;
  yield pieces.end(ending === undefined ? [] : [ending]).piece;
}

function eventsIn(rounds: readonly WrittenRound[]): number {
  return rounds.reduce((sum, { eventCount }) => sum + eventCount, 0);
}

function sizeOf({ metadata, threadRows, stacks, labelLists, events }: WrittenRound): number {
  let size = ROUND_SIZE;
  for (const { length } of [...metadata, ...threadRows, ...stacks, ...labelLists]) size += length;
  for (const { bytes } of events) size += bytes.length;
  return size;
}

/** The id of an activity of a worker arrives as words. */
function guidOf({ w0, w1, w2, w3 }: GuidWords): Guid {
  return new Guid(w0, w1, w2, w3);
}
