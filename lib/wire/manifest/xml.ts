/**
 * The subset of XML that instrumentation manifests use: elements and attributes. Text between elements means nothing
 * there and is skipped, as are comments and declarations.
 */
import { ManifestError } from './error.ts';

/** A start tag, or an end tag, which has no attributes. */
export interface Tag {
  /** The name has no prefix of a namespace. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its position in the text, in UTF-16 code units. */
  readonly offset: number;
}

/** Whether XML 1.0 allows the text at all: most control characters are not allowed, escaped or not. */
export function canStandInXml(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) && !/\p{Surrogate}/u.test(text);
}

/** An attribute preceded by a space: ` name="value"`. */
export function attribute(name: string, value: string | number): string {
  return ` ${name}="${String(value).replaceAll(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)}"`;
}

/**
 * The tags of a text, in order. An empty element has two, like any other.
 *
 * @throws ManifestError if a tag is malformed or has no end
 */
export function readTags(text: string): Tag[] {
  const tags: Tag[] = [];
  for (let offset = text.indexOf('<'); offset >= 0; offset = text.indexOf('<', offset)) {
    if (text.startsWith('<!--', offset)) offset = endOf(text, offset, '-->');
    else if (text.startsWith('<?', offset)) offset = endOf(text, offset, '?>');
    else if (text.startsWith('<![CDATA[', offset)) offset = endOf(text, offset, ']]>');
    else offset = readTag(text, offset, tags);
  }
  return tags;
}

function endOf(text: string, offset: number, mark: string): number {
  const end = text.indexOf(mark, offset);
  if (end < 0) throw new ManifestError(offset, `"${text.slice(offset, offset + 10)}" has no "${mark}".`);
  return end + mark.length;
}

const TAG_NAME = /<(\/?)([^\s/>="'<]+)/y;
const ATTRIBUTE = /\s+([^\s/>="'<]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const TAG_END = /\s*(\/?)>/y;

/** @returns the offset after the tag */
function readTag(text: string, offset: number, tags: Tag[]): number {
  const [start, slash, name] = match(TAG_NAME, text, offset);
  if (start === undefined || name === undefined) throw malformed(text, offset);
  let end = offset + start.length;
  const attributes: Record<string, string> = Object.create(null);
  for (;;) {
    const [whole, attributeName, doubleQuoted, singleQuoted] = match(ATTRIBUTE, text, end);
    if (whole === undefined || attributeName === undefined) break;
    attributes[attributeName] = withoutEntities(doubleQuoted ?? singleQuoted ?? '');
    end += whole.length;
  }
  const [close, emptySlash] = match(TAG_END, text, end);
  if (close === undefined) throw malformed(text, offset);
  const tag = { name: localName(name), attributes, offset };
  tags.push({ ...tag, isEnd: slash === '/' });
  if (emptySlash === '/') tags.push({ ...tag, isEnd: true });
  return end + close.length;
}

/** The name without the namespace prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function match(pattern: RegExp, text: string, offset: number): readonly (string | undefined)[] {
  pattern.lastIndex = offset;
  return pattern.exec(text) ?? [];
}

function malformed(text: string, offset: number): ManifestError {
  return new ManifestError(offset, `The tag "${text.slice(offset, offset + 40)}" is malformed.`);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** What is not an entity is left unchanged. */
function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
  });
}
