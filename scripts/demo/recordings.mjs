// Records the demo's application in the best way that this machine has, and says which one that is and why.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from 'tracewright';
import { eventHeaderEvents } from '../../dist/wire/perf-data/eventheader-events.js';
import { isNative, runInVm, vmUnavailable } from '../vm/index.mjs';
import { log, serveRequests } from './server.mjs';

/**
 * @typedef {object} RecordedEvent
 * @property {string} provider
 * @property {string} name
 * @property {bigint} timeNs of a clock that starts anywhere
 * @property {number} threadId
 * @property {string} [activityId] GUID text
 * @property {string} [relatedActivityId] GUID text
 *
 * @typedef {object} Recording
 * @property {string} how one line for people
 * @property {readonly RecordedEvent[]} events in the order of time
 * @property {number} written how many the application wrote
 */

/**
 * By the kernel where one with user_events can be had, else by a listener in this process.
 * @param {boolean} inProcess by the listener in any case
 * @returns {Promise<Recording>}
 */
export async function record(inProcess) {
  if (inProcess) return await recordInProcess(', as --listen asks.');
  const unavailable = isNative() ? undefined : vmUnavailable('uml');
  if (unavailable !== undefined) return await recordInProcess(`. ${log.status.reason} ${unavailable}`);
  let recorded;
  try {
    recorded = await recordByKernel();
  } catch (error) {
    return await recordInProcess(`. ${error.message}`);
  }
  const kernel = isNative()
    ? "this machine's kernel"
    : `a virtual machine's kernel. Not by this machine's: ${log.status.reason}`;
  return {
    how: `Recorded with perf, as user_events:${log.tracepoints.join()}, by ${kernel}`,
    events: [...eventHeaderEvents(recorded.perfData)].map(fromPerf),
    written: recorded.stats.written,
  };
}

async function recordInProcess(reason) {
  const events = [];
  const subscription = listen(log, (event) => {
    events.push({ ...event, timeNs: event.timestamp, threadId: process.pid });
  });
  await serveRequests();
  subscription.close();
  return { how: `Recorded inside the process, with listen()${reason}`, events, written: events.length };
}

async function recordByKernel() {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-demo-'));
  try {
    const file = join(folder, 'perf.data');
    const command = [process.execPath, join(import.meta.dirname, 'record.mjs'), file];
    const { status, stdout, stderr } = await runInVm(command, { rw: [folder], timeout: 120 });
    if (status !== 0) throw new Error(stderr.trim());
    return { perfData: readFileSync(file), stats: JSON.parse(stdout) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fromPerf({ timeNs, tid, tracepoint, event }) {
  // A tracepoint's name has no room for the provider's hyphen
  const provider = log.tracepoints.includes(tracepoint) ? log.name : event.provider;
  const { name, activityId, relatedActivityId } = event;
  return { provider, name, timeNs, threadId: tid, activityId, relatedActivityId };
}
