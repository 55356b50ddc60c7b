/**
 * Makes text from outside (a trace, another process, a path) safe for a terminal: it must not move the cursor, change
 * colours or the window title, or reverse the text direction.
 *
 * C0 and C1 controls (a C1 such as U+009B starts a control sequence, like ESC), line and paragraph separators, all
 * Unicode bidi controls, the byte order mark, and the invisible tag characters.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu;
const UNPRINTABLE_BUT_LINE_ENDS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu;
const PLAIN = /^[ -~]*$/;

/** One line, with escapes such as `\u{1b}` for characters that cannot be displayed. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE, escaped);
}

/** Escapes like `printable`, but keeps line ends. */
export function printableLines(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE_BUT_LINE_ENDS, escaped);
}

/** Escapes what JSON itself leaves: it escapes only the C0 controls among these characters. */
export function printableJson(json: string): string {
  return PLAIN.test(json) ? json : json.replace(UNPRINTABLE_BUT_LINE_ENDS, escapedInJson);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** JSON escapes are UTF-16 code units. */
function escapedInJson(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}
