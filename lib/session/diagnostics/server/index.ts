/** `tracewright/diagnostics`: the diagnostic port of this process. */
export { type DiagnosticsPort, enableDiagnostics } from './enable-diagnostics.ts';
export type { DiagnosticsOptions } from './options.ts';
