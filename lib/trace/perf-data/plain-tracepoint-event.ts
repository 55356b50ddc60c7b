/** An event written to a plain tracepoint, with its activity ids: see `wire/plain-tracepoint.ts`. */
import { viewOf } from '../../base/bytes.ts';
import type { SampleRecord } from '../../wire/perf-data/sample.ts';
import type { TracepointFormat } from '../../wire/perf-data/tracepoint-format.ts';
import { opcodeByName, opcodeNameOf, taskNameOf } from '../names.ts';
import { type Recording, rawOf } from './sample-event.ts';
import { TracepointEvent } from './tracepoint-event.ts';

const ID_FIELDS = ['activity_hi', 'activity_lo', 'related_hi', 'related_lo'];

/** What such events have besides their ids; undefined for other tracepoints. */
export function withoutActivityIds(format: TracepointFormat): TracepointFormat | undefined {
  const hasIds = ID_FIELDS.every((name, index) => {
    const field = format.fields[index];
    return field?.name === name && field.size === 8 && !field.isArray;
  });
  return hasIds ? { ...format, fields: format.fields.slice(ID_FIELDS.length) } : undefined;
}

export class PlainTracepointEvent extends TracepointEvent {
  readonly #whole: TracepointFormat;

  /** @param whole the format including the ids */
  constructor(
    recording: Recording,
    sample: SampleRecord,
    timeHigh: number,
    timeLow: number,
    format: TracepointFormat,
    whole: TracepointFormat,
  ) {
    super(recording, sample, timeHigh, timeLow, format);
    this.#whole = whole;
  }

  override get opcode(): number {
    return opcodeByName(this.name);
  }

  override get opcodeName(): string | undefined {
    return opcodeNameOf(this.opcode);
  }

  override get taskName(): string | undefined {
    return taskNameOf(this.name, this.opcode);
  }

  override get activityId(): string | undefined {
    return this.#idAt(0);
  }

  override get relatedActivityId(): string | undefined {
    return this.#idAt(2);
  }

  /** @param first the position of its first field */
  #idAt(first: number): string | undefined {
    const raw = rawOf(this.sample);
    const halves = this.#whole.fields.slice(first, first + 2).map(({ offset }) => {
      return offset + 8 > raw.length ? 0n : viewOf(raw).getBigUint64(offset, this.sample.of.littleEndian);
    });
    const digits = halves.map((half) => half.toString(16).padStart(16, '0')).join('');
    if (/^0*$/.test(digits)) return undefined;
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}
