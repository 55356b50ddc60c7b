// `node check-glibc.mjs FILE...`: fails if a prebuilt addon for Linux requires a library version that the oldest
// supported system does not have.
// That is RHEL 8 and its derivatives, the oldest on which the official binaries of Node.js 20 run: glibc 2.28, and the
// C++ library of GCC 8. Builds in a manylinux_2_28 container stay below; on a newer system, the linker binds to the
// newest available version (pthread_create became GLIBC_2.34), and loading fails on older ones. A file for musl must
// not require any version.
import { basename } from 'node:path';
import { report } from '../lib/run.mjs';
import { compareVersions, libraryVersions } from './binary-target.mjs';

/** glibc's own, then those of GCC 8's libstdc++ and libgcc. */
const limits = { GLIBC: '2.28', GLIBCXX: '3.4.25', CXXABI: '1.3.11', GCC: '8.0.0' };

/**
 * @param {string} file its name; the ending `.musl.node` matters
 * @param {ReadonlyMap<string, string>} versions from `newestVersions`
 * @returns {string[]} the problems, in sentences
 */
export function versionProblems(file, versions) {
  if (file.endsWith('.musl.node')) {
    return versions.has('GLIBC') ? [`${file} is for musl but requires GLIBC_${versions.get('GLIBC')}.`] : [];
  }
  return [...versions]
    .filter(([name, version]) => compareVersions(version, limits[name]) > 0)
    .map(([name, version]) => `${file} requires ${name}_${version}; the newest allowed is ${limits[name]}.`);
}

if (import.meta.filename === process.argv[1]) {
  try {
    const files = process.argv.slice(2);
    if (files.length === 0) throw new Error('Usage: node check-glibc.mjs FILE...');
    for (const file of files) {
      const versions = libraryVersions(file);
      const said = [...versions].map(([name, version]) => `${name}_${version}`).join(' ') || 'no version';
      console.log(`${file}: ${said}`);
      for (const problem of versionProblems(basename(file), versions)) {
        console.error(problem);
        process.exitCode = 1;
      }
    }
  } catch (error) {
    report(error);
  }
}
