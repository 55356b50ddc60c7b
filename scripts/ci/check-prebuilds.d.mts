// Types of check-prebuilds.mjs, which documents them.
export function prebuildProblems(folder: string): string[];
