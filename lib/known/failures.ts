/**
 * Which activities have failed: the one rule for every view, table, export, and trigger. The fields of a Stop say so,
 * under the names that `tracewright/auto`, applications, .NET's providers, and OpenTelemetry's conventions use.
 *
 * Sources: OpenTelemetry's semantic conventions for HTTP, RPC and errors; dotnet/runtime, HttpTelemetry.cs,
 * NameResolutionTelemetry.cs, SocketsTelemetry.cs and NetSecurityTelemetry.cs, which write a `Failed` event before the
 * Stop; dotnet/aspnetcore, HostingEventSource.cs; dotnet/SqlClient, SqlClientEventSource.cs.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A server has failed from 500 on: a mistake of its client is not its own. A client has failed from 400 on. */
const SERVER_ERROR = 500;
const CLIENT_ERROR = 400;
/** Other numbers under these names, such as WebSocket's 1000, are not of HTTP. */
const END_OF_ERRORS = 600;
/** .NET's System.Net.Http reports this for a request without a response. */
const NO_RESPONSE = -1;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isErrorStatus = (value: unknown) => typeof value === 'string' && value.toLowerCase() === 'error';
/** @param isClient whether it is the status that a client got, not one that a server gave */
export const isHttpError = (value: unknown, isClient: boolean): boolean => {
  const status = Number(value);
  if (isClient && status === NO_RESPONSE) return true;
  return status >= (isClient ? CLIENT_ERROR : SERVER_ERROR) && status < END_OF_ERRORS;
};
/** Unknown, DeadlineExceeded, Unimplemented, Internal, Unavailable and DataLoss are the server's; others the client's. */
const GRPC_SERVER_ERRORS: ReadonlySet<number> = new Set([2, 4, 12, 13, 14, 15]);
/** 0 is OK; a call without a status, -1, says nothing. */
export const isGrpcError = (value: unknown, isClient: boolean): boolean =>
  isClient ? Number(value) > 0 : GRPC_SERVER_ERRORS.has(Number(value));

type Sign = (value: unknown, isClient: boolean) => boolean;

const CAMEL_CASE: Readonly<Record<string, Sign>> = {
  success: (value) => value === false,
  errorType: isText,
  errorMessage: isText,
  error: (value) => value === true || isText(value),
  statusCode: isHttpError,
  grpcStatus: isGrpcError,
  exitCode: (value) => Number(value) !== 0,
  status: isErrorStatus,
  // Its lowest bit is set if the command has succeeded.
  compositeState: (value) => (Number(value) & 1) === 0,
};

/** The key is the name of a field. Providers of Windows write them with a capital. */
const SIGNS: ReadonlyMap<string, Sign> = new Map([
  ...Object.entries(CAMEL_CASE),
  ...Object.entries(CAMEL_CASE).map(([name, sign]) => [capitalized(name), sign] as const),
  ['error.type', isText],
  ['otel.status_code', isErrorStatus],
  ['http.response.status_code', isHttpError],
  ['http.status_code', isHttpError],
  ['rpc.grpc.status_code', isGrpcError],
]);

function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Whether the activity is a request to another process, rather than one that this process serves. */
export function isClientTask(provider: string, task: string): boolean {
  return task === 'ClientRequest' || provider === 'System.Net.Http';
}

/** Whether the fields of a Stop say that the activity has failed. */
export function saysFailure(fields: Fields, isClient: boolean): boolean {
  for (const name in fields) {
    const sign = SIGNS.get(name);
    if (sign?.(fields[name], isClient)) return true;
  }
  return false;
}

/** Returns a test for all Stops with these fields; undefined if they cannot say so. */
export function failureTest(
  fieldNames: readonly string[],
  isClient: boolean,
): ((fields: Fields) => boolean) | undefined {
  const signs = fieldNames.flatMap((name) => {
    const sign = SIGNS.get(name);
    return sign === undefined ? [] : [{ name, sign }];
  });
  if (signs.length === 0) return undefined;
  return (fields) => signs.some(({ name, sign }) => name in fields && sign(fields[name], isClient));
}

/** The task that fails, as the event says before the task's Stop: `Request` for `RequestFailed`. */
export function failingTask(provider: string, name: string): string | undefined {
  if (name.endsWith('Failed')) return name.slice(0, -'Failed'.length);
  return name === 'UnhandledException' && provider === 'Microsoft.AspNetCore.Hosting' ? 'Request' : undefined;
}
