// A traced service: `service.mjs TRACE [URL]...` serves requests, each of which calls the services at the URLs. It
// prints its own URL, and ends with its input.
import { createServer, get } from 'node:http';
import { defineEventSource, event, startSession, traceHeaders } from 'tracewright';

const [trace, ...others] = process.argv.slice(2);
const log = defineEventSource('Merged-Service', {
  RequestStart: event({ url: 'string', monotonic: 'int64' }, { traceContext: true }),
  RequestStop: event({ success: 'bool' }),
  CallStart: event({ url: 'string', monotonic: 'int64' }, { traceContext: true }),
  CallStop: event({ success: 'bool' }),
});
const session = startSession({ providers: 'Merged-Service', output: trace, nettraceVersion: 4 });

/** With the time of the clock that all processes of a machine share, by which nothing else here is timed. */
const startOf = (url) => ({ url, monotonic: process.hrtime.bigint() });
const call = (url) => log.activity('Call', startOf(url), () => answerOf(url));

function answerOf(url) {
  return new Promise((resolve, reject) => {
    get(url, { headers: traceHeaders() }, (response) => response.resume().on('end', resolve)).on(
      'error',
      reject,
    );
  });
}

const server = createServer((request, response) => {
  const { url, headers } = request;
  void log.activity('Request', startOf(url), { parent: headers }, async () => {
    for (const other of others) await call(other + url);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

process.stdin.resume().on('end', async () => {
  server.closeAllConnections();
  server.close();
  await session.close();
});
