/** A server whose requests share the thread pool. It measures how long the first job of each waited for a thread. */
import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const [readFileAsync, gzipAsync, derive] = [readFile, gzip, pbkdf2].map(promisify);

/** Milliseconds by the request's URL. */
const truths = {};

/** Requests that are to wait behind others, by their number. */
const behind = new Map();

/** A busy machine may serve the client after the hash: the pool stays full until the others are there, too. */
async function hash(round) {
  do await derive('a', 'b', 400_000, 32, 'sha256');
  while ((behind.get(round) ?? 0) < 2);
}

const ROUTES = {
  hash: (round) => Promise.all(Array.from({ length: 8 }, () => hash(round))),
  // Its work takes no time worth mentioning.
  read: () => readFileAsync(import.meta.filename ?? process.argv[1]),
  compress: () => gzipAsync('text'),
};

const server = createServer(async (request, response) => {
  const [, route, number = ''] = request.url.split('/');
  if (route === 'truths') {
    response.end(JSON.stringify(truths), () => process.exit());
    return;
  }
  const [round, isBehind] = number.split('-');
  if (isBehind) behind.set(round, (behind.get(round) ?? 0) + 1);
  const start = performance.now();
  const answer = ROUTES[route](round);
  // The client knows by the head of the response that the work is in the pool.
  response.flushHeaders();
  await answer;
  truths[request.url] = performance.now() - start;
  response.end('done');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
