/** The files under prebuilds/ that a release has, by node-gyp-build's naming. */
export const prebuildTargets: readonly string[];
