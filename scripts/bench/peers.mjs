// Installs what tracewright is compared with, into a folder of its own: never a dependency of the project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../lib/run.mjs';

const folder = join(import.meta.dirname, 'peers');

/** Why there are no peers; undefined when they are installed. */
export function installPeers() {
  if (existsSync(join(folder, 'node_modules', '@opentelemetry', 'api'))) return undefined;
  try {
    run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
    return undefined;
  } catch (error) {
    return `OpenTelemetry could not be installed: ${error.message}`;
  }
}

/** Of the SDK that is installed. */
export function peerVersion() {
  const manifest = join(folder, 'node_modules/@opentelemetry/sdk-trace-base/package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
