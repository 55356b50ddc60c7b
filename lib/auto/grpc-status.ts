/**
 * The outcome of a gRPC call, which its trailers say: the HTTP status is 200 even if it fails.
 *
 * Sources: gRPC over HTTP2; gRPC's status codes; OpenTelemetry's semantic conventions for gRPC.
 */
import { type FailureFields, failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import { isGrpcError } from '../known/failures.ts';
import { NO_STATUS } from './request-fields.ts';

const NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/**
 * @param trailers or the headers of a response that consists of nothing else
 * @returns undefined if it is not a gRPC call's
 */
export function grpcOutcome(
  trailers: Readonly<Record<string, unknown>> | undefined,
  isClient: boolean,
): (FailureFields & { grpcStatus: number }) | undefined {
  const { 'grpc-status': status, 'grpc-message': message = '' } = trailers ?? {};
  if (status === undefined) return undefined;
  const grpcStatus = /^\d{1,9}$/.test(String(status)) ? Number(status) : NO_STATUS;
  if (!isGrpcError(grpcStatus, isClient)) return { ...NO_FAILURE, grpcStatus };
  const { errorMessage } = failureFields(decoded(String(message)));
  return { errorType: NAMES[grpcStatus] ?? String(grpcStatus), errorMessage, errorStack: '', grpcStatus };
}

/** Percent-encoded UTF-8; what is malformed is kept, as gRPC requires. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
