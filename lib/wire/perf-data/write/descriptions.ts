/**
 * The space in the file of a running recording where its events are described: their attributes and formats. It
 * precedes all records and grows with the events, because perf reads formats only once, and only for events that it
 * already knows. There are two slots, each after its own record. One is active; the other is part of that record and
 * can be rewritten; changing the size of the first record then swaps them. So the file is valid at every moment,
 * whenever the recorder is killed. Source: Linux `tools/perf/util/session.c` and `trace-event-read.c`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { RECORD_HEAD_SIZE, RecordType } from '../constants.ts';
import type { RecordedEvent } from './features.ts';
import { attrRecord, tracingDataHead } from './pipe.ts';
import { head } from './records.ts';
import { roomyTracingData, type TracingData } from './tracing-data.ts';

/** A record can contain one, with the header of the next record. */
const SLOT_SIZE = 0xfff8 - 2 * RECORD_HEAD_SIZE;
/** What follows TRACING_DATA, whose record ends halfway between multiples of 8. */
const FILLER: Uint8Array = head(new ByteWriter(), RecordType.EventType, 4).uint32(0).current();

/** The size of the space. */
export const DESCRIPTIONS_SIZE: number = 2 * (RECORD_HEAD_SIZE + SLOT_SIZE);

interface PlacedBytes {
  readonly position: number;
  readonly bytes: Uint8Array;
}

export class Descriptions {
  readonly #start: number;
  #isFirst = false;

  /** @param start the position of the space in the file: a multiple of 8 */
  constructor(start: number) {
    this.#start = start;
  }

  /**
   * What to write, in this order: at every moment the events are described, either as before or anew.
   *
   * @returns undefined if there is no room for so many
   */
  describe(
    events: readonly RecordedEvent[],
    data: Omit<TracingData, 'savedCommandLines'>,
  ): readonly PlacedBytes[] | undefined {
    const attrs = Buffer.concat(events.map(attrRecord));
    const size = SLOT_SIZE - attrs.length - RECORD_HEAD_SIZE - 4 - FILLER.length;
    const tracingData = roomyTracingData(data, size);
    if (tracingData === undefined) return undefined;
    this.#isFirst = !this.#isFirst;
    const first = this.#start + RECORD_HEAD_SIZE;
    const slot = this.#isFirst ? first : first + SLOT_SIZE + RECORD_HEAD_SIZE;
    return [
      { position: slot, bytes: Buffer.concat([attrs, tracingDataHead(size), tracingData]) },
      { position: slot + SLOT_SIZE - FILLER.length, bytes: FILLER },
      { position: first + SLOT_SIZE, bytes: passed(SLOT_SIZE) },
      { position: this.#start, bytes: passed(this.#isFirst ? 0 : SLOT_SIZE + RECORD_HEAD_SIZE) },
    ];
  }
}

/** The header of a record that readers skip. */
function passed(bodySize: number): Uint8Array {
  return head(new ByteWriter(), RecordType.EventType, bodySize).current();
}
