// Reads events as JSON lines, and prints how long after its own time each one arrived, in milliseconds.
import { createInterface } from 'node:readline';

const delays = [];
for await (const line of createInterface({ input: process.stdin })) {
  const written = Number(BigInt(JSON.parse(line).timestamp) / 1_000n) / 1_000;
  delays.push(performance.timeOrigin + performance.now() - written);
}
console.log(JSON.stringify(delays.map(Math.round)));
