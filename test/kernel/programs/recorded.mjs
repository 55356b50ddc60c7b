// A program to be recorded from its first event on: `recorded.mjs COUNT [SECONDS | --until FILE | --held | --dumped FOLDER]` writes COUNT
// events of one tracepoint and a tenth of it of another; again and again until the time is over, or the file is there;
// or ten times more while the recorder, which is its parent, is stopped; or until the recorder, on a signal, has dumped
// its ring into the folder, and then once more. Prints what it has written.
import { existsSync, readdirSync } from 'node:fs';
import { defineEventSource, event, Level } from 'tracewright';

const count = Number(process.argv[2]);
const [mode = '0', path] = process.argv.slice(3);
const log = defineEventSource('Recorded-Service', {
  Tick: event({ number: 'uint32', text: 'string' }),
  Tenth: event({ number: 'uint32' }, { level: Level.Verbose, keywords: 0x2n }),
});

let number = 0;
function write() {
  for (const last = number + count; number < last; number++) {
    log.Tick({ number, text: `event ${number}` });
    if (number % 10 === 0) log.Tenth({ number });
  }
}

if (mode === '--held') {
  write();
  process.kill(process.ppid, 'SIGSTOP');
  for (let times = 0; times < 10; times++) write();
  process.kill(process.ppid, 'SIGCONT');
} else if (mode === '--dumped') {
  write();
  process.kill(process.ppid, 'SIGUSR2');
  do write();
  while (!readdirSync(path).some((name) => /^ring\.data\.\d+$/.test(name)));
  write();
} else {
  const end = performance.now() + 1000 * Number(mode);
  const isOver = mode === '--until' ? () => existsSync(path) : () => performance.now() >= end;
  do write();
  while (!isOver());
}
console.log(JSON.stringify({ stats: log.stats(), pid: process.pid, number }));
process.exitCode = 3;
