/**
 * `tracewright/diagnostics/register`: opens the diagnostic port before the application starts, and waits for a tool if
 * a port requires it: `node --import tracewright/diagnostics/register app.js`.
 */
import { isMainThread } from 'node:worker_threads';
import { enableDiagnostics } from './enable-diagnostics.ts';

const LONG_MS = 2 ** 31 - 1;

// Preloaded modules are loaded in worker threads, too.
if (isMainThread) {
  const { ready } = enableDiagnostics();
  // The port does not keep the process alive, but this process has not even started.
  const hold = setInterval(() => {}, LONG_MS);
  await ready;
  clearInterval(hold);
}
