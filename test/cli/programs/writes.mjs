// A program to record: `writes.mjs [END]` writes a hundred events at once. END is what it does then: `exit` with status
// 3, `wait` and continue to write, or `start` another instance of itself.
import { spawnSync } from 'node:child_process';
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Collected-Service', { Tick: event({ number: 'uint32' }, { keywords: 0x2n }) });
let number = 0;
for (; number < 100; number++) log.Tick({ number });
console.log(`Options: ${process.env.NODE_OPTIONS?.split(' ')[0]}`);
const [end = 'exit'] = process.argv.slice(2);
if (end === 'exit') process.exit(3);
else if (end === 'wait') setInterval(() => log.Tick({ number: number++ }), 5);
else if (end === 'start') spawnSync(process.execPath, [process.argv[1]], { stdio: 'inherit' });
