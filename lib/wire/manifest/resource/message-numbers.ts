/** Gives the messages of a manifest their numbers, and finds their texts in each culture. */
import { ManifestError } from '../error.ts';
import type { Tag } from '../xml.ts';
import { type MESSAGE_KINDS, messageId, NO_MESSAGE } from './message-table.ts';

/** A reference to the string table. */
const REFERENCE = /^\$\(string\.(.*)\)$/;

export class MessageNumbers {
  /** The key is a number; the value is a text, or a reference to the string table. */
  readonly #messages = new Map<number, string>();
  /** The outer key is the culture, the inner one the text's id. */
  readonly #cultures: ReadonlyMap<string, ReadonlyMap<string, string>>;

  constructor(cultures: ReadonlyMap<string, ReadonlyMap<string, string>>) {
    this.#cultures = cultures;
  }

  /**
   * The number of the tag's message, if it has one.
   *
   * @throws ManifestError if another message has this number, or there is no such text
   */
  of(tag: Tag, kind: keyof typeof MESSAGE_KINDS, value: number): number {
    const { message } = tag.attributes;
    if (message === undefined) return NO_MESSAGE;
    const id = messageId(kind, value);
    const other = this.#messages.get(id) ?? message;
    if (other !== message) {
      const number = `0x${id.toString(16)}`;
      throw new ManifestError(
        tag.offset,
        `The messages "${other}" and "${message}" would have the same number, ${number}.`,
      );
    }
    const key = REFERENCE.exec(message)?.[1];
    if (key !== undefined && this.#text(key) === undefined) {
      throw new ManifestError(tag.offset, `A <${tag.name}> has the message "${message}", which has no text.`);
    }
    return this.standard(kind, value, message);
  }

  /** The number of a text that is the same in all cultures. */
  standard(kind: keyof typeof MESSAGE_KINDS, value: number, text: string): number {
    const id = messageId(kind, value);
    this.#messages.set(id, text);
    return id;
  }

  /** Returns, for each culture, all texts by number; where one is missing, that of the first culture that has it. */
  texts(): Map<string, Map<number, string>> {
    return new Map(
      Array.from(this.#cultures, ([culture, texts]) => [
        culture,
        new Map(
          Array.from(this.#messages, ([id, message]) => {
            const key = REFERENCE.exec(message)?.[1];
            return [id, key === undefined ? message : (texts.get(key) ?? this.#text(key) ?? '')];
          }),
        ),
      ]),
    );
  }

  #text(key: string): string | undefined {
    for (const texts of this.#cultures.values()) if (texts.has(key)) return texts.get(key);
    return undefined;
  }
}
