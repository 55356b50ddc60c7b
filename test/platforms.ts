/** Tests that not every platform can run: each one runs, or its name says why not. */

/** Why a test of this is skipped here; undefined where it runs. */
export function missingOnWindows(what: string): string | undefined {
  return process.platform === 'win32' ? `Windows has no ${what}` : undefined;
}

/** Wine stands in for Windows in `npm run test:wine`. */
export function missingInWine(what: string): string | undefined {
  return process.env.TRACEWRIGHT_WINE === undefined ? undefined : `Wine has no ${what}`;
}

export function linuxOnly(what: string): string | undefined {
  return process.platform === 'linux' ? undefined : `only Linux has ${what}`;
}

/** The name of a test or suite, with why it is skipped. */
export function named(name: string, reason: string | undefined): string {
  return reason === undefined ? name : `${name} (skipped: ${reason})`;
}
