// Runs the `tracewright` command in this process and, at the end, writes its CPU time and peak memory to a file.
// Arguments: the file, and those of the command.
import { writeFileSync } from 'node:fs';

const [figures] = process.argv.splice(2, 1);
process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeFileSync(
    figures,
    JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, maxRssBytes: maxRSS * 1024 }),
  );
});
await import(new URL('../../../dist/cjs/cli.cjs', import.meta.url).href);
