/**
 * The fields of a message as texts, by path. A message is somebody else's object: getters may throw, values may be of
 * any size, and only the getters on a requested path are called.
 */
import { types } from 'node:util';
import { traceOf } from '../../activity/crossing.ts';
import { formatActivityPath } from '../../activity/path.ts';
import { sharedActivities } from '../../activity/shared.ts';
import { cut } from '../../logs/bounded.ts';
import type { ChannelSpec } from './specs.ts';

/** .NET's KeyValuePair. */
interface Argument {
  readonly Key: string;
  readonly Value: string;
}

// In bytes: with names and ids, less than perf's 8184.
const MAX_KEY = 200;
const MAX_VALUE = 1000;
const MAX_ALL = 7000;
/** The size of a pair without its texts. */
const PAIR = 4;
const MAX_ARGUMENTS = 100;
const MAX_ELEMENTS = 100;
const MAX_PROTOTYPES = 8;

type Properties = Readonly<Record<string, unknown>>;

/** Limits for number and length, so that the event fits into every tracer. */
export function argumentsOf({ hasImplicit, fields }: ChannelSpec, message: unknown): Argument[] {
  const list: Argument[] = [];
  let left = MAX_ALL;
  const add = (name: string, text: string | undefined) => {
    if (text === undefined || left <= 0 || list.length === MAX_ARGUMENTS) return;
    const Key = shortened(name, MAX_KEY);
    const Value = shortened(text, Math.max(PAIR, Math.min(MAX_VALUE, left - Key.length)));
    left -= Buffer.byteLength(Key) + Buffer.byteLength(Value) + PAIR;
    list.push({ Key, Value });
  };
  if (hasImplicit) addImplicit(message, add);
  for (const { name, path } of fields) add(name, textAt(message, path));
  return list;
}

/** The message's own properties: a getter is listed, but not called. */
function addImplicit(message: unknown, add: (name: string, text: string | undefined) => void): void {
  if (!isObject(message)) {
    add('message', textOf(message));
  } else if (!types.isProxy(message)) {
    for (const name of Object.keys(message).slice(0, MAX_ARGUMENTS)) {
      const property = Object.getOwnPropertyDescriptor(message, name);
      add(name, property?.get === undefined ? (textOf(property?.value) ?? '') : '[Getter]');
    }
  }
}

function textAt(message: unknown, path: readonly string[]): string | undefined {
  try {
    return textOf(path.reduce(step, message));
  } catch {
    // A getter threw.
    return undefined;
  }
}

function step(value: unknown, name: string): unknown {
  if (name === '*Activity') return currentActivity();
  if (value === null || value === undefined || types.isProxy(value)) return undefined;
  return name === '*Enumerate' ? elementsText(value) : (value as Properties)[name];
}

/** .NET: Activity.Current. */
function currentActivity(): Properties | undefined {
  const { flow, tracker } = sharedActivities();
  const id = tracker.currentActivityId(flow.context);
  if (id === undefined) return undefined;
  const { traceId, spanId } = traceOf(flow.context) ?? {};
  return {
    Id: id.toString(),
    Path: formatActivityPath(id, tracker.processId),
    TraceId: traceId,
    SpanId: spanId,
  };
}

function elementsText(value: unknown): string | undefined {
  const elements = elementsOf(value);
  if (elements === undefined) return undefined;
  const texts: string[] = [];
  for (const element of elements) {
    if (texts.length === MAX_ELEMENTS) break;
    texts.push(shortened(textOf(element) ?? '', MAX_VALUE));
  }
  return texts.join(',');
}

/** Iterates with Node.js's own iterators, whatever the object defines. */
function elementsOf(value: unknown): Iterable<unknown> | undefined {
  if (types.isSet(value)) return Set.prototype.values.call(value);
  if (types.isMap(value)) return Map.prototype.values.call(value);
  if (!Array.isArray(value) && !types.isTypedArray(value)) return undefined;
  return Array.from({ length: Math.min(value.length, MAX_ELEMENTS) }, (_, index): unknown => value[index]);
}

/** Returns undefined without a value. An object is shown as the name of its class, to help find the path to a field. */
function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'symbol':
      return String(value);
    case 'bigint':
      return BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value
        ? `${value}`
        : '[BigInt]';
    case 'function':
      return '[Function]';
    case 'object':
      return value === null ? undefined : objectText(value);
    default:
      return undefined;
  }
}

function objectText(value: object): string {
  if (types.isProxy(value)) return '[Proxy]';
  if (types.isDate(value)) {
    const time = Date.prototype.getTime.call(value);
    return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
  }
  if (types.isNativeError(value))
    return `${dataOf(value, 'name')}: ${shortened(String(dataOf(value, 'message')), MAX_VALUE)}`;
  const type = dataOf(value, 'constructor');
  const name = isObject(type) ? dataOf(type, 'name') : undefined;
  const className = typeof name === 'string' ? name : 'Object';
  return Array.isArray(value) || types.isTypedArray(value) ? `${className}(${value.length})` : className;
}

/** A property of the object or its prototypes that is a simple value or an object, without calling anything. */
function dataOf(object: object, name: string): unknown {
  let owner: object | null = object;
  for (let count = 0; owner !== null && !types.isProxy(owner) && count < MAX_PROTOTYPES; count++) {
    const property = Object.getOwnPropertyDescriptor(owner, name);
    if (property !== undefined) return property.value;
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A NUL would end the text in a nettrace. */
function shortened(text: string, maxBytes: number): string {
  const short = cut(text, maxBytes);
  return short.includes('\0') ? short.replaceAll('\0', '\u2400') : short;
}
