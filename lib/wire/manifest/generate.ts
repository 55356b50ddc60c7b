/**
 * Generates the manifest of an event source: the XML document that describes its provider and events to ETW tools. The
 * form is that of .NET's EventSource, attribute by attribute, because its tools parse nothing else.
 */
import { type EventSchema, type FieldMap, type FieldSchema, mapsOf } from '../schema.ts';
import { LEVEL_NAMES, MANIFEST_NAMESPACE, MESSAGE_EVENT, OPCODE_NAMES } from './constants.ts';
import { FIELD_LAYOUTS, sizeFieldName } from './field-layouts.ts';
import { eventNames, keywordNames, opcodeNames, taskNames } from './names.ts';
import { attribute } from './xml.ts';

export interface ManifestSource {
  /** The provider's. */
  readonly name: string;
  /** GUID text without braces. */
  readonly guid: string;
  /** Those without a `manifestProblem`. */
  readonly events: readonly EventSchema[];
  /** Those without a `manifestNamesProblem`. */
  readonly keywordNames: Readonly<Record<string, bigint>>;
}

/** What every event and name in the document refers to. */
interface Names {
  /** Unique, also where definitions of one provider have different events with one name. */
  readonly events: ReadonlyMap<EventSchema, string>;
  readonly tasks: ReadonlyMap<number, string>;
  readonly opcodes: ReadonlyMap<number, string>;
  readonly keywords: ReadonlyMap<bigint, string>;
}

/** The document, both for `wevtutil` and for the events of `manifestChunks`. */
export function generateManifest(source: ManifestSource): string {
  const events = [MESSAGE_EVENT, ...source.events];
  const names: Names = {
    events: eventNames(events),
    tasks: taskNames(events),
    opcodes: opcodeNames(events),
    keywords: keywordNames(events, source.keywordNames),
  };
  // Those of one name are the same.
  const maps = new Map(events.flatMap(({ fields }) => mapsOf(fields)).map((map) => [map.name, map]));
  const lines = [
    `<instrumentationManifest${attribute('xmlns', MANIFEST_NAMESPACE)}>`,
    ' <instrumentation xmlns:xs="http://www.w3.org/2001/XMLSchema"' +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
      ' xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">',
    `  <events${attribute('xmlns', MANIFEST_NAMESPACE)}>`,
    providerLine(source),
    ...section('tasks', taskLines(names)),
    ...(maps.size === 0 ? [] : section('maps', [...maps.values()].flatMap(mapLines))),
    ...section('opcodes', opcodeLines(names)),
    ...section('keywords', keywordLines(names)),
    ...section(
      'events',
      events.map((event) => eventLine(event, names)),
    ),
    ...section(
      'templates',
      events.flatMap((event) => templateLines(event, names)),
    ),
    '</provider>',
    '</events>',
    '</instrumentation>',
    '<localization>',
    ` <resources${attribute('culture', 'en-US')}>`,
    '  <stringTable>',
    ...stringLines(names, events, [...maps.values()]),
    '  </stringTable>',
    ' </resources>',
    '</localization>',
    '</instrumentationManifest>',
    '',
  ];
  return lines.join('\r\n');
}

function section(name: string, lines: readonly string[]): string[] {
  return [` <${name}>`, ...lines, ` </${name}>`];
}

function providerLine({ name, guid }: ManifestSource): string {
  const symbol = name.replaceAll(/[^A-Za-z0-9_]/g, '_');
  const files = attribute('resourceFileName', name) + attribute('messageFileName', name);
  return `<provider${attribute('name', name)}${attribute('guid', `{${guid}}`)}${files}${attribute('symbol', symbol)}>`;
}

function taskLines({ tasks }: Names): string[] {
  const sorted = [...tasks].sort(([a], [b]) => a - b);
  return sorted.map(([value, name]) => `  <task${attribute('name', name)}${attribute('value', value)}/>`);
}

function mapLines({ name, kind, names }: FieldMap): string[] {
  const element = kind === 'bits' ? 'bitMap' : 'valueMap';
  return [
    `  <${element}${attribute('name', name)}>`,
    ...names.map(
      ([value, entry]) =>
        `   <map${attribute('value', `0x${value.toString(16)}`)}${message('map', `${name}.${entry}`)}/>`,
    ),
    `  </${element}>`,
  ];
}

function opcodeLines({ opcodes }: Names): string[] {
  return [...opcodes].map(
    ([value, name]) =>
      `  <opcode${attribute('name', name)}${message('opcode', name)}${attribute('value', value)}/>`,
  );
}

