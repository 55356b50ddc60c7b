/** Types of build-native.mjs, for tests. */

/** The folder with the headers that came with this node, if they did. */
export function localHeaders(): string | undefined;
/** Whether the addon is there, newer than its sources and for this platform and processor. */
export function isNativeBuilt(): boolean;
/** Builds the addon into build/Release. */
export function buildNative(): void;
