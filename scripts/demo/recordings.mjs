// Records the demo's application in the best way available on this machine, and says which one that is and why.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from 'tracewright';
import { openTrace } from 'tracewright/trace';
import { isNative, runInVm, vmUnavailable } from '../vm/index.mjs';
import { log, serveRequests } from './server.mjs';

/**
 * @typedef {import('tracewright/trace').TraceEvent} RecordedEvent
 *
 * @typedef {object} Recording
 * @property {string} how one line for the user
 * @property {readonly RecordedEvent[]} events in time order
 * @property {number} written the number of events that the application wrote
 */

/**
 * By the kernel, if one with user_events is available, otherwise by a listener in this process.
 * @param {boolean} inProcess always by the listener
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
    ...recorded,
  };
}

async function recordInProcess(reason) {
  /** @type {import('tracewright').WrittenEvent[]} */
  const written = [];
  const subscription = listen(log, (event) => written.push(event));
  await serveRequests();
  subscription.close();
  /** @type {any[]} what a view of activities needs of an event */
  const events = written.map(
    ({ provider, name, opcode, payload, timestamp, activityId, relatedActivityId }) => ({
      provider,
      name,
      opcode,
      taskName: undefined,
      payload,
      processId: process.pid,
      threadId: process.pid,
      timeSinceStart: timestamp - written[0].timestamp,
      nsSinceStart: Number(timestamp - written[0].timestamp),
      activityId,
      relatedActivityId,
    }),
  );
  return { how: `Recorded inside the process, with listen()${reason}`, events, written: events.length };
}

async function recordByKernel() {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-demo-'));
  try {
    const file = join(folder, 'perf.data');
    const command = [process.execPath, join(import.meta.dirname, 'record.mjs'), file];
    const { status, stdout, stderr } = await runInVm(command, { rw: [folder], timeout: 120 });
    if (status !== 0) throw new Error(stderr.trim());
    const events = [];
    for await (const event of await openTrace(file)) events.push(event);
    return { events, written: JSON.parse(stdout).written };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
