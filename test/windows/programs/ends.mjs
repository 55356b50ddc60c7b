// Ends in the given way.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const ends = {
  status: (text) => process.exit(Number(text)),
  throws: (text) => {
    throw new Error(text);
  },
  crashes: async () => (await import('./probe.mjs')).probe.crash(),
  // A megabyte, to see that all of it arrives
  prints: (text) => {
    process.stdout.write(`${text.repeat(2 ** 20 / text.length)}\n`);
    console.error(text);
  },
  tells: (name) => console.log(JSON.stringify({ value: process.env[name], cwd: process.cwd() })),
  hangs: () => sleep(600_000),
  startsAndHangs: (file) => {
    const child = `setInterval(() => require('fs').appendFileSync(process.argv[1], '.'), 100)`;
    spawn(process.execPath, ['-e', child, file], { stdio: 'ignore' });
    return sleep(600_000);
  },
};
await ends[process.argv[2]](process.argv[3]);
