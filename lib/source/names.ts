/** What a name of a provider, an event or a field must be, whatever the format. */

/** Why the name cannot be used, as the rest of a sentence about it; undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.includes('\0')) return 'contains a NUL character, which would end it';
  // EventHeader: what follows a semicolon are the name's attributes.
  if (name.includes(';')) return 'contains a semicolon, which would end it';
  if (/\p{Surrogate}/u.test(name)) return 'contains half of a surrogate pair, which UTF-8 cannot hold';
  return undefined;
}
