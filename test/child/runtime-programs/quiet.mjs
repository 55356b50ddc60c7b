// What Node.Runtime observes in Node.js: before a listener comes, while it exists, and after it has gone. Ends by
// itself even while everything is being observed again.
import { listen } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';

const observed = () => ({
  exceptionMonitors: process.listenerCount('uncaughtExceptionMonitor'),
  warnings: process.listenerCount('warning'),
  workers: process.listenerCount('worker'),
  timers: process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length,
});
const states = [observed()];
const source = enableRuntimeEvents();
states.push(observed());
const subscription = listen(source, () => {});
states.push(observed());
subscription.close();
states.push(observed());
listen(source, () => {});
console.log(JSON.stringify(states));
