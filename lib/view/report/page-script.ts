/**
 * The page's program as one script: its modules as the compiler wrote them, each behind those that it imports,
 * without their imports and exports. They share one scope, so no two of them may declare the same name; a test
 * holds this.
 */
import { readFile } from 'node:fs/promises';

/** `import { a, b } from './c.js';`, on one line or several. */
const IMPORT = /^import\s[^;'"]*['"]([^'"]+)['"];\n/gm;
const EXPORT = /^export (?=(?:async |abstract )?(?:function|class|const|let)\b)/gm;
const NOTHING_EXPORTED = /^export \{\s*\};\n/gm;
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*\n?/gm;

/** @param main of the compiled program */
export async function pageScript(main: URL): Promise<string> {
  const modules: string[] = ["'use strict';\n"];
  await appendModule(main, new Set(), modules);
  return modules.join('');
}

async function appendModule(url: URL, seen: Set<string>, modules: string[]): Promise<void> {
  if (seen.has(url.href)) return;
  seen.add(url.href);
  const code = await readFile(url, 'utf8');
  for (const [, target = ''] of code.matchAll(IMPORT))
    await appendModule(new URL(target, url), seen, modules);
  modules.push(
    code.replace(IMPORT, '').replace(NOTHING_EXPORTED, '').replace(EXPORT, '').replace(SOURCE_MAP, ''),
  );
}
