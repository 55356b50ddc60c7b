/**
 * Generates the manifest of an event source: the XML document that describes its provider and events to ETW tools. The
 * form is that of .NET's EventSource, attribute by attribute, because its tools parse nothing else.
 */
import type { FieldMap } from '../field-map.ts';
import { type EventSchema, type FieldSchema, mapsOf } from '../schema.ts';
import { channelPath, usedChannels } from './channels.ts';
import { LEVEL_NAMES, MANIFEST_NAMESPACE, MESSAGE_EVENT, OPCODE_NAMES } from './constants.ts';
import { FIELD_LAYOUTS, sizeFieldName } from './field-layouts.ts';
import { eventNames, keywordNames, mapText, opcodeNames, taskNames, uniqueMaps } from './names.ts';
import { type Messages, type Named, StringTables } from './strings.ts';
import { attribute } from './xml.ts';

export interface ManifestSource {
  /** The provider's. */
  readonly name: string;
  /** GUID text without braces. */
  readonly guid: string;
  /** The events without a `manifestProblem`. */
  readonly events: readonly EventSchema[];
  /** The keywords without a `manifestNamesProblem`. */
  readonly keywordNames: Readonly<Record<string, bigint>>;
  /** The messages without a `messagesProblem`. */
  readonly messages?: Messages;
}

/** What the document refers to by name. */
export function namedIn({ events, keywordNames: given }: ManifestSource): Named {
  const all = [MESSAGE_EVENT, ...events];
  return {
    events: eventNames(all),
    tasks: taskNames(all),
    opcodes: opcodeNames(all),
    keywords: keywordNames(all, given),
    maps: uniqueMaps(all.flatMap(({ fields }) => mapsOf(fields))),
    channels: usedChannels(all),
  };
}

/**
 * The document, both for `wevtutil` and for the events of `manifestChunks`.
 *
 * @param culture for the texts of this culture only; by default, of all
 */
export function generateManifest(source: ManifestSource, culture?: string): string {
  const named = namedIn(source);
  const events = [...named.events.keys()];
  const strings = new StringTables(named, source.messages ?? {});
  const lines = [
    `<instrumentationManifest${attribute('xmlns', MANIFEST_NAMESPACE)}>`,
    ' <instrumentation xmlns:xs="http://www.w3.org/2001/XMLSchema"' +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
      ' xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">',
    `  <events${attribute('xmlns', MANIFEST_NAMESPACE)}>`,
    providerLine(source),
    ...sectionIfAny('channels', channelLines(source.name, named, strings)),
    ...section('tasks', taskLines(named, strings)),
    ...sectionIfAny(
      'maps',
      [...named.maps.values()].flatMap((map) => mapLines(map, strings)),
    ),
    ...section('opcodes', opcodeLines(named, strings)),
    ...section('keywords', keywordLines(named, strings)),
    ...section(
      'events',
      events.map((event) => eventLine(event, named, strings)),
    ),
    ...section(
      'templates',
      events.flatMap((event) => templateLines(event, named)),
    ),
    '</provider>',
    '</events>',
    '</instrumentation>',
    '<localization>',
    ...strings.lines(culture),
    '</localization>',
    '</instrumentationManifest>',
    '',
  ];
  return lines.join('\r\n');
}

function section(name: string, lines: readonly string[]): string[] {
  return [` <${name}>`, ...lines, ` </${name}>`];
}

function sectionIfAny(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : section(name, lines);
}

function providerLine({ name, guid }: ManifestSource): string {
  const symbol = name.replaceAll(/[^A-Za-z0-9_]/g, '_');
  const files = attribute('resourceFileName', name) + attribute('messageFileName', name);
  return `<provider${attribute('name', name)}${attribute('guid', `{${guid}}`)}${files}${attribute('symbol', symbol)}>`;
}

function channelLines(provider: string, { channels }: Named, strings: StringTables): string[] {
  return Array.from(
    channels.values(),
    (channel) =>
      `  <channel${attribute('chid', channel.name)}${attribute('name', channelPath(provider, channel))}` +
      `${strings.reference('channel', channel.name)}${attribute('value', channel.value)}` +
      `${attribute('type', channel.name)}${attribute('enabled', String(channel.isEnabled))}/>`,
  );
}

function taskLines({ tasks }: Named, strings: StringTables): string[] {
  const sorted = [...tasks].sort(([a], [b]) => a - b);
  return sorted.map(
    ([value, name]) =>
      `  <task${attribute('name', name)}${strings.reference('task', name)}${attribute('value', value)}/>`,
  );
}

function mapLines({ name, kind, names }: FieldMap, strings: StringTables): string[] {
  const element = kind === 'bits' ? 'bitMap' : 'valueMap';
  return [
    `  <${element}${attribute('name', name)}>`,
    ...names.map(
      ([value, entry]) =>
        `   <map${attribute('value', `0x${value.toString(16)}`)}${strings.reference('map', `${name}.${entry}`)}/>`,
    ),
    `  </${element}>`,
  ];
}

function opcodeLines({ opcodes }: Named, strings: StringTables): string[] {
  return [...opcodes].map(
    ([value, name]) =>
      `  <opcode${attribute('name', name)}${strings.reference('opcode', name)}${attribute('value', value)}/>`,
  );
}

function keywordLines({ keywords }: Named, strings: StringTables): string[] {
  return [...keywords].map(
    ([mask, name]) =>
      `  <keyword${attribute('name', name)}${strings.reference('keyword', name)}${attribute('mask', `0x${mask.toString(16)}`)}/>`,
  );
}

function eventLine(event: EventSchema, named: Named, strings: StringTables): string {
  const { tasks, opcodes, keywords, channels } = named;
  const channel = event.channel === undefined ? undefined : channels.get(event.channel);
  const keywordList = [...keywords]
    .filter(([mask]) => (event.keywords & mask) !== 0n)
    .map(([, name]) => name);
  let line =
    `  <event${attribute('value', event.id)}${attribute('version', event.version)}` +
    `${attribute('level', LEVEL_NAMES[event.level] ?? '')}${attribute('symbol', event.name)}`;
  line += strings.reference('event', nameOf(event, named));
  if (keywordList.length > 0) line += attribute('keywords', keywordList.join(' '));
  if (event.opcode !== 0) {
    line += attribute('opcode', OPCODE_NAMES.get(event.opcode) ?? opcodes.get(event.opcode) ?? '');
  }
  line += attribute('task', tasks.get(event.task) ?? '');
  if (channel !== undefined) line += attribute('channel', channel.name);
  if (event.fields.length > 0) line += attribute('template', templateName(event, named));
  return `${line}/>`;
}

function nameOf(event: EventSchema, { events }: Named): string {
  return events.get(event) ?? event.name;
}

function templateName(event: EventSchema, named: Named): string {
  return `${nameOf(event, named)}Args`;
}

function templateLines(event: EventSchema, named: Named): string[] {
  if (event.fields.length === 0) return [];
  return [
    `  <template${attribute('tid', templateName(event, named))}>`,
    ...event.fields.flatMap((field) => fieldLines(field, named)),
    '  </template>',
  ];
}

function fieldLines(field: FieldSchema, { maps }: Named): string[] {
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
  const map = type === 'struct' || field.map === undefined ? undefined : maps.get(mapText(field.map))?.name;
  return [
    `   <data${attribute('name', name)}${attribute('inType', inType)}${outType}${map === undefined ? '' : attribute('map', map)}/>`,
  ];
}
