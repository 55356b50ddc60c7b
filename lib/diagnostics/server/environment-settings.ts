/** What the environment says about the diagnostic port. Source: the variables of .NET's runtime. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the environment requests a port, even if the application does not. */
export function isPortWanted(environment: Environment = process.env): boolean {
  const { TRACEWRIGHT_DIAGNOSTICS, DOTNET_DiagnosticPorts = '' } = environment;
  const isRecorderWanted = flightRecorderText(environment) !== undefined;
  const isWanted =
    TRACEWRIGHT_DIAGNOSTICS === '1' ||
    DOTNET_DiagnosticPorts !== '' ||
    isRecordTraceWanted(environment) ||
    isRecorderWanted;
  return isWanted && forbiddingVariable(environment) === undefined;
}

/**
 * Whether record-trace (`dotnet-trace collect-linux`) should find the process, even if the application does not say so.
 */
export function isRecordTraceWanted(environment: Environment = process.env): boolean {
  return environment.TRACEWRIGHT_RECORD_TRACE === '1';
}

/** The options of a flight recorder in the environment, as JSON; undefined if none is requested. */
export function flightRecorderText(environment: Environment = process.env): string | undefined {
  const { TRACEWRIGHT_FLIGHT_RECORDER: text = '' } = environment;
  if (text === '' || text === '0') return undefined;
  return text === '1' ? '{}' : text;
}

/** The variable with which the environment forbids a port, even if the application requests one. */
export function forbiddingVariable(environment: Environment = process.env): string | undefined {
  return ['DOTNET_EnableDiagnostics', 'DOTNET_EnableDiagnostics_IPC'].find(
    (name) => environment[name] === '0',
  );
}

/** Whether the process also suspends at its own port. */
export function isDefaultPortSuspended(environment: Environment = process.env): boolean {
  return environment.DOTNET_DefaultDiagnosticPortSuspend === '1';
}
