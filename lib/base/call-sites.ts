/** The stack of the running code as objects, without a trace of the reading for the application. */

/** What is read of V8's CallSite. */
export interface CallSite {
  getFunctionName(): string | null;
  getFileName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

const NONE: readonly CallSite[] = [];

/**
 * The nearest functions on the stack, innermost first; after them, the async functions that wait for them. No text is
 * formatted, and neither `Error.prepareStackTrace` nor a setter of the application is called. Empty if the application
 * has frozen `Error`.
 *
 * @param limit each frame takes half a microsecond or more
 * @param above the function whose callers are wanted
 */
export function callSites(limit: number, above: (...args: never[]) => unknown): readonly CallSite[] {
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const stackLimit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  if (!isReplaceable(prepare) || !isReplaceable(stackLimit)) return NONE;
  const holder: { stack?: readonly CallSite[] } = {};
  try {
    replace('prepareStackTrace', (_: unknown, sites: readonly CallSite[]) => sites);
    replace('stackTraceLimit', limit);
    Error.captureStackTrace(holder, above);
    return holder.stack ?? NONE;
  } finally {
    restore('prepareStackTrace', prepare);
    restore('stackTraceLimit', stackLimit);
  }
}

function isReplaceable(descriptor: PropertyDescriptor | undefined): boolean {
  return descriptor === undefined ? Object.isExtensible(Error) : descriptor.configurable === true;
}

function replace(name: string, value: unknown): void {
  Object.defineProperty(Error, name, { value, configurable: true, enumerable: true, writable: true });
}

function restore(name: string, descriptor: PropertyDescriptor | undefined): void {
  if (descriptor === undefined) Reflect.deleteProperty(Error, name);
  else Object.defineProperty(Error, name, descriptor);
}
