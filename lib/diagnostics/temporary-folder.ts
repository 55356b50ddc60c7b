/** Where a process's sockets are, and tools look for them: .NET's runtime and its tools know no other variable. */
export function temporaryFolder(): string {
  return process.env.TMPDIR || '/tmp';
}
