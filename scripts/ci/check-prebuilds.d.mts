// Types of check-prebuilds.mjs, which documents them.
export const expectedPrebuilds: readonly string[];
export function prebuildProblems(folder: string): string[];
