// Types of check-release.mjs, which documents them.
export function releaseProblems(
  manifest: { readonly version: string; readonly repository?: string | { readonly url?: string } },
  tag: string,
  repository: string,
): string[];
