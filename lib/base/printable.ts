/**
 * Text that comes from elsewhere (a trace, another process, a path), made fit for a terminal: it must not move the
 * cursor, change colours or the window's title, or turn the direction of writing.
 *
 * C0 and C1 controls (a C1 such as U+009B starts a control sequence as ESC does), line and paragraph separators, all
 * that Unicode calls bidi controls, the byte order mark, and the tags that nobody sees.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu;
const UNPRINTABLE_BUT_LINE_ENDS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu;
const PLAIN = /^[ -~]*$/;

/** One line, with `\u{1b}` for what is no character to be seen. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE, escaped);
}

/** The same of several lines: their ends stay. */
export function printableLines(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE_BUT_LINE_ENDS, escaped);
}

/** JSON of the same value, which leaves all of these but C0 controls as they are. */
export function printableJson(json: string): string {
  return PLAIN.test(json) ? json : json.replace(UNPRINTABLE_BUT_LINE_ENDS, escapedInJson);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** JSON knows only UTF-16's code units. */
function escapedInJson(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}
