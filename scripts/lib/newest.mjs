// Finds out when files last changed, to tell whether what is made from them is out of date.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * When the newest of these last changed, in milliseconds since 1970; 0 if none exists. A folder counts with everything
 * in it, and itself changes when something is added or removed.
 * @param {readonly string[]} paths
 * @returns {number}
 */
export function newest(paths) {
  return paths.reduce((latest, path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return latest;
    const inside = stats.isDirectory() ? newest(readdirSync(path).map((name) => join(path, name))) : 0;
    return Math.max(latest, stats.mtimeMs, inside);
  }, 0);
}
