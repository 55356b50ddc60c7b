// Answers requests to itself that keep the processor busy, each in activities: `profiled-server.mjs [ROUNDS]`.
import { createServer, request } from 'node:http';
import { defineEventSource, event } from 'tracewright';
import 'tracewright/auto';

const rounds = Number(process.argv[2] ?? 10);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PATHS = { '/orders/17': 30, '/users/4': 10 };

const log = defineEventSource('Profiled-Service', {
  PriceStart: event({}),
  PriceStop: event({}),
});

function burnCpu(ms) {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 1000; i++) sum += Math.sqrt(i);
  return sum;
}

const server = createServer((incoming, response) => {
  const ms = PATHS[incoming.url];
  burnCpu(ms / 2);
  log.activity('Price', {}, () => burnCpu(ms / 2));
  response.end();
}).listen(0, '127.0.0.1');

function get(path, round) {
  const spanId = round.toString(16).padStart(16, 'b');
  const headers = { traceparent: `00-${TRACE}-${spanId}-01` };
  const { port } = server.address();
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}

server.on('listening', async () => {
  for (let round = 0; round < rounds; round++) {
    for (const path of Object.keys(PATHS)) await get(path, round);
  }
  server.close();
});
