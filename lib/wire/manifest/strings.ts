/**
 * The texts of a manifest, in each language: messages of events, and names of keywords, opcodes, tasks, maps and
 * channels. Their ids are those of .NET's EventSource: `event_Paid`, `keyword_Money`, `map_Status.Idle`.
 */
import type { FieldMap } from '../field-map.ts';
import type { EventSchema } from '../schema.ts';
import type { UsedChannel } from './channels.ts';
import { attribute, canStandInXml } from './xml.ts';

/** The names and messages in a definition are of this culture. */
export const DEFAULT_CULTURE = 'en-US';

/** Texts by id, by culture. */
export type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What has texts. */
export interface Named {
  /** Names are unique, also where definitions of one provider have different events with one name. */
  readonly events: ReadonlyMap<EventSchema, string>;
  readonly tasks: ReadonlyMap<number, string>;
  readonly opcodes: ReadonlyMap<number, string>;
  readonly keywords: ReadonlyMap<bigint, string>;
  /** The keys are made by `mapText`. */
  readonly maps: ReadonlyMap<string, FieldMap>;
  readonly channels: ReadonlyMap<number, UsedChannel>;
}

interface Text {
  readonly text: string;
  /** The event whose message this is. */
  readonly event?: EventSchema;
}

/**
 * The keys are ids. The names of tasks and channels are in the manifest as such, and need no text unless a culture has
 * one.
 */
function textsOf(named: Named): { readonly needed: Map<string, Text>; readonly possible: Map<string, Text> } {
  const ids = (kind: string, names: Iterable<string>) =>
    Array.from(names, (text) => [`${kind}_${text}`, { text }] as const);
  return {
    needed: new Map<string, Text>([
      ...[...named.events].flatMap(([event, name]) =>
        event.message === undefined ? [] : [[`event_${name}`, { text: event.message, event }] as const],
      ),
      ...ids('keyword', named.keywords.values()),
      ...ids('opcode', named.opcodes.values()),
      ...[...named.maps.values()].flatMap(({ name, names }) =>
        names.map(([, text]) => [`map_${name}.${text}`, { text }] as const),
      ),
    ]),
    possible: new Map<string, Text>([
      ...ids('task', named.tasks.values()),
      ...ids(
        'channel',
        Array.from(named.channels.values(), ({ name }) => name),
      ),
    ]),
  };
}

/** The string tables: one for each culture, of which each has every text. */
export class StringTables {
  readonly #messages: Messages;
  readonly #texts: ReadonlyMap<string, Text>;

  constructor(named: Named, messages: Messages) {
    this.#messages = messages;
    const { needed, possible } = textsOf(named);
    const own = [...possible].filter(([id]) =>
      Object.values(messages).some((texts) => Object.hasOwn(texts, id)),
    );
    this.#texts = new Map([...needed, ...own].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The attribute that refers to a text, if there is one. */
  reference(kind: string, name: string): string {
    const id = `${kind}_${name}`;
    return this.#texts.has(id) ? attribute('message', `$(string.${id})`) : '';
  }

  /** @param only this culture; by default, all */
  lines(only: string | undefined): string[] {
    const others = Object.keys(this.#messages).filter((culture) => culture !== DEFAULT_CULTURE);
    const cultures = only === undefined ? [DEFAULT_CULTURE, ...others] : [only];
    return cultures.flatMap((culture) => [
      ` <resources${attribute('culture', culture)}>`,
      '  <stringTable>',
      ...Array.from(this.#texts, ([id, text]) => this.#line(culture, id, text)),
      '  </stringTable>',
      ' </resources>',
    ]);
  }

  #line(culture: string, id: string, { text, event }: Text): string {
    const said = this.#messages[culture]?.[id] ?? this.#messages[DEFAULT_CULTURE]?.[id] ?? text;
    const value = event === undefined ? said : messageText(said, event);
    return `   <string${attribute('id', id)}${attribute('value', value)}/>`;
  }
}

/** Why a manifest cannot have the texts, as the rest of a sentence about the source; undefined if it can. */
export function messagesProblem(named: Named, messages: Messages): string | undefined {
  const { needed, possible } = textsOf(named);
  if (typeof messages !== 'object' || messages === null) return 'messages must be an object of cultures.';
  for (const [culture, texts] of Object.entries(messages)) {
    if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(culture)) {
      return `messages are by culture, such as "de-DE", which ${JSON.stringify(culture)} is not.`;
    }
    if (typeof texts !== 'object' || texts === null)
      return `the messages of ${culture} must be an object of ids and texts.`;
    for (const [id, text] of Object.entries(texts)) {
      const problem = textProblem(id, text, needed.get(id) ?? possible.get(id));
      if (problem !== undefined) return `the messages of ${culture} have ${JSON.stringify(id)}, ${problem}`;
    }
  }
  return undefined;
}

function textProblem(id: string, text: unknown, known: Text | undefined): string | undefined {
  if (known === undefined) {
    return id.startsWith('event_')
      ? 'but the source has no event of this name with a message.'
      : 'but the source has nothing of this name.';
  }
  if (typeof text !== 'string') return 'whose text is not a string.';
  if (!canStandInXml(text)) return 'whose text contains a character that XML does not allow.';
  const problem = known.event === undefined ? undefined : insertProblem(text, known.event);
  return problem === undefined ? undefined : `which ${problem}`;
}

/** Why the event's fields cannot be inserted in the message, as the rest of a sentence about the message. */
export function insertProblem(message: string, { fields }: EventSchema): string | undefined {
  for (const [mark, number] of message.matchAll(MARK)) {
    if (number === undefined || Number(number) < fields.length) continue;
    const has = fields.length === 1 ? '1 field' : `${fields.length} fields`;
    return `inserts ${mark}, but the event has ${has}.`;
  }
  return undefined;
}

/** `{0}` or `{0:format}`; doubled braces; characters that need escaping in manifests. */
const MARK = /\{([0-9]{1,3})(?::[^{}]*)?\}|\{\{|\}\}|[%\r\n\t]/g;

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
