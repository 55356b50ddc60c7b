// Finds problems in a trace of requests that mark everything they do with their number.
import { openTrace } from '../../../dist/trace/index.js';

/** The event source, the event and the field with the number, by what is counted. */
const PARTS = {
  calls: ['ClientRequestStart', ({ pathAndQuery }) => /^\/backend\/(\d+)$/.exec(pathAndQuery)],
  queries: ['CommandStart', ({ text }) => /^SELECT \S+ AS r(\d+)$/.exec(text)],
  commands: ['CommandStart', ({ text }) => /^GET r(\d+)$/.exec(text)],
  lines: ['Informational', ({ message }) => /^(?:begin|end) of (\d+)\.$/.exec(message)],
};

/** What an event is a part of: `[what, number]`. */
function partOf({ name, payload }) {
  for (const [what, [event, find]] of Object.entries(PARTS)) {
    const id = name === event ? find(payload)?.[1] : undefined;
    if (id !== undefined) return [what, Number(id)];
  }
  return undefined;
}

const SHOWN = 5;

/**
 * @param came the numbers of all requests that a server has got
 * @param done by number, how many of each part a request has begun
 * @returns the numbers of activities, and some examples of what is wrong
 */
export async function faultsOf(file, came, done) {
  const open = new Map();
  const requests = new Map();
  const byPath = new Map();
  const totals = { activities: 0, stops: 0, inside: 0 };
  const faults = { open: 0, mixed: 0, missing: 0, stopTwice: 0, requestTwice: 0, unknown: 0 };
  const examples = [];
  const note = (fault, text) => {
    faults[fault]++;
    if (examples.length < SHOWN) examples.push(`${fault}: ${text}`);
  };
  const trace = await openTrace(file);
  for await (const event of trace) {
    const { name, activityPath: path, relatedActivityPath: around, payload } = event;
    if (name.endsWith('Start')) {
      totals.activities++;
      open.set(path, `${name} ${payload.pathAndQuery ?? payload.text ?? ''}`);
    }
    if (name.endsWith('Stop')) {
      totals.stops++;
      const own = byPath.get(path);
      if (own !== undefined && name === 'RequestStop') own.isOver = true;
      if (!open.delete(path)) note('stopTwice', `${name} of ${path}`);
    }
    const id =
      name === 'RequestStart' ? /^\/(?!backend)\w+\/(\d+)$/.exec(payload.pathAndQuery)?.[1] : undefined;
    if (id !== undefined) {
      if (requests.has(Number(id))) note('requestTwice', id);
      const request = { path, isOver: false, lines: 0, queries: 0, commands: 0, calls: 0 };
      requests.set(Number(id), request);
      byPath.set(path, request);
      if (around !== undefined) note('mixed', `request ${id} is inside of ${around}`);
      continue;
    }
    const part = partOf(event);
    if (part === undefined) continue;
    totals.inside++;
    const [what, number] = part;
    const request = requests.get(number);
    const own = what === 'lines' ? path : around;
    if (request === undefined) note('unknown', `${what} of ${number}, which has no request`);
    // What an aborted request does after its end belongs to nothing.
    else if (request.isOver ? own !== undefined : own !== request.path)
      note('mixed', `${what} of ${number} in ${own}, not in ${request.path}`);
    else request[what]++;
  }
  await trace.close();
  for (const text of open.values()) note('open', text);
  for (const id of came) {
    const request = requests.get(id);
    if (request === undefined) note('missing', `the request ${id}`);
    for (const [what, count] of Object.entries(done.get(id))) {
      if (request !== undefined && request[what] !== count) {
        note('missing', `${what} of ${id}: ${request[what]} of ${count}`);
      }
    }
  }
  if (requests.size !== came.length) note('unknown', `${requests.size} requests, where ${came.length} came`);
  return { totals, faults, examples };
}
