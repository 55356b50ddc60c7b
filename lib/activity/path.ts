/**
 * Reads activity paths: whether a GUID is one, which numbers it holds, and how to display it.
 *
 * Source: "EventSource Activity Support", appendix "Code for Decoding a Activity Path", and the checks of TraceEvent's
 * StartStopActivityComputer. PerfView's own format, quirks included, is in perfview-path.ts.
 */
import { Guid } from './guid.ts';
import { byteAt, impliedProcessId, nibbleAt, PATH_NIBBLES, PathCode } from './path-layout.ts';

/** An activity path decoded from its GUID. */
interface ActivityPath {
  /** The process that created it, or 0 for an id in the 2016 form, which does not say. */
  readonly processId: number;
  /** The thread (.NET: AppDomain), the top-level activity, then one number per level below it. */
  readonly numbers: readonly number[];
  /** The path did not fit: the last number only makes the id unique, and some levels above it are missing. */
  readonly overflow: boolean;
}

/** Larger process ids are recognised only if the process id is known, as in PerfView. */
const UNKNOWN_PROCESS_ID_LIMIT = 0x100000;

/**
 * Whether `guid` is an activity path.
 *
 * With a `processId`: of that process, or in the 2016 form. Without (0): of any process with an id below 2^20; one in
 * 4096 unrelated GUIDs passes, too.
 */
export function isActivityPath(guid: Guid, processId = 0): boolean {
  const implied = impliedProcessId(guid);
  if (processId === 0) return implied < UNKNOWN_PROCESS_ID_LIMIT;
  return implied === processId || implied === 0;
}

/**
 * The path in `guid`, or undefined if it is not one: its checksum is wrong (see isActivityPath), or its nibbles are
 * invalid.
 *
 * Also reads children of the numbers 256 to 4095, which .NET up to version 9 wrote after a spare zero byte.
 */
export function parseActivityPath(guid: Guid, processId = 0): ActivityPath | undefined {
  if (!isActivityPath(guid, processId)) return undefined;
  const numbers: number[] = [];
  const reader = new PathReader(guid);
  while (reader.next()) numbers.push(reader.number);
  if (!reader.isValid) return undefined;
  return { processId: impliedProcessId(guid), numbers, overflow: reader.isOverflow };
}

/** Reads one number of a path after the other. */
class PathReader {
  number = 0;
  /** Whether the number only makes the id unique: it is the last one. */
  isOverflow = false;
  isValid = true;
  #at = 0;
  readonly #guid: Guid;

  constructor(guid: Guid) {
    this.#guid = guid;
  }

  /** Whether there is another number. */
  next(): boolean {
    const guid = this.#guid;
    const at = this.#at;
    const first = at < PATH_NIBBLES ? nibbleAt(guid, at) : PathCode.End;
    if (first === PathCode.End) return false;
    const isAfterLast = this.isOverflow;
    this.isOverflow = first === PathCode.Overflow;
    if (first <= PathCode.LastImmediate) {
      this.number = first;
      this.#at++;
    } else {
      const start = this.isOverflow ? at + 1 : at;
      const end = endOfMultiByte(guid, start);
      this.isValid = end <= PATH_NIBBLES;
      if (!this.isValid) return false;
      this.number = multiByteNumber(guid, start, end);
      this.#at = isSpareByte(guid, start, end, this.number) ? end + 2 : end;
    }
    this.isValid = !isAfterLast;
    return this.isValid;
  }
}

/**
 * `guid` for people: `//1/1/6/1`, with `$` before a number that only makes the id unique (`//1/1/6$7`) and without the
 * process. The ids that TraceEvent generates for HTTP and SQL commands become `HTTP/Id=xxxxxxxx` and `SQL/Id=xxxxxxxx`;
 * any other GUID is shown as it is.
 */
export function formatActivityPath(guid: Guid, processId = 0): string {
  if (!isActivityPath(guid, processId)) return formatOtherActivityId(guid);
  const reader = new PathReader(guid);
  let text = '/';
  while (reader.next()) text += `${reader.isOverflow ? '$' : '/'}${reader.number}`;
  return reader.isValid ? text : formatOtherActivityId(guid);
}

/** An id that is not a path: TraceEvent's generated ids for HTTP and SQL commands by name, others as GUIDs. */
export function formatOtherActivityId(guid: Guid): string {
  const text = guid.toString();
  if (text.endsWith('-0607-08090a0b0c0d')) return `HTTP/Id=${text.slice(0, 8)}`;
  if (text.endsWith('-0707-08090a0b0c0d')) return `SQL/Id=${text.slice(0, 8)}`;
  return text;
}

/** Returns where the multi-byte number with its code at `start` ends; if beyond PATH_NIBBLES, it is not a number. */
function endOfMultiByte(guid: Guid, start: number): number {
  if (start >= PATH_NIBBLES) return PATH_NIBBLES + 1;
  const bytes = nibbleAt(guid, start) - PathCode.MultiByte1 + 1;
  return bytes < 1 ? PATH_NIBBLES + 1 : ((start >>> 1) + 1 + bytes) * 2;
}

function multiByteNumber(guid: Guid, start: number, end: number): number {
  const codeIsHighHalf = (start & 1) === 0;
  let number = codeIsHighHalf ? nibbleAt(guid, start + 1) : 0;
  for (let at = end - 2; at > start; at -= 2) number = (number << 8) | byteAt(guid, at);
  return number >>> 0;
}

/** A zero byte that .NET up to version 9 wrote after such a number, with more numbers after it. */
function isSpareByte(guid: Guid, start: number, end: number, number: number): boolean {
  return (
    (start & 1) === 0 &&
    number >= 256 &&
    number < 4096 &&
    end + 2 < PATH_NIBBLES &&
    byteAt(guid, end) === 0 &&
    nibbleAt(guid, end + 2) !== PathCode.End
  );
}

/**
 * An activity id for people: its path, such as `//1/1/6/1`. A number that only makes the id of a very deep path unique
 * is preceded by `$` (`//1/1/6$7`).
 *
 * @param guidText an event's `activityId` or `relatedActivityId`. A GUID that is not a path, or any other text, is
 * returned as it is, except that the ids that TraceEvent generates for HTTP and SQL commands get names.
 */
export function activityPath(guidText: string): string {
  const guid = Guid.tryParse(guidText);
  return guid === undefined ? guidText : formatActivityPath(guid);
}
