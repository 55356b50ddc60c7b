/** Names and values from traces in SQL: quoted, whatever they contain. */

/** DuckDB's statements end at a NUL. */
const NUL = /\0/g;

/** Quotes the name as an identifier; a NUL, which none can have, becomes U+FFFD. */
export function identifier(name: string): string {
  return `"${name.replace(NUL, '\ufffd').replaceAll('"', '""')}"`;
}

/** Quotes the text as a value. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\0') ? `(${quoted.replace(NUL, "' || chr(0) || '")})` : quoted;
}

/** A member of JSON text, as RFC 6901 names it: `/url`. */
export function jsonPointer(key: string): string {
  return literal(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

/** Names that differ in any language that, as SQL, ignores their case: a repeated one gets a number. */
export class UniqueNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(Array.from(taken, (name) => name.toLowerCase()));
  }

  of(name: string): string {
    let found = name;
    for (let number = 2; this.#taken.has(found.toLowerCase()); number++) found = `${name}_${number}`;
    this.#taken.add(found.toLowerCase());
    return found;
  }
}
