/** Opens the diagnostic port, with everything tools expect of a process: its events, and those of Node.js. */
import { isMainThread } from 'node:worker_threads';
import { thrownText } from '../base/value-text.ts';
import { startFlightRecorder } from '../flight/flight-recorder.ts';
import { enableRuntimeEvents } from '../runtime/enable.ts';
import { flightRecorderText, forbiddingVariable } from './server/environment-settings.ts';
import { type DiagnosticsPort, openDiagnosticPort } from './server/open-diagnostic-port.ts';
import type { DiagnosticsOptions } from './server/options.ts';

/**
 * Opens this process's diagnostic port, through which tools of .NET and tracewright attach to it while it runs. If it
 * is already open, returns the same one, with its original options. The runtime events that tools expect are available,
 * too, as after `enableRuntimeEvents()`, but nothing is observed before they are requested.
 *
 * Failures of the environment are reported as `problem` and as a process warning, never as an exception. Only the main
 * thread has a port: its sessions cover all threads.
 *
 * @throws TypeError for invalid options
 */
export function enableDiagnostics(options: DiagnosticsOptions = {}): DiagnosticsPort {
  const port = openDiagnosticPort(options);
  // A tool to which the process connects requests them, too, whether or not others find it.
  if (isMainThread && forbiddingVariable() === undefined) {
    enableRuntimeEvents();
    startRecorderOfEnvironment();
  }
  return port;
}

/** All copies of the package share one recorder. */
const RECORDER = Symbol.for('tracewright.flight-recorder-of-environment.v1');
const shared = globalThis as { [RECORDER]?: boolean };

function startRecorderOfEnvironment(): void {
  const text = flightRecorderText();
  if (text === undefined || shared[RECORDER] === true) return;
  shared[RECORDER] = true;
  try {
    startFlightRecorder(JSON.parse(text));
  } catch (error) {
    const problem = `TRACEWRIGHT_FLIGHT_RECORDER is neither 1 nor the options of a flight recorder: ${thrownText(error)}`;
    process.emitWarning(problem, 'TracewrightWarning');
  }
}
