// Installs what tracewright is compared with, into a folder of its own: never a dependency of the project.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../lib/newest.mjs';
import { run } from '../lib/run.mjs';

const folder = join(import.meta.dirname, 'peers');

/** Why there are no peers; undefined when they are installed. */
export function installPeers() {
  if (
    newest([join(folder, 'node_modules/.package-lock.json')]) >= newest([join(folder, 'package-lock.json')])
  )
    return undefined;
  try {
    run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
    return undefined;
  } catch (error) {
    return `the peers could not be installed: ${error.message}`;
  }
}

/** Of those that are installed, by the names that they are told by. */
export function peerVersions() {
  const versionOf = (name) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  return {
    'OpenTelemetry SDK': versionOf('@opentelemetry/sdk-trace-base'),
    pino: versionOf('pino'),
    'prom-client': versionOf('prom-client'),
  };
}
