// What the demo asks why it is slow: a server on which one request holds up the others. It prints its address, and ends
// when it is told to.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

function sumUp(rows) {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += Math.sqrt(row);
  return sum;
}

const server = createServer(async ({ url }, response) => {
  if (url === '/export') response.end(String(sumUp(4e7)));
  else {
    await delay(20); // the database
    response.end('a user');
  }
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}`);
});
process.stdin.resume().on('end', () => process.exit());
