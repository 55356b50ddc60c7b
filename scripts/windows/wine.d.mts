/**
 * Running JavaScript in the real node.exe, under Wine, for tests. A start takes a third of a second. Wine has
 * stubs in place of ETW.
 */
export interface WineOptions {
  /** Beside what Wine needs; nothing of the caller's environment comes through. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Seconds; default 60. */
  timeout?: number;
}

export interface WineResult {
  /**
   * The low 8 bits of the exit code; 124 when the time limit ended it, 134 when an exception did that nobody
   * caught outside of JavaScript.
   */
  status: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs node.exe with these arguments, stdin empty.
 * @throws {Error} the sentence of wineUnavailable
 */
export function runInWine(args: readonly string[], options?: WineOptions): Promise<WineResult>;

/** Why that is not possible here, as a sentence that names the fix; undefined when it is. */
export function wineUnavailable(): string | undefined;

/** The path by which a Windows program knows a file of Linux. */
export function windowsPath(path: string): string;
