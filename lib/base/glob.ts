/** Patterns for names, as in shells: `*` is any text, and case does not matter. */

/** Tests text against a pattern. */
export function glob(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 'isu');
  return (text) => expression.test(text);
}

/** Tests texts by name: each pattern must match the text of its name, which must exist. */
export function globs(
  patterns: Readonly<Record<string, string>>,
): (texts: Readonly<Record<string, string>>) => boolean {
  const tests = Object.entries(patterns).map(([name, pattern]) => [name, glob(pattern)] as const);
  return (texts) =>
    tests.every(([name, matches]) => Object.hasOwn(texts, name) && matches(texts[name] as string));
}
