/** A recording, as `tracewright record` sees it on every system. */
export interface RunningRecording {
  /** Where a program tells of what it is about to write; empty where nobody has to be told. */
  readonly address: string;
  /** In words. */
  progress(): string;
  /** Whether it has ended by itself. */
  hasEnded(): boolean;
  /** Ends the recording and its file. */
  stop(): Promise<{ readonly summary: string; readonly problems: readonly string[] }>;
}
