/**
 * Names of folders and files made of any text: as Hive escapes the values of partitions, which readers turn back. What
 * no system allows in a name is escaped as well, and what is too long for one is cut.
 */

/** In bytes of UTF-8: file systems allow 255, some of which other parts of a name take. */
const MAX_BYTES = 180;
/** Hive's own list, and what Windows does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among them
const ESCAPED = /[\0-\x1f\x7f"#%'*/:=?\\{[\]^<>|]|[. ]$/g;

/** `my%2Fapp` */
export function hiveName(text: string): string {
  let name = '';
  let bytes = 0;
  for (const character of Buffer.from(text).toString().replace(ESCAPED, percent)) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) return name.replace(/%[\dA-F]?$/, '');
    name += character;
  }
  return name;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
