// A program that starts another instance of itself on SIGUSR2, and reports how that ended.
import { spawnSync } from 'node:child_process';

if (process.argv[2] !== 'child') {
  const hold = setInterval(() => {}, 1000);
  process.on('SIGUSR2', () => {
    const { status } = spawnSync(process.execPath, [process.argv[1], 'child'], { timeout: 10_000 });
    console.log(`Child ended with ${status}.`);
    clearInterval(hold);
  });
  console.log(`Process ${process.pid} runs.`);
}
