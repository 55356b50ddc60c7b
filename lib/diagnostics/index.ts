/** `tracewright/diagnostics`: the diagnostic port of this process. */

export { enableDiagnostics } from './enable-diagnostics.ts';
export type { DiagnosticsPort } from './server/open-diagnostic-port.ts';
export type { DiagnosticsOptions } from './server/options.ts';
