/** Measures the cost of work, however busy the machine is. */

/** Milliseconds of the process's CPU time. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
