/**
 * Which functions of a library have called the running code: the only way to tell a call that a library publishes while
 * its caller makes it from one that it publishes later, when a connection is free, in the context of somebody else.
 * Needed only where a library publishes neither.
 */

interface Frame {
  getFunctionName(): string | null;
  getFileName(): string | null | undefined;
}

/** Our own, Node.js's and the library's, down to the one that tells. Each takes about half a microsecond. */
const MAX_FRAMES = 14;

/**
 * The nearest caller that has one of the names.
 *
 * @param names by which a caller is meant: its function's, or the end of its file's
 */
export function nearestCaller(names: readonly string[]): string | undefined {
  for (const frame of frames()) {
    const name = frame.getFunctionName();
    const file = frame.getFileName() ?? '';
    const known = names.find((one) => one === name || (one.includes('/') && file.endsWith(one)));
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Neither formats a text nor calls the application's `Error.prepareStackTrace`. */
function frames(): readonly Frame[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: unknown } = {};
  try {
    Error.prepareStackTrace = (_, callSites) => callSites;
    Error.stackTraceLimit = MAX_FRAMES;
    Error.captureStackTrace(holder, nearestCaller);
    return holder.stack as readonly Frame[];
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
