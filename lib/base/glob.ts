/**
 * Patterns for names, as in shells: `*` is any text, and case does not matter. A test takes time in proportion to the
 * text, whatever is in it: other processes choose the texts, and an expression that backtracks took 12 s for 64 KB.
 */

/** Tests text against a pattern. */
export function glob(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*').map(folded);
  const last = rest.pop();
  if (last === undefined) return (text) => folded(text) === first;
  const inner = rest.filter((part) => part !== '');
  return (text) => {
    const whole = folded(text);
    const end = whole.length - last.length;
    if (!whole.startsWith(first) || !whole.endsWith(last)) return false;
    // The first place of each part leaves the most room for the others.
    let at = first.length;
    for (const part of inner) {
      const found = whole.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}

/** Upper case has one letter where lower case has two, as for σ and ς. */
function folded(text: string): string {
  return text.toUpperCase();
}

/** Tests texts by name: each pattern must match the text of its name, which must exist. */
export function globs(
  patterns: Readonly<Record<string, string>>,
): (texts: Readonly<Record<string, string>>) => boolean {
  const tests = Object.entries(patterns).map(([name, pattern]) => [name, glob(pattern)] as const);
  return (texts) =>
    tests.every(([name, matches]) => Object.hasOwn(texts, name) && matches(texts[name] as string));
}
