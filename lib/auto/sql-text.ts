/** SQL text for events: without the values in it, and short enough for an event. */
import { shortened } from '../base/thrown-fields.ts';

export type SqlDialect = 'mysql' | 'postgresql';

const MAX_SQL = 2000;
/** An application has few distinct statements, unless it puts values into them. */
const MAX_KNOWN = 200;

const COMMENTS = String.raw`/\*[^]*?(?:\*/|$)|--[^\n]*`;
/** Names, and what is not a number because it begins with a letter, `_` or, in parameters, `$`. */
const WORDS = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const NUMBERS = String.raw`\p{N}[\p{L}\p{N}_.]*`;
// A literal that has been cut off extends to the end.
const BACKSLASHED = (quote: string) => String.raw`${quote}(?:[^${quote}\\]|\\(?:[^]|$))*(?:${quote}|$)`;
const PLAIN = (quote: string) => `${quote}[^${quote}]*(?:${quote}|$)`;

/** All dialects read a doubled quote within a literal as the end of one literal and the beginning of the next. */
const TOKENS: Readonly<Record<SqlDialect, RegExp>> = {
  mysql: new RegExp(
    [COMMENTS, '#[^\n]*', BACKSLASHED("'"), BACKSLASHED('"'), PLAIN('`'), WORDS, NUMBERS].join('|'),
    'gu',
  ),
  postgresql: new RegExp(
    [
      COMMENTS,
      `[eE]${BACKSLASHED("'")}`,
      PLAIN("'"),
      PLAIN('"'),
      String.raw`\$([\p{L}_]*)\$[^]*?(?:\$\1\$|$)`,
      WORDS,
      NUMBERS,
    ].join('|'),
    'gu',
  ),
};

/** The text for each known statement. */
const known: Readonly<Record<SqlDialect, Map<string, string>>> = {
  mysql: new Map(),
  postgresql: new Map(),
};

/** @param hasValues whether to keep the values */
export function sqlText(text: string, dialect: SqlDialect, hasValues: boolean): string {
  const told = shortened(text, MAX_SQL);
  if (hasValues) return told;
  const ofDialect = known[dialect];
  let safe = ofDialect.get(told);
  if (safe === undefined) {
    safe = told.replace(TOKENS[dialect], (token) => withoutValue(token, dialect));
    if (ofDialect.size === MAX_KNOWN) ofDialect.clear();
    ofDialect.set(told, safe);
  }
  return safe;
}

/**
 * The message of a failed statement, without values unless they are wanted: what a server says quotes them anywhere, so
 * only its code is safe. What the library itself says (it cannot connect, it cannot convert a parameter) tells more than
 * its code; there, quotation marks are around values.
 */
export function sqlErrorMessage(message: string, error: unknown, hasValues: boolean): string {
  if (hasValues) return message;
  return isOfServer(error) ? '' : message.replace(/(?<!\w)["'`].*/s, '…');
}

/** mysql2 (`sqlMessage`) and pg (`severity`) mark a server's answer by what they add to it. */
function isOfServer(error: unknown): boolean {
  try {
    return error instanceof Error && ('sqlMessage' in error || 'severity' in error);
  } catch {
    // A proxy, of which nothing is known.
    return true;
  }
}

function withoutValue(token: string, dialect: SqlDialect): string {
  if (/^(?:\/\*|--|#)/.test(token)) return '';
  if (/^(?:'|[eE]'|\$[\p{L}_]*\$|\p{N})/u.test(token)) return '?';
  return token.startsWith('"') && dialect === 'mysql' ? '?' : token;
}

/** The first word, in upper case: SELECT, INSERT. */
export function sqlOperation(text: string): string {
  return /^[\s(]*([a-z]{1,20})\b/i.exec(text.slice(0, 200))?.[1]?.toUpperCase() ?? '';
}
