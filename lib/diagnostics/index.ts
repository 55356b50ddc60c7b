/** `tracewright/diagnostics`: the diagnostic port of this process. */
export type { DiagnosticsPort } from '../session/diagnostics/server/open-diagnostic-port.ts';
export type { DiagnosticsOptions } from '../session/diagnostics/server/options.ts';
export { enableDiagnostics } from './enable-diagnostics.ts';
