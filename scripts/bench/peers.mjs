// Installs the packages for comparison into a separate folder: they are never dependencies of the project.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../lib/newest.mjs';
import { run } from '../lib/run.mjs';

const folder = join(import.meta.dirname, 'peers');

/** Why there are no peers; undefined if they are installed. */
export function installPeers() {
  if (newest([join(folder, 'node_modules/.package-lock.json')]) >= newest([join(folder, 'package.json')]))
    return undefined;
  try {
    const options = ['--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'];
    run('npm', ['install', ...options], { cwd: folder });
    return undefined;
  } catch (error) {
    return `the peers could not be installed: ${error.message}`;
  }
}

/** The versions of the installed ones, by display name. */
export function peerVersions() {
  const versionOf = (name) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  return {
    'OpenTelemetry SDK': versionOf('@opentelemetry/sdk-trace-base'),
    pino: versionOf('pino'),
    'prom-client': versionOf('prom-client'),
  };
}
