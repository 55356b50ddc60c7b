// Types of binary-target.mjs, which documents them.
export function binaryTarget(bytes: Buffer): string;
export function compareVersions(first: string, second: string): number;
export function newestVersions(symbols: string): Map<string, string>;
export function libraryVersions(file: string): Map<string, string>;
