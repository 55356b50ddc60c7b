/**
 * `tracewright/diagnostics/register`: opens the diagnostic port before the application starts, which waits for a
 * tool where a port asks for it: `node --import tracewright/diagnostics/register app.js`.
 */
import { isMainThread } from 'node:worker_threads';
import { enableDiagnostics } from './enable-diagnostics.ts';

const LONG_MS = 2 ** 31 - 1;

// Preloaded modules are loaded in worker threads, too.
if (isMainThread) {
  const { ready } = enableDiagnostics();
  // The port keeps no process running, but this one has not begun.
  const hold = setInterval(() => {}, LONG_MS);
  await ready;
  clearInterval(hold);
}
