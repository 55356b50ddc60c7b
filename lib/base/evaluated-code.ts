/**
 * Code that this package has V8's inspector evaluate in an application. It interrupts whatever runs, and has a name of
 * its own, by which samples of it are told from the application's.
 */
const SCRIPT = 'tracewright/dist/evaluated';

/** @param code an expression, or a function's declaration */
export function ownCode(code: string): string {
  return `${code}\n//# sourceURL=${SCRIPT}\n`;
}

/** Whether it is a function of such code, by its name in samples of sessions, or by its file in those of the system. */
export function isOwnCode({ name, module }: { readonly name: string; readonly module: string }): boolean {
  return name.startsWith(`${SCRIPT}.`) || module === SCRIPT;
}
