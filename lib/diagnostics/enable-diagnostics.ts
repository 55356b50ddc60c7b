/** Opening the diagnostic port, with all that tools look for in a process: its events, and those of Node.js. */
import { isMainThread } from 'node:worker_threads';
import { enableRuntimeEvents } from '../runtime/enable.ts';
import { forbiddingVariable } from './server/environment-settings.ts';
import { type DiagnosticsPort, openDiagnosticPort } from './server/open-diagnostic-port.ts';
import type { DiagnosticsOptions } from './server/options.ts';

/**
 * Opens this process's diagnostic port, by which tools of .NET and of tracewright attach to it while it runs. Where
 * there is one already, it is that one, with its own options. What tools ask of any process is there, too, as after
 * `enableRuntimeEvents()`: nothing of it is observed before somebody asks.
 *
 * What the environment lacks is a `problem`, and a process warning, never an exception. Only the main thread has a
 * port: its sessions have the events of all threads.
 *
 * @throws TypeError for options that there are not
 */
export function enableDiagnostics(options: DiagnosticsOptions = {}): DiagnosticsPort {
  const port = openDiagnosticPort(options);
  // A tool that it connects to asks for them, too, whether or not others find it.
  if (isMainThread && forbiddingVariable() === undefined) enableRuntimeEvents();
  return port;
}
