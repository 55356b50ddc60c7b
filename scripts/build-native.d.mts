/** Types of build-native.mjs, for tests. */

/** The folder with the headers that came with this node, if any. */
export function localHeaders(): string | undefined;
/** There is nothing to build the addon with. */
export class NoCompilerError extends Error {}
/** Whether the addon exists, is newer than its sources and matches this platform and processor. */
export function isNativeBuilt(): boolean;
/** Builds the addon into build/Release. */
export function buildNative(): void;