function keywordLines({ keywords }: Names): string[] {
  return [...keywords].map(
    ([mask, name]) =>
      `  <keyword${attribute('name', name)}${message('keyword', name)}${attribute('mask', `0x${mask.toString(16)}`)}/>`,
  );
}

function message(kind: string, name: string): string {
  return attribute('message', `$(string.${kind}_${name})`);
}

function eventLine(event: EventSchema, names: Names): string {
  const { tasks, opcodes, keywords } = names;
  const keywordList = [...keywords]
    .filter(([mask]) => (event.keywords & mask) !== 0n)
    .map(([, name]) => name);
  let line =
    `  <event${attribute('value', event.id)}${attribute('version', event.version)}` +
    `${attribute('level', LEVEL_NAMES[event.level] ?? '')}${attribute('symbol', event.name)}`;
  if (event.message !== undefined) line += message('event', nameOf(event, names));
  if (keywordList.length > 0) line += attribute('keywords', keywordList.join(' '));
  if (event.opcode !== 0) {
    line += attribute('opcode', OPCODE_NAMES.get(event.opcode) ?? opcodes.get(event.opcode) ?? '');
  }
  line += attribute('task', tasks.get(event.task) ?? '');
  if (event.fields.length > 0) line += attribute('template', templateName(event, names));
  return `${line}/>`;
}

function nameOf(event: EventSchema, { events }: Names): string {
  return events.get(event) ?? event.name;
}

function templateName(event: EventSchema, names: Names): string {
  return `${nameOf(event, names)}Args`;
}

function templateLines(event: EventSchema, names: Names): string[] {
  if (event.fields.length === 0) return [];
  return [
    `  <template${attribute('tid', templateName(event, names))}>`,
    ...event.fields.flatMap(fieldLines),
    '  </template>',
  ];
}

function fieldLines(field: FieldSchema): string[] {
  const { name, type } = field;
  const layout = type === 'struct' ? undefined : FIELD_LAYOUTS[type];
  const inType = layout?.inType ?? '';
  if (type === 'binary') {
    const size = sizeFieldName(name);
    return [
      `   <data${attribute('name', size)}${attribute('inType', 'win:UInt32')}/>`,
      `   <data${attribute('name', name)}${attribute('inType', inType)}${attribute('length', size)}/>`,
    ];
  }
  const outType = layout?.outType === undefined ? '' : attribute('outType', layout.outType);
  const map = type === 'struct' || field.map === undefined ? '' : attribute('map', field.map.name);
  return [`   <data${attribute('name', name)}${attribute('inType', inType)}${outType}${map}/>`];
}

function stringLines(names: Names, events: readonly EventSchema[], maps: readonly FieldMap[]): string[] {
  const { opcodes, keywords } = names;
  const strings = [
    ...events.flatMap((event) =>
      event.message === undefined
        ? []
        : [[`event_${nameOf(event, names)}`, messageText(event.message, event)] as const],
    ),
    ...[...keywords.values()].map((name) => [`keyword_${name}`, name] as const),
    ...[...opcodes.values()].map((name) => [`opcode_${name}`, name] as const),
    ...maps.flatMap(({ name, names }) => names.map(([, entry]) => [`map_${name}.${entry}`, entry] as const)),
  ];
  strings.sort(([a], [b]) => (a < b ? -1 : 1));
  return strings.map(([id, value]) => `   <string${attribute('id', id)}${attribute('value', value)}/>`);
}

/** `{0}` or `{0:format}`; doubled braces; characters that need escaping in manifests. */
const MARK = /\{([0-9]{1,3})(?::[^}]*)?\}|\{\{|\}\}|[%\r\n\t]/g;

const MARKS: Readonly<Record<string, string>> = {
  '{{': '{',
  '}}': '}',
  '%': '%%',
  '\r': '%r',
  '\n': '%n',
  '\t': '%t',
};

/**
 * The message as manifests have it: where the definition says `{0}`, the first field's value, a manifest says `%1`.
 * Source: .NET's EventSource.
 */
function messageText(message: string, { fields }: EventSchema): string {
  return message.replaceAll(MARK, (mark: string, number: string | undefined) => {
    if (number === undefined) return MARKS[mark] ?? mark;
    const index = Number(number);
    // In a manifest, the size of a binary field is a separate field before it.
    const sizes = fields.slice(0, index + 1).filter(({ type }) => type === 'binary').length;
    return `%${index + sizes + 1}`;
  });
}
