/** `tracewright/diagnostics`: the diagnostic port of this process. */

export type { SlowLimit } from '../flight/activity-watch.ts';
export type { FlightRecorderOptions } from '../flight/flight-options.ts';
export { type FlightDump, type FlightRecorder, startFlightRecorder } from '../flight/flight-recorder.ts';
export { enableDiagnostics } from './enable-diagnostics.ts';
export type { DiagnosticsPort } from './server/open-diagnostic-port.ts';
export type { DiagnosticsOptions } from './server/options.ts';
