/** The files under prebuilds/ that a release has, by prebuildify's naming. */
export const prebuildTargets: readonly string[];
