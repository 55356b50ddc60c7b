/** What the kernel's user_events takes as one write, whatever the event's format. Tried on 6.12 and 7.3. */

/** Bytes before the event, for the kernel's write index. */
export const WRITE_INDEX_SIZE = 4;

/** The largest events that perf and ftrace carry, in bytes. The kernel loses a larger one and reports success. */
export const PERF_LIMIT = 8184;
export const FTRACE_LIMIT = 4064;
