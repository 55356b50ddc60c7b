/** A server whose requests share the thread pool. It measures how long the first job of each waited for a thread. */
import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const [readFileAsync, gzipAsync, derive] = [readFile, gzip, pbkdf2].map(promisify);

/** Milliseconds by the request's URL. */
const truths = {};

const ROUTES = {
  hash: () => Promise.all(Array.from({ length: 8 }, () => derive('a', 'b', 400_000, 32, 'sha256'))),
  // Its work takes no time worth mentioning.
  read: () => readFileAsync(import.meta.filename ?? process.argv[1]),
  compress: () => gzipAsync('text'),
};

const server = createServer(async (request, response) => {
  const route = request.url.split('/')[1];
  if (route === 'truths') {
    response.end(JSON.stringify(truths), () => process.exit());
    return;
  }
  const start = performance.now();
  await ROUTES[route]();
  truths[request.url] = performance.now() - start;
  response.end('done');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
