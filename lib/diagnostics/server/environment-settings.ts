/** What the environment says about the diagnostic port. Source: .NET's runtime knows the variables of these names. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether whoever started the process wants a port, though its code does not ask for one. */
export function isPortWanted(environment: Environment = process.env): boolean {
  const { TRACEWRIGHT_DIAGNOSTICS, DOTNET_DiagnosticPorts = '' } = environment;
  const isWanted =
    TRACEWRIGHT_DIAGNOSTICS === '1' || DOTNET_DiagnosticPorts !== '' || isRecordTraceWanted(environment);
  return isWanted && forbiddingVariable(environment) === undefined;
}

/** Whether record-trace (`dotnet-trace collect-linux`) is to find the process, though its code does not say so. */
export function isRecordTraceWanted(environment: Environment = process.env): boolean {
  return environment.TRACEWRIGHT_RECORD_TRACE === '1';
}

/** The variable by which whoever started the process wants no port, whatever its code asks for. */
export function forbiddingVariable(environment: Environment = process.env): string | undefined {
  return ['DOTNET_EnableDiagnostics', 'DOTNET_EnableDiagnostics_IPC'].find(
    (name) => environment[name] === '0',
  );
}

/** Whether the process's own port waits for a tool, too. */
export function isDefaultPortSuspended(environment: Environment = process.env): boolean {
  return environment.DOTNET_DefaultDiagnosticPortSuspend === '1';
}
