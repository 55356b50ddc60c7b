/** The files under prebuilds/ in a release, with prebuildify's names. */
export const prebuildTargets: readonly string[];
