/** What the kernel's user_events accepts as one write, in any event format. Tested on 6.12 and 7.3. */

/** Bytes before the event, for the kernel's write index. */
export const WRITE_INDEX_SIZE = 4;

/** The largest events for perf and ftrace, in bytes. The kernel loses larger ones and reports success. */
export const PERF_LIMIT = 8184;
export const FTRACE_LIMIT = 4064;
