// Any channel as events: each call of a TracingChannel is an activity, with the fields that a listener names.
import { tracingChannel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventListener, Level } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';

enableRuntimeEvents();

// What a tool asks for from outside: --provider 'Microsoft-Diagnostics-DiagnosticSource:3:5:FilterAndPayloadSpecs="…"'
const FilterAndPayloadSpecs = 'my-app:query@Activity1:-sql;rows=result.length';
const listener = new EventListener({
  onEventSourceCreated(source, created) {
    if (source.name !== 'Microsoft-Diagnostics-DiagnosticSource') return;
    created.enableEvents(source, Level.Informational, 0x2n, { FilterAndPayloadSpecs });
  },
  onEventWritten({ name, payload }) {
    const { Arguments = [] } = payload;
    console.log(name, ...Arguments.map(({ Key, Value }) => `${Key}=${Value}`));
  },
});

// A library that knows nothing of all this.
const queries = tracingChannel('my-app:query');
const query = (sql) => queries.tracePromise(() => sleep(5, ['tea', 'coffee']), { sql });

await query('SELECT name FROM drinks');
await query('SELECT name FROM drinks WHERE hot');
listener.close();
