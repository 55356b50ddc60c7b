/**
 * The memory that events are encoded into, one event at a time. The addon is told of it once, so that a
 * write passes only a length.
 */

/** An event ends at or before this byte: no tracer takes more (ETW 64 KiB, user_events far less). */
export const SCRATCH_LIMIT = 65536;

/**
 * Room behind the limit: only values of variable size check the limit, and what of fixed size may follow
 * them is bounded by what the metadata of one event can name (3 bytes a field at least, 16 bytes of value).
 */
const SLACK = 49152;

/** The bytes. A Buffer for its `write`, the fastest way to UTF-8 that says how many bytes it wrote. */
export const scratch: Buffer = Buffer.alloc(SCRATCH_LIMIT + SLACK);

export const scratchView: DataView = new DataView(scratch.buffer, scratch.byteOffset, scratch.byteLength);
