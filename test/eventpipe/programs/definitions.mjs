/** A worker thread that defines the given sources, and writes their events. It answers each order. */
import { parentPort } from 'node:worker_threads';
import { defineEventSource, event } from '../../../dist/index.js';

const sources = new Map();

function define({ name, events }) {
  try {
    const definitions = Object.entries(events).map(([key, { fields, options }]) => [
      key,
      event(fields, options),
    ]);
    const source = defineEventSource(name, Object.fromEntries(definitions));
    sources.set(name, source);
    const ids = Object.fromEntries(Object.keys(events).map((key) => [key, source[key].identity.id]));
    return { ids, problems: source.status.problems };
  } catch (error) {
    return { error: error.name, message: error.message };
  }
}

parentPort.on('message', (order) => {
  if (order.exit) process.exit();
  parentPort.postMessage(order.write ? sources.get(order.name)[order.write](order.payload) : define(order));
});
