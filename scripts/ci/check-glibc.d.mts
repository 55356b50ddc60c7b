// Types of check-glibc.mjs, which documents them.
export function versionProblems(file: string, versions: ReadonlyMap<string, string>): string[];
