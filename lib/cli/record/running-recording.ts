/** A recording in progress, as `tracewright record` sees it on every system. */
export interface RunningRecording {
  /** A program announces here what it is about to write; empty if no announcement is needed. */
  readonly address: string;
  /** Describes the state in words. */
  progress(): string;
  /** Whether it has ended by itself. */
  hasEnded(): boolean;
  /** Writes the latest events into a new file, if this is a flight recorder. @returns a summary */
  dump?(): string;
  /** Ends the recording and completes its file. */
  stop(): Promise<{ readonly summary: string; readonly problems: readonly string[] }>;
}
