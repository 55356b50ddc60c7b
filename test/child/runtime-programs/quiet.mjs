// What Node.js is made to observe by Node.Runtime: before a listener comes, while it is there, and when it has gone.
// Ends by itself although everything is being observed again.
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
