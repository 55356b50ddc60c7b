// A queue: each message carries the trace of who has sent it, so that its delivery, also in another process, belongs there.
import { EventEmitter } from 'node:events';
import { defineEventSource, event, traceHeaders } from 'tracewright';

const mail = defineEventSource('MyCompany-Mail', {
  SendStart: event({ to: 'string' }, { traceContext: true }),
  SendStop: event({ success: 'bool' }),
  DeliverStart: event({ to: 'string' }, { traceContext: true }),
  DeliverStop: event({ success: 'bool', errorMessage: 'string' }),
});
const queue = new EventEmitter();

queue.on('message', (text) => {
  const { to, headers } = JSON.parse(text);
  // Later, as from a broker: outside of the activity that has sent it.
  setImmediate(() => mail.activity('Deliver', { to }, { parent: headers }, () => console.log(to)));
});

for (const to of ['ada', 'bob']) {
  mail.activity('Send', { to }, () => queue.emit('message', JSON.stringify({ to, headers: traceHeaders() })));
}
