/** Types of build.mjs, for tests. */

/** Why the addon cannot be built for Windows here, as a sentence that names the fix; undefined when it can. */
export function windowsBuildUnavailable(): string | undefined;

/** Builds what is out of date; the paths of the addon, and of those that only tests use. */
export function buildForWindows(): { addon: string; recorder: string; probe: string };
