/**
 * A tracepoint's format, as in tracefs's `events/<system>/<name>/format`, which perf copies into its files: the
 * positions of the fields in the raw data. Source: Linux `Documentation/trace/events.rst`.
 */

/** One field of a tracepoint's raw data. */
export interface TracepointField {
  readonly name: string;
  /** The type as declared, without the name: `unsigned int`, `char[16]`, `__data_loc char[]`. */
  readonly type: string;
  /** The offset in the raw data, in bytes. */
  readonly offset: number;
  /** The size in bytes; 0 for up to the end of the raw data. */
  readonly size: number;
  readonly signed: boolean;
  /**
   * `'data'`: the field is a u32 of offset (low 16 bits, from the start of the raw data) and size (high 16)
   * of the value. `'relative'`: the same, with the offset counted from the field's end.
   */
  readonly location?: 'data' | 'relative';
  readonly isArray: boolean;
  /** Whether it is an array of characters. */
  readonly isText: boolean;
  /** The size of an array's elements, if the type tells it. */
  readonly elementSize: number | undefined;
}

export interface TracepointFormat {
  /** The group of the tracepoint, such as `user_events` or `sched`. */
  readonly system: string;
  readonly name: string;
  readonly id: number;
  /** Common to all tracepoints: type, flags, preempt count, pid. */
  readonly commonFields: readonly TracepointField[];
  readonly fields: readonly TracepointField[];
  /** The payload is a self-describing EventHeader event from this offset on. */
  readonly eventHeaderOffset?: number;
}

/** An event is EventHeader if its first own field has this name (LinuxTracepoints). */
const EVENT_HEADER_FIELD = 'eventheader_flags';

/** @returns `undefined` if the text has no name or no id */
export function parseTracepointFormat(system: string, text: string): TracepointFormat | undefined {
  const name = /^name:[ \t]*(\S+)/m.exec(text)?.[1];
  const id = /^ID:[ \t]*(\d+)/m.exec(text)?.[1];
  if (name === undefined || id === undefined) return undefined;
  const all: TracepointField[] = [];
  for (const line of text.split('\n')) {
    const field = parseField(line);
    if (field !== undefined) all.push(field);
  }
  const firstOwn = all.findIndex((field) => !field.name.startsWith('common_'));
  const commonCount = firstOwn < 0 ? all.length : firstOwn;
  const fields = all.slice(commonCount);
  const format = { system, name, id: Number(id), commonFields: all.slice(0, commonCount), fields };
  const first = fields[0];
  return first?.name === EVENT_HEADER_FIELD ? { ...format, eventHeaderOffset: first.offset } : format;
}

/** The size of an array's elements, by the word for it in the declared type. */
const ELEMENT_SIZES: readonly (readonly [pattern: RegExp, size: number])[] = [
  [/\b(?:__)?[us]8\b|\bu?int8_t\b|\bbool\b|\bchar\b/, 1],
  [/\b(?:__)?[us]16\b|\bu?int16_t\b|\bshort\b/, 2],
  [/\b(?:__)?[us]64\b|\bu?int64_t\b|\blong long\b|\blong\b|\*/, 8],
  [/\b(?:__)?[us]32\b|\bu?int32_t\b|\bint\b/, 4],
];

/** The kernel's own declarations are far shorter; the limit bounds the work on damaged ones. */
const FIELD_LINE =
  /^\s*field:(?<declaration>[^;]{1,512});\s*offset:(?<offset>\d+);\s*size:(?<size>\d+);(?:\s*signed:(?<signed>\d+);)?/;
/** `unsigned long args[6]`: the name, behind the type, and the array part. */
const DECLARATION = /(?<![^\s*[\]])(?<name>[^\s*[\]]+)\s*(?<array>\[[^[\]]*\])?$/;

function parseField(line: string): TracepointField | undefined {
  const parts = FIELD_LINE.exec(line)?.groups;
  const declared = parts?.declaration?.trim() ?? '';
  const declaration = DECLARATION.exec(declared);
  if (parts === undefined || declaration === null) return undefined;
  const { name = '', array = '' } = declaration.groups ?? {};
  const type = `${declared.slice(0, declaration.index).trim()}${array}`;
  const isArray = type.endsWith(']');
  const field = {
    name,
    type,
    offset: Number(parts.offset),
    size: Number(parts.size),
    signed: parts.signed === '1',
    isArray,
    isText: isArray && /\bchar\b/.test(type) && !/\bunsigned\b/.test(type),
    elementSize: ELEMENT_SIZES.find(([pattern]) => pattern.test(type))?.[1],
  };
  if (type.startsWith('__data_loc ')) return { ...field, location: 'data' };
  return type.startsWith('__rel_loc ') ? { ...field, location: 'relative' } : field;
}
