// Defines a source, listens to it inside the process, and writes events in an activity.
import { setTimeout as sleep } from 'node:timers/promises';
import { activityPath, defineEventSource, event, listen } from 'tracewright';

const log = defineEventSource('MyCompany-MyService', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  CacheMiss: event({ key: 'string', size: 'uint32' }),
});

const heard = [];
listen(log, (written) => {
  heard.push([written.name, activityPath(written.activityId), written.payload]);
});
await Promise.all(
  ['/a', '/b'].map((url) =>
    log.activity('Request', { url }, async () => {
      await sleep(5);
      log.CacheMiss({ key: url, size: 7 });
    }),
  ),
);
console.log(JSON.stringify({ status: log.status, heard, platform: process.platform, stats: log.stats() }));
