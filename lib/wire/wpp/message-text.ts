/** The text of a WPP message with the values of its arguments, as Tracefmt shows it without its prefix. */
import { hexText } from '../../base/bytes.ts';
import type { Payload } from '../decoded-field.ts';
import { namesText } from '../field-map.ts';
import { BoundedText } from '../output-limits.ts';
import type { FieldTexts } from '../packed/field-texts.ts';
import { type PrintedValue, printed } from './printf.ts';
import { errorText, resultText, statusText } from './status-names.ts';
import type { TmfArgument, TmfMessage } from './tmf.ts';

/** Texts of the arguments that `%10!s!` does not show as they are: error codes, times, names of values. */
export function argumentTexts({ arguments: all }: TmfMessage): FieldTexts {
  const shown = all.filter(({ kind }) => kind !== 'plain');
  return new Map(shown.map((argument) => [argument.field.name, (value) => itemText(argument, value)]));
}

/** What is known of a message without its description: the values of `%3` to `%9`. */
interface MessageContext {
  readonly threadId: number | undefined;
  readonly processId: number | undefined;
  readonly processor: number | undefined;
  readonly sequence: number | undefined;
  /** ISO. */
  readonly time: string;
}

/** `%10!d!`, `%10`, `%!FUNC!`, and FormatMessage's escapes. */
const MARK = /%(?:(\d{1,5})(?:!([^!]*)!)?|!(\w+)!|([nrtb.%! ]))/g;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: ' ' };

/**
 * Placeholders of arguments that the payload lacks are left unchanged.
 *
 * @param size of the payload in bytes
 */
export function messageText(
  message: TmfMessage,
  payload: Payload,
  pointerSize: 4 | 8,
  context: MessageContext,
  size: number,
): string {
  const { format } = message;
  const text = new BoundedText(size);
  let end = 0;
  for (const { 0: mark, 1: number, 2: spec, 3: key, 4: letter, index } of format.matchAll(MARK)) {
    text.add(format.slice(end, index));
    if (text.isFull) break;
    text.add(part(number, spec, key, letter) ?? mark);
    end = index + mark.length;
  }
  text.add(format.slice(end));
  return text.toString().trimEnd();

  function part(number?: string, spec = 's', key?: string, letter?: string): string | undefined {
    if (letter !== undefined) return ESCAPES[letter] ?? letter;
    if (key !== undefined) return keyText(message, key);
    const index = Number(number);
    const value =
      index < 10
        ? contextValue(message, context, index)
        : argumentValue(message, payload, pointerSize, index);
    return value && printed(spec, value);
  }
}

function keyText({ keys, file, line, component }: TmfMessage, key: string): string {
  const name = key.toUpperCase();
  if (name === 'FILE') return file ?? '';
  if (name === 'LINE') return String(line ?? '');
  return keys.get(name) ?? (name === 'MOD' ? component : '');
}

function contextValue(message: TmfMessage, context: MessageContext, index: number): PrintedValue | undefined {
  const { threadId, processId, processor, sequence, time } = context;
  // %0 is the prefix; %5 and %6 are CPU times, which messages do not have.
  const all = ['', message.component, message.place, threadId, time, '', '', sequence, processId, processor];
  const value = all[index] ?? '';
  return { value, bits: 32, text: () => String(value) };
}

function argumentValue(
  message: TmfMessage,
  payload: Payload,
  pointerSize: 4 | 8,
  index: number,
): PrintedValue | undefined {
  const argument = message.arguments.find(({ number }) => number === index);
  const value = argument && payload[argument.field.name];
  if (argument === undefined || value === undefined) return undefined;
  const text = () => itemText(argument, value);
  // What is shown by name is shown so whatever the conversion is, as are bytes.
  if (typeof value !== 'number' && typeof value !== 'bigint') return { value: text(), bits: 0, text };
  const [, bits] = /(?<!\d)(\d+)$/.exec(argument.field.type) ?? [];
  return { value, bits: bits === undefined ? bitsOf(argument, pointerSize) : Number(bits), text };
}

function bitsOf({ field }: TmfArgument, pointerSize: 4 | 8): number {
  if (field.type === 'pointer') return 8 * pointerSize;
  return field.type === 'port' ? 16 : 64;
}

function itemText({ field, kind }: TmfArgument, value: Payload[string]): string {
  switch (kind) {
    case 'reduced':
      return String(value)
        .replace(/[\t\r\n]/g, ' ')
        .trimEnd();
    case 'status':
      return statusText(Number(value));
    case 'result':
      return resultText(Number(value));
    case 'error':
      return errorText(Number(value));
    case 'time':
      return fileTimeText(value as bigint);
    case 'span':
      return spanText(value as bigint);
    case 'address':
      return hexText(value as Uint8Array, '-');
    case 'names':
      return (field.map && namesText(field.map, value)) ?? `0x${value?.toString(16)}`;
    default:
      return value instanceof Uint8Array ? hexText(value, ' ') : String(value);
  }
}

const UNIX_EPOCH = 11_644_473_600_000n;

function fileTimeText(value: bigint): string {
  return new Date(Number(value / 10_000n - UNIX_EPOCH)).toISOString();
}

/** Milliseconds as `days~hours:minutes:seconds`. */
function spanText(milliseconds: bigint): string {
  const size = milliseconds < 0n ? -milliseconds : milliseconds;
  const part = (unit: bigint, limit: bigint) => String((size / unit) % limit).padStart(2, '0');
  const rest = String(size % 1000n).padStart(3, '0');
  const clock = `${part(3_600_000n, 24n)}:${part(60_000n, 60n)}:${part(1000n, 60n)}.${rest}`;
  return `${milliseconds < 0n ? '-' : ''}${size / 86_400_000n}~${clock}`;
}
