/** Opens the diagnostic port of a process whose environment requests it; costs others nothing. */
import { isMainThread } from 'node:worker_threads';
import { thrownText } from '../base/value-text.ts';
import { isPortWanted } from './server/environment-settings.ts';

/** Loads the server only if it is needed. */
export function startPortFromEnvironment(): void {
  if (!isMainThread || !isPortWanted()) return;
  import('./enable-diagnostics.ts')
    .then(({ enableDiagnostics }) => enableDiagnostics())
    .catch((error: unknown) => {
      process.emitWarning(`The diagnostic port was not opened: ${thrownText(error)}`, 'TracewrightWarning');
    });
}
