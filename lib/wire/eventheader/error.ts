/**
 * Why an EventHeader event cannot be decoded. The codes are the errno values that Microsoft's C++ decoder
 * (LinuxTracepoints, EventEnumerator) returns for the same bytes.
 */

export const EventHeaderErrorCode = {
  /** E2BIG: more items than `ITEM_LIMIT`. */
  TooManyItems: 7,
  /** EINVAL: too short for a header. */
  InvalidParameter: 22,
  /** EBADMSG: the bytes contradict themselves or end early. */
  BadMessage: 74,
  /** EOVERFLOW: structs nested too deeply. */
  NestedTooDeep: 75,
  /** ENOTSUP: not an EventHeader event, or one in a later format. */
  NotSupported: 95,
} as const;
export type EventHeaderErrorCode = (typeof EventHeaderErrorCode)[keyof typeof EventHeaderErrorCode];

export class EventHeaderError extends Error {
  override readonly name = 'EventHeaderError';
  readonly code: EventHeaderErrorCode;
  /** Where in the event's bytes, counted from its header. */
  readonly offset: number;

  /** @param message a complete sentence, without the offset */
  constructor(code: EventHeaderErrorCode, offset: number, message: string) {
    super(`${message} (at byte ${offset})`);
    this.code = code;
    this.offset = offset;
  }
}
