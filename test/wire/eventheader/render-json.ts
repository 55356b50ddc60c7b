/**
 * An event as the JSON text that Microsoft's `perf-decode` writes, character for character, so that the two can be
 * compared and the same scripts can read both.
 *
 * Fields with the same name remain duplicate keys. Text is decoded by `text.ts`: where the original writes bytes that
 * are not UTF-8 (code points above U+10FFFF), this writes U+FFFD. Source: LinuxTracepoints, the output of
 * EventFormatter.
 */
import { hexText, readSigned, readUnsigned } from '../../../lib/base/bytes.ts';
import { type DecodedField, decodeFields } from '../../../lib/wire/eventheader/decode-fields.ts';
import type { OpenedEvent } from '../../../lib/wire/eventheader/open.ts';
import { type ParsedField, parseMetadata } from '../../../lib/wire/eventheader/parse-metadata.ts';
import { readBoolean, readFloat, readText } from '../../../lib/wire/eventheader/value.ts';
import { valueKindOf } from '../../../lib/wire/eventheader/value-kind.ts';
import { openEventHeader } from './decode-event.ts';
import { errnoName } from './errno-names.ts';
import { floatText, timeText } from './number-text.ts';

/** What a recording knows about an event besides its bytes; comes first in `meta`. */
export interface SampleMeta {
  /** Formatting options. */
  readonly time?: string;
  readonly cpu?: number;
  readonly pid?: number;
  readonly tid?: number;
}

export interface JsonOptions {
  /** A space after each comma, colon and bracket. */
  readonly spaces?: boolean;
  /** `;tag=0x1` after the names of fields that have a tag. */
  readonly fieldTags?: boolean;
  /** Also provider, event, options and flags in `meta`. */
  readonly allMeta?: boolean;
  readonly sample?: SampleMeta;
}

/**
 * The event as one JSON object: `n`, the fields, `meta`.
 *
 * @param tracepointName without the system
 * @param data from the 8-byte header on
 * @throws EventHeaderError
 */
export function renderEventJson(tracepointName: string, data: Uint8Array, options: JsonOptions = {}): string {
  const opened = openEventHeader(tracepointName, data);
  const metadata = parseMetadata(opened.metadata, opened.littleEndian);
  const fields = decodeFields(metadata, opened, (field, bytes) =>
    valueJson(field, bytes, opened.littleEndian),
  );
  const writer = new JsonWriter(options);
  const [name = ''] = metadata.nameAndAttributes.split(';', 1);
  return writer.object([
    ['n', jsonString(`${opened.provider}:${name}`)],
    ...writer.members(fields),
    ['meta', writer.object(metaMembers(opened, metadata.nameAndAttributes, options))],
  ]);
}

/** A member's name and its value's JSON text. */
type Member = readonly [name: string, json: string];

class JsonWriter {
  readonly #space: string;
  readonly #fieldTags: boolean;

  constructor(options: JsonOptions) {
    this.#space = options.spaces === true ? ' ' : '';
    this.#fieldTags = options.fieldTags === true;
  }

  object(members: readonly Member[]): string {
    return this.#bracketed(
      '{',
      members.map(([name, json]) => `${jsonString(name)}:${this.#space}${json}`),
      '}',
    );
  }

  members(fields: readonly DecodedField<string>[]): Member[] {
    return fields.map((field) => {
      const tag = this.#fieldTags && field.tag !== 0 ? `;tag=0x${upperHex(field.tag)}` : '';
      return [field.name + tag, this.#field(field)];
    });
  }

  #field(field: DecodedField<string>): string {
    switch (field.shape) {
      case 'value':
        return field.value;
      case 'array':
        return this.#bracketed('[', field.value, ']');
      case 'struct':
        return this.object(this.members(field.value));
      case 'structArray':
        return this.#bracketed(
          '[',
          field.value.map((fields) => this.object(this.members(fields))),
          ']',
        );
    }
  }

  #bracketed(open: string, items: readonly string[], close: string): string {
    const space = this.#space;
    return `${open}${items.map((item) => space + item).join(',')}${space}${close}`;
  }
}

function metaMembers(event: OpenedEvent, nameAndAttributes: string, options: JsonOptions): Member[] {
  const members: Member[] = [];
  const { time, cpu, pid, tid } = options.sample ?? {};
  const all = options.allMeta === true;
  if (time !== undefined) members.push(['time', jsonString(time)]);
  if (cpu !== undefined) members.push(['cpu', String(cpu)]);
  if (pid !== undefined) members.push(['pid', String(pid)]);
  if (tid !== undefined) members.push(['tid', String(tid)]);
  if (all) {
    members.push(['provider', jsonString(event.provider)], ['event', jsonString(nameAndAttributes)]);
  }
  if (event.id !== 0) members.push(['id', String(event.id)]);
  if (event.version !== 0) members.push(['version', String(event.version)]);
  if (event.level !== 0) members.push(['level', String(event.level)]);
  if (event.keyword !== 0n) members.push(['keyword', `"0x${upperHex(event.keyword)}"`]);
  if (event.opcode !== 0) members.push(['opcode', String(event.opcode)]);
  if (event.tag !== 0) members.push(['tag', `"0x${upperHex(event.tag)}"`]);
  if (event.activityId !== undefined) members.push(['activity', jsonString(event.activityId)]);
  if (event.relatedActivityId !== undefined) {
    members.push(['relatedActivity', jsonString(event.relatedActivityId)]);
  }
  if (all && event.options !== '') members.push(['options', jsonString(event.options)]);
  if (all) members.push(['flags', `"0x${upperHex(event.flags)}"`]);
  return members;
}

function valueJson(field: ParsedField, bytes: Uint8Array, littleEndian: boolean): string | undefined {
  const kind = valueKindOf(field.encoding, field.format, bytes.length);
  switch (kind) {
    case undefined:
      return undefined;
    case 'null':
      return 'null';
    case 'unsigned':
      return String(readUnsigned(bytes, littleEndian));
    case 'signed':
      return String(readSigned(bytes, littleEndian));
    case 'hex':
      return `"0x${upperHex(readUnsigned(bytes, littleEndian))}"`;
    case 'errno': {
      const errno = Number(readSigned(bytes, littleEndian));
      return `"${errnoName(errno) ?? 'ERRNO'}(${errno})"`;
    }
    case 'time':
      return `"${timeText(BigInt(readSigned(bytes, littleEndian)))}"`;
    case 'boolean':
      return String(readBoolean(bytes, littleEndian));
    case 'float':
      return floatJson(bytes, littleEndian);
    case 'bytes':
      return `"${hexText(bytes, ' ')}"`;
    case 'port':
      return String(readUnsigned(bytes, false));
    default:
      return jsonString(readText(kind, bytes, littleEndian));
  }
}

function floatJson(bytes: Uint8Array, littleEndian: boolean): string {
  const value = readFloat(bytes, littleEndian);
  const topByte = bytes[littleEndian ? bytes.length - 1 : 0] as number;
  const text = floatText(value, bytes.length, topByte >= 0x80);
  return Number.isFinite(value) ? text : `"${text}"`;
}

function upperHex(number: number | bigint): string {
  return number.toString(16).toUpperCase();
}

/** JSON.stringify would also escape lone surrogates, which the original passes through. */
function jsonString(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON requires these to be escaped
  return `"${text.replace(/[\u0000-\u001f"\\]/g, (character) => JSON.stringify(character).slice(1, -1))}"`;
}
