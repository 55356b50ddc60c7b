/** The events of a report. */
import type { EventKind, ReportHeader } from '../view/report/report-header.ts';
import type { Columns } from './columns.ts';
import { beginnings, instants, optionalNumbers, wholeNumbers } from './numbers.ts';

const UTF8 = new TextDecoder();

/** Texts up to this length may not say enough: `GET`, `OPTIONS`. */
const SHORT_TITLE = 8;

/** Consecutive texts in one byte array, decoded on demand. */
export class Texts {
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;

  constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.starts = starts;
    this.bytes = bytes;
  }

  get count(): number {
    return this.starts.length - 1;
  }

  at(index: number): string {
    return UTF8.decode(this.bytes.subarray(this.starts[index], this.starts[index + 1]));
  }
}

/** The names of levels, by number. */
export const LEVELS: readonly (string | undefined)[] = [
  'Always',
  'Critical',
  'Error',
  'Warning',
  'Informational',
  'Verbose',
];

/** A payload field as displayed. */
interface ShownField {
  readonly name: string;
  readonly value: string;
}

export class EventTable {
  readonly count: number;
  readonly time: Float64Array;
  readonly kind: Uint32Array;
  readonly thread: Uint32Array;
  /** -1 if there is none. The next two columns do the same; they are indices of ids. */
  readonly activity: Int32Array;
  readonly id: Int32Array;
  readonly relatedId: Int32Array;
  readonly shape: Int32Array;
  /** -1 without a stack. */
  readonly stack: Int32Array;
  /** How much of a CPU sample was on a processor, in percent; 0 for other events. */
  readonly onCpu: Uint8Array;
  /** JSON arrays. */
  readonly values: Texts;
  readonly ids: Texts;
  readonly #header: ReportHeader;

  constructor(header: ReportHeader, columns: Columns) {
    this.#header = header;
    this.time = instants(columns.eventTime, header.startNs);
    this.kind = wholeNumbers(columns.eventKind);
    this.thread = wholeNumbers(columns.eventThread);
    this.activity = optionalNumbers(columns.eventActivity);
    this.id = optionalNumbers(columns.eventId);
    this.relatedId = optionalNumbers(columns.eventRelatedId);
    this.shape = optionalNumbers(columns.eventShape);
    this.stack = optionalNumbers(columns.eventStack);
    this.values = new Texts(beginnings(columns.eventValuesSize), columns.values);
    this.ids = new Texts(beginnings(columns.idSize), columns.ids);
    this.count = this.time.length;
    this.onCpu = new Uint8Array(this.count);
    this.#charge(optionalNumbers(columns.sampleActivity), wholeNumbers(columns.sampleOnCpu));
  }

  /** Samples belong to the activity that their thread was running. */
  #charge(activities: Int32Array, onCpu: Uint32Array): void {
    let sample = 0;
    for (let event = 0; event < this.count && sample < activities.length; event++) {
      if (!this.isSample(event)) continue;
      this.onCpu[event] = onCpu[sample] as number;
      const activity = activities[sample++] as number;
      if (activity >= 0) this.activity[event] = activity - 1;
    }
  }

  kindOf(event: number): EventKind {
    return this.#header.kinds[this.kind[event] as number] as EventKind;
  }

  /** `Request/Start` */
  name(event: number): string {
    return this.kindOf(event).name;
  }

  isSample(event: number): boolean {
    return (this.stack[event] as number) >= 0 && this.kindOf(event).isSample === true;
  }

  provider(event: number): string {
    return this.#header.providers[this.kindOf(event).provider] ?? '';
  }

  /** The text of the id with this index. */
  idText(index: number): string {
    return index < 0 ? '' : this.ids.at(index);
  }

  /** Returns undefined if the report omits the payload. */
  payload(event: number): ShownField[] | undefined {
    const names = this.#header.shapes[this.shape[event] as number];
    if (names === undefined) return undefined;
    const values = JSON.parse(this.values.at(event)) as readonly unknown[];
    return names.map((name, index) => ({ name, value: valueText(values[index]) }));
  }

  /**
   * What most often identifies the event: the first string field and, if that is short, such as a verb, the next one.
   */
  title(event: number): string {
    if (event < 0 || this.shape[event] === -1) return '';
    const values = JSON.parse(this.values.at(event)) as readonly unknown[];
    const [first = '', second = ''] = values.filter((value) => typeof value === 'string');
    return first.length > SHORT_TITLE ? first : `${first} ${second}`.trim();
  }

  /** What a stop says about the failure; possibly empty. */
  error(event: number): string {
    const fields = new Map(event < 0 ? [] : this.payload(event)?.map(({ name, value }) => [name, value]));
    const texts = ['errorMessage', 'error', 'errorType', 'statusCode'].map((name) => fields.get(name));
    return texts.find((text) => text) ?? '';
  }

  /** The payload on one line. */
  summary(event: number): string {
    return (this.payload(event) ?? []).map(({ name, value }) => `${name}=${value}`).join(' ');
  }
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
