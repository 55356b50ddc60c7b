// A queue: each message carries its sender's trace, so that its delivery, even in another process, belongs there.
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
  // Later, as from a broker: outside the activity that sent it.
  setImmediate(() => mail.activity('Deliver', { to }, { parent: headers }, () => console.log(to)));
});

for (const to of ['ada', 'bob']) {
  mail.activity('Send', { to }, () => queue.emit('message', JSON.stringify({ to, headers: traceHeaders() })));
}
