/**
 * The memory into which events are encoded, one at a time. The addon is told about it once, so that a write passes only
 * a length.
 */

/** An event ends at or before this byte: no tracer accepts more (ETW 64 KiB, user_events far less). */
export const SCRATCH_LIMIT = 65536;

/**
 * Room beyond the limit: only values of variable size check the limit, and the fixed-size values that may follow are
 * bounded by how many fields the metadata of an event can describe (at least 3 bytes per field, 16 bytes of value).
 */
const SLACK = 49152;

/** The bytes. A Buffer for its `write`, the fastest conversion to UTF-8 that returns the number of bytes. */
export const scratch: Buffer = Buffer.alloc(SCRATCH_LIMIT + SLACK);

export const scratchView: DataView = new DataView(scratch.buffer, scratch.byteOffset, scratch.byteLength);
