/**
 * An event's message as manifests have it: where the definition says `{0}`, the first field's value, a manifest
 * says `%1`.
 *
 * Source: .NET's EventSource.
 */
import type { EventSchema } from '../schema.ts';

/** `{0}` or `{0:format}`; braces that are written twice; what has a mark of its own in manifests. */
const MARK = /\{([0-9]{1,3})(?::[^}]*)?\}|\{\{|\}\}|[%\r\n\t]/g;

const MARKS: Readonly<Record<string, string>> = {
  '{{': '{',
  '}}': '}',
  '%': '%%',
  '\r': '%r',
  '\n': '%n',
  '\t': '%t',
};

export function messageText(message: string, { fields }: EventSchema): string {
  return message.replaceAll(MARK, (mark: string, number: string | undefined) => {
    if (number === undefined) return MARKS[mark] ?? mark;
    const index = Number(number);
    // In a manifest the size of a binary field is a field of its own, before it.
    const sizes = fields.slice(0, index + 1).filter(({ type }) => type === 'binary').length;
    return `%${index + sizes + 1}`;
  });
}
